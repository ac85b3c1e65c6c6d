import hashlib
import hmac
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from zot_provider.accounts.aws import AwsAccount
from zot_provider.completion import complete
from zot_provider.errors import ConfigError, MissingKey, ResponseTimeout, StatusError
from zot_provider.model import Model
from zot_provider.registry import Endpoint, ModelRegistry
from zot_provider.router import RoutingClient
from zot_provider.testing import Fault, Received, ScriptedServer, Turn

PROVIDER = ModelRegistry().provider("amazon-bedrock")
ID, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home without an account of AWS."""
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    return tmp_path


@pytest.fixture
def key_pair(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    environ = {"AWS_ACCESS_KEY_ID": ID, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_SESSION_TOKEN": "session"}
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    return environ


def profile(home: Path, text: str) -> AwsAccount:
    """An account with this configuration of its profile "work"."""
    (home / "AWS_CONFIG_FILE").write_text(f"[profile work]\n{text}")
    return AwsAccount({"AWS_PROFILE": "work"})


def signature(request: Received, region: str) -> str:
    """The signature that AWS would compute for a request (Signature Version 4), without botocore."""
    signed = request.headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0]
    day = request.headers["x-amz-date"][:8]
    path = request.path.replace("%", "%25")
    headers = "".join(f"{name}:{request.headers[name]}\n" for name in signed.split(";"))
    digest = hashlib.sha256(json.dumps(request.body, ensure_ascii=False, separators=(",", ":")).encode()).hexdigest()
    canonical = hashlib.sha256("\n".join(["POST", path, "", headers, signed, digest]).encode()).hexdigest()
    scope = f"{day}/{region}/bedrock/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, canonical])
    key = f"AWS4{SECRET}".encode()
    for part in (day, region, "bedrock", "aws4_request"):
        key = hmac.new(key, part.encode(), "sha256").digest()
    return hmac.new(key, text.encode(), "sha256").hexdigest()


async def ask(environ: dict[str, str], server: ScriptedServer) -> str:
    registry = ModelRegistry(environ=environ)
    registry.endpoints[PROVIDER.id] = Endpoint(base_url=server.base_url("bedrock-converse"))
    client = RoutingClient(registry)
    try:
        return (await complete(Model("us.anthropic.claude-x:0", PROVIDER.id), "hi", client=client)).text
    finally:
        await client.close()


@pytest.mark.parametrize("region", ["eu-west-1", "us-east-1"])
async def test_a_request_is_signed_as_aws_does_it(
    key_pair: dict[str, str], monkeypatch: pytest.MonkeyPatch, region: str
) -> None:
    with ScriptedServer(["hello"]) as server:
        assert await ask(key_pair | {"AWS_REGION": region}, server) == "hello"
    (request,) = server.requests
    authorization = request.headers["authorization"]
    assert authorization.startswith(f"AWS4-HMAC-SHA256 Credential={ID}/")
    assert request.headers["x-amz-security-token"] == "session"
    assert authorization.endswith(f"Signature={signature(request, region)}")


async def test_a_key_counts_more_than_an_account(key_pair: dict[str, str]) -> None:
    with ScriptedServer(["hello"], key="token") as server:
        assert await ask(key_pair | {"AWS_BEARER_TOKEN_BEDROCK": "token"}, server) == "hello"


@pytest.mark.parametrize("name", ["AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"])
def test_a_provider_is_ready_if_the_environment_names_an_account(name: str) -> None:
    assert ModelRegistry(environ={name: "x"}).ready(PROVIDER.id)


def test_without_an_account_the_variables_are_named() -> None:
    registry = ModelRegistry(environ={})
    assert not registry.ready(PROVIDER.id)
    with pytest.raises(MissingKey) as caught:
        registry.credentials_of(PROVIDER.id).check(PROVIDER)
    assert str(caught.value) == "no account for amazon-bedrock: set AWS_BEARER_TOKEN_BEDROCK, or AWS_PROFILE"


async def test_the_region_of_a_profile_gives_the_address(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "work")
    account = profile(home, f"region = eu-north-1\naws_access_key_id = {ID}\naws_secret_access_key = {SECRET}\n")
    found = await account.authorize()
    assert found.base_url == "https://bedrock-runtime.eu-north-1.amazonaws.com"
    assert found.key == ""
    assert found.sign is not None
    headers = found.sign("https://bedrock-runtime.us-west-2.amazonaws.com/model/m/converse-stream", {}, b"{}")
    assert "/us-west-2/bedrock/aws4_request" in headers["authorization"]


async def test_a_region_of_china_has_an_address_of_its_own(key_pair: dict[str, str]) -> None:
    found = await AwsAccount({"AWS_REGION": "cn-north-1"}).authorize()
    assert found.base_url == "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"


async def test_a_profile_that_does_not_exist_is_an_error_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(ConfigError, match=r"cannot be used: The config profile \(nobody\) could not be found"):
        await AwsAccount({"AWS_PROFILE": "nobody"}).authorize()


async def test_a_profile_without_credentials_is_an_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "work")
    with pytest.raises(ConfigError, match="no credentials of AWS were found"):
        await profile(home, "region = eu-north-1\n").authorize()


async def test_a_program_that_hangs_is_not_waited_for(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "work")
    os.mkfifo(home / "fifo")
    profile(home, f"credential_process = cat {home}/fifo\n")
    with pytest.raises(ResponseTimeout, match=r"the look-up of the credentials of AWS took more than 0\.2 s"):
        await AwsAccount({"AWS_PROFILE": "work"}, limit=0.2).authorize()
    (home / "fifo").write_text("{}")  # waits for the program, which then ends


@contextmanager
def container(answer: dict[str, str]) -> Iterator[str]:
    """A server that gives the credentials of a container; its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/role"
        server.shutdown()
        thread.join()


async def test_a_container_gives_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {"AccessKeyId": ID, "SecretAccessKey": SECRET, "Token": "session", "Expiration": "2099-01-01T00:00:00Z"}
    with container(answer) as url, ScriptedServer(["hello"]) as server:
        monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", url)
        assert await ask({"AWS_CONTAINER_CREDENTIALS_FULL_URI": url}, server) == "hello"
    assert f"Credential={ID}/" in server.requests[0].headers["authorization"]


def test_a_missing_library_is_named_with_the_extra_that_brings_it() -> None:
    program = (
        "import asyncio, sys; sys.modules['botocore'] = None\n"
        "from zot_provider.accounts.aws import AwsAccount\n"
        "from zot_provider.errors import ConfigError\n"
        "try: asyncio.run(AwsAccount({}).authorize())\n"
        "except ConfigError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "an AWS account needs botocore: install zot-agent[bedrock], or set AWS_BEARER_TOKEN_BEDROCK\n"
    )


def test_no_library_of_a_cloud_is_loaded_to_know_whether_a_provider_is_ready() -> None:
    program = (
        "import sys; from zot_provider.registry import ModelRegistry; registry = ModelRegistry()\n"
        "print([registry.ready(provider.id) for provider in registry.providers] and "
        "[name for name in sys.modules if name in ('botocore', 'google.auth', 'zot_provider.accounts.aws')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


async def test_a_refused_account_is_answered_with_advice(key_pair: dict[str, str]) -> None:
    turn = Turn(fault=Fault(status=403, headers={"x-amzn-errortype": "AccessDeniedException:http://x"}))
    with ScriptedServer([turn]) as server, pytest.raises(StatusError) as caught:
        await ask(key_pair, server)
    assert caught.value.code == "AccessDeniedException"
    assert str(caught.value).endswith(
        "; check the credentials of AWS, and that the account may use the model in this region"
    )
