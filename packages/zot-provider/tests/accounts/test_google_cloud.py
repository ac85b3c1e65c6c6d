import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from waiting import PATIENCE

from zot_provider.accounts.google_cloud import GoogleCloudAccount
from zot_provider.completion import complete
from zot_provider.errors import ConfigError, ConnectError, MissingKey, ResponseTimeout
from zot_provider.model import Model
from zot_provider.registry import Endpoint, ModelRegistry
from zot_provider.router import RoutingClient
from zot_provider.testing import Fault, ScriptedServer, Turn

PROVIDER = ModelRegistry().provider("google-vertex")
PLACE = {"GOOGLE_CLOUD_PROJECT": "p-1", "GOOGLE_CLOUD_LOCATION": "global"}


class Tokens:
    """What a token endpoint gives out, and how often it was asked. `hold` keeps it from answering."""

    def __init__(self) -> None:
        self.asked = 0
        self.status = 200
        self.hold = threading.Event()
        self.hold.set()


@contextmanager
def endpoint(tokens: Tokens) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            tokens.asked += 1
            tokens.hold.wait(PATIENCE)
            token = {"access_token": f"token-{tokens.asked}", "expires_in": 3600, "token_type": "Bearer"}
            body = json.dumps(token if tokens.status == 200 else {"error": "invalid_grant"}).encode()
            self.send_response(tokens.status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/token"
        tokens.hold.set()
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def private_key() -> str:
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2048)
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, plain).decode()


@pytest.fixture
def tokens(private_key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tokens]:
    """The token endpoint of a service account, whose file the environment names."""
    tokens = Tokens()
    with endpoint(tokens) as url:
        account = {
            **{"type": "service_account", "client_email": "a@p-1.iam", "token_uri": url},
            **{"private_key": private_key, "private_key_id": "1", "project_id": "p-1"},
        }
        (tmp_path / "account.json").write_text(json.dumps(account))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "account.json"))
        yield tokens


async def ask(server: ScriptedServer, environ: dict[str, str]) -> str:
    registry = ModelRegistry(environ=environ)
    registry.endpoints[PROVIDER.id] = Endpoint(base_url=server.base_url("gemini"))
    client = RoutingClient(registry)
    try:
        return (await complete(Model("gemini-x", PROVIDER.id), "hi", client=client)).text
    finally:
        await client.close()


async def test_a_token_of_the_account_is_sent_as_a_bearer_token(tokens: Tokens) -> None:
    with ScriptedServer(["hello"], key="token-1") as server:
        assert await ask(server, PLACE) == "hello"
    assert server.requests[0].headers["authorization"] == "Bearer token-1"


async def test_a_key_counts_more_than_an_account(tokens: Tokens) -> None:
    with ScriptedServer(["hello"], key="a-key") as server:
        assert await ask(server, {"GOOGLE_CLOUD_API_KEY": "a-key"}) == "hello"
    assert server.requests[0].headers["x-goog-api-key"] == "a-key"
    assert tokens.asked == 0


async def test_a_token_is_kept_and_another_one_follows_a_refusal(tokens: Tokens) -> None:
    account = GoogleCloudAccount(PLACE)
    assert [(await account.authorize()).key for _ in range(2)] == ["token-1", "token-1"]
    assert (await account.authorize(refused="token-1")).key == "token-2"
    assert (await account.authorize(refused="token-1")).key == "token-2"


async def test_a_refused_token_is_replaced_within_a_request(tokens: Tokens) -> None:
    with ScriptedServer([Turn(fault=Fault(status=401)), "hello"]) as server:
        assert await ask(server, PLACE) == "hello"
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer token-1", "Bearer token-2"]


@pytest.mark.parametrize(
    ("location", "host"),
    [
        ("global", "aiplatform.googleapis.com"),
        ("europe-west4", "europe-west4-aiplatform.googleapis.com"),
        ("us", "aiplatform.us.rep.googleapis.com"),
        ("eu", "aiplatform.eu.rep.googleapis.com"),
    ],
)
async def test_the_address_is_that_of_the_location(tokens: Tokens, location: str, host: str) -> None:
    account = GoogleCloudAccount(PLACE | {"GOOGLE_CLOUD_LOCATION": location})
    found = await account.authorize()
    assert found.base_url == f"https://{host}/v1/projects/p-1/locations/{location}/publishers/google"


@pytest.mark.parametrize("missing", PLACE)
def test_without_a_project_or_a_location_the_variables_are_named(missing: str) -> None:
    environ = {name: value for name, value in PLACE.items() if name != missing}
    registry = ModelRegistry(environ=environ)
    assert not registry.ready(PROVIDER.id)
    with pytest.raises(MissingKey, match="set GOOGLE_CLOUD_API_KEY, or GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION"):
        registry.credentials_of(PROVIDER.id).check(PROVIDER)
    assert ModelRegistry(environ=PLACE).ready(PROVIDER.id)


async def test_an_account_that_was_revoked_is_an_error_in_one_line(tokens: Tokens) -> None:
    tokens.status = 400
    with pytest.raises(ConfigError, match=r"the account of Google Cloud cannot be used: .*invalid_grant") as caught:
        await GoogleCloudAccount(PLACE).authorize()
    assert "\n" not in str(caught.value)


async def test_a_file_that_is_no_account_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "account.json").write_text("{}")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "account.json"))
    with pytest.raises(ConfigError, match="the account of Google Cloud cannot be used"):
        await GoogleCloudAccount(PLACE).authorize()


async def test_a_server_that_refuses_connections_may_be_asked_again(tokens: Tokens, tmp_path: Path) -> None:
    path = tmp_path / "account.json"
    account = json.loads(path.read_text()) | {"token_uri": "http://127.0.0.1:9/token"}
    path.write_text(json.dumps(account))
    with pytest.raises(ConnectError, match="Google Cloud cannot be reached") as caught:
        await GoogleCloudAccount(PLACE).authorize()
    assert caught.value.retryable


async def test_a_server_that_does_not_answer_is_not_waited_for(tokens: Tokens) -> None:
    tokens.hold.clear()
    with pytest.raises(ResponseTimeout, match=r"the sign-in to Google Cloud took more than 0\.2 s"):
        await GoogleCloudAccount(PLACE, limit=0.2).authorize()


def test_a_missing_library_is_named_with_the_extra_that_brings_it() -> None:
    program = (
        "import asyncio, sys; sys.modules['google.auth'] = None\n"
        "from zot_provider.accounts.google_cloud import GoogleCloudAccount\n"
        "from zot_provider.errors import ConfigError\n"
        "try: asyncio.run(GoogleCloudAccount({}).authorize())\n"
        "except ConfigError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("an account of Google Cloud needs google-auth: install zot-agent[vertex], or set ")
