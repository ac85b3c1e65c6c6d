"""The endpoints for keys and sign-ins."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from served import Serving, write_corp
from waiting import PATIENCE

from zot_agent.config.paths import zot_home
from zot_agent.host.build import open_registry
from zot_provider.providers.spec import Provider
from zot_provider.registry import ModelRegistry
from zot_provider.testing import ScriptedServer, SignInScript, SignInServer

KEY = "sk-ant-0123456789-very-secret"


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")


def with_account(vendor: SignInServer, flow: Any = "device", **more: str) -> Callable[[], ModelRegistry]:
    """The person's registry, with a provider that signs people in at this server."""

    def opened() -> ModelRegistry:
        registry = open_registry(zot_home())
        sign_in = vendor.sign_in(flow, **more)
        registry.add(Provider("acme", "Acme", "openai-chat", "http://127.0.0.1:1/v1", sign_in=sign_in))
        return registry

    return opened


def stored() -> str:
    path = Path(zot_home(), "auth.json")
    return path.read_text() if path.exists() else ""


async def test_a_key_is_checked_stored_shown_without_itself_and_deleted(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(key=KEY) as vendor:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", vendor.base_url("anthropic-messages"))
        async with serving() as served:
            refused = await served.http.put("/accounts/anthropic", json={"key": "sk-ant-wrong-0123456789"})
            assert (refused.status_code, refused.json()) == (
                400,
                {"error": "anthropic refuses this key (status 401); copy it again", "code": "invalid"},
            )
            assert stored() == ""
            answer = await served.http.put("/accounts/anthropic", json={"key": KEY})
            assert answer.status_code == 200
            assert answer.json()["text"].startswith("Anthropic: stored in ")
            assert KEY in stored()
            listed = await served.http.get("/accounts")
            assert KEY not in answer.text + listed.text
            lines = {each["provider"]: each for each in listed.json()["accounts"]}
            assert (lines["anthropic"]["kind"], lines["anthropic"]["source"]) == ("api_key", "file")
            assert lines["openai"]["text"] == "API key given for this run"
            assert (lines["groq"]["text"], lines["groq"]["takes_key"]) == ("no key", True)
            deleted = await served.http.delete("/accounts/anthropic")
            assert deleted.json() == {"text": "deleted what was stored for anthropic"}
            assert KEY not in stored()
            assert (await served.http.delete("/accounts/anthropic")).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "words"),
    [
        ("PUT", "/accounts/nobody", b'{"key": "k"}', 404, "unknown provider"),
        ("POST", "/accounts/nobody/sign-in", b"{}", 404, "unknown provider"),
        ("PUT", "/accounts/openai-codex", b'{"key": "k"}', 400, "takes no API key"),
        ("PUT", "/accounts/anthropic", b'{"key": 5}', 400, "key must be a string"),
        ("PUT", "/accounts/anthropic", b'{"key": "sk-secret', 400, "the body is not JSON"),
        ("PUT", "/accounts/anthropic", b'["sk-secret"]', 400, "must be a JSON object"),
        ("PUT", "/accounts/anthropic", b'{"key": "sk-secret with spaces"}', 400, "spaces or unusual characters"),
        ("POST", "/accounts/anthropic/sign-in", b"", 400, "no sign-in with a code"),
        ("POST", "/accounts/kimi/sign-in", b"{}", 403, "agree first"),
        ("POST", "/accounts", b"{}", 405, "only GET, HEAD"),
        ("PATCH", "/settings", b'["sk-secret"]', 400, "must be a JSON object"),
        ("POST", "/runs/any/steer", b"[" * 100_000, 400, "the body is not JSON"),
    ],
)
async def test_a_request_that_makes_no_sense_is_refused_without_its_key(
    serving: Serving, method: str, path: str, body: bytes, status: int, words: str
) -> None:
    async with serving() as served:
        answer = await served.http.request(method, path, content=body)
        assert (answer.status_code, words in answer.json()["error"]) == (status, True)
        assert "sk-secret" not in answer.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"authorization": ""}, 401), ({"origin": "https://evil.example"}, 403), ({"host": "evil.example"}, 421)],
)
async def test_accounts_are_for_those_with_the_token_and_for_no_other_page(
    serving: Serving, headers: dict[str, str], status: int
) -> None:
    async with serving() as served:
        for method, path in [("GET", ""), ("PUT", "/groq"), ("DELETE", "/groq"), ("POST", "/kimi/sign-in")]:
            answer = await served.http.request(method, f"/accounts{path}", headers=headers, json={"key": KEY})
            assert answer.status_code == status
    assert stored() == ""


async def test_a_sign_in_with_a_code_is_followed_line_by_line(serving: Serving) -> None:
    with SignInServer(SignInScript(device=["authorization_pending"])) as vendor:
        async with (
            serving(registry=with_account(vendor), heartbeat_seconds=0.05) as served,
            served.http.stream("POST", "/accounts/acme/sign-in", json={}) as answer,
        ):
            steps = [json.loads(line) async for line in answer.aiter_lines() if line]
            assert [each["type"] for each in steps] == ["enter_code", "signed_in"]
            assert steps[0]["code"] == "WDJB-MJHT"
            assert "access_token" in stored()


async def test_a_sign_in_that_fails_says_why(serving: Serving) -> None:
    with SignInServer(SignInScript(device=["access_denied"])) as vendor:
        async with serving(registry=with_account(vendor)) as served:
            answer = await served.http.post("/accounts/acme/sign-in", json={})
            last = json.loads(answer.text.splitlines()[-1])
            assert last == {"type": "failed", "error": "acme: the sign-in was declined"}


async def test_a_sign_in_ends_with_the_client_that_began_it(serving: Serving) -> None:
    with SignInServer(SignInScript(device=["authorization_pending"] * 10_000)) as vendor:
        async with serving(registry=with_account(vendor), sign_ins=1) as served:
            async with served.http.stream("POST", "/accounts/acme/sign-in", json={}) as answer:
                assert json.loads(await anext(answer.aiter_lines()))["type"] == "enter_code"
                busy = await served.http.post("/accounts/acme/sign-in", json={})
                assert (busy.status_code, "1 sign-ins" in busy.json()["error"]) == (429, True)
            vendor.script.device[:] = ["access_denied"] * 10_000
            async with asyncio.timeout(PATIENCE):
                while (again := await served.http.post("/accounts/acme/sign-in", json={})).status_code == 429:
                    pass  # the server has not yet seen that the client is gone
            assert "declined" in again.text
            assert stored() == ""


async def test_a_person_signs_in_to_a_provider_of_an_extension(serving: Serving, tmp_path: Path) -> None:
    given = {"extensions": [write_corp(tmp_path / "corp")]}
    async with serving(defaults=given, registry=lambda: open_registry(zot_home()), sign_ins=1) as served:
        listed = {each["provider"]: each for each in (await served.http.get("/accounts")).json()["accounts"]}
        assert (listed["corp"]["title"], listed["corp"]["sign_in"]) == ("Corp", "a Corp account")
        async with served.http.stream("POST", "/accounts/corp/sign-in", json={}) as answer:
            lines = (json.loads(line) async for line in answer.aiter_lines() if line)
            steps = [await anext(lines) for _ in range(4)]
            id = steps[-1].pop("sign_in")
            assert steps == [
                {"type": "progress", "text": "One moment"},
                {"type": "open_page", "url": "https://corp.example/in"},
                {"type": "progress", "text": "What does it show?"},
                {"type": "ask"},
            ]
            wrong = await served.http.post(f"/sign-ins/{id}", json={"text": 5})
            assert (wrong.status_code, wrong.json()["error"]) == (400, "text must be a string")
            assert (await served.http.post(f"/sign-ins/{id}", json={"text": "four"})).status_code == 204
            assert (await anext(lines))["type"] == "signed_in"
        assert "corp-token-four" in stored()
        late = await served.http.post(f"/sign-ins/{id}", json={"text": "again"})
        while late.status_code == 204:  # the server has not yet seen that the sign-in is over
            late = await served.http.post(f"/sign-ins/{id}", json={"text": "again"})
        assert (late.status_code, late.json()["error"]) == (404, "this sign-in is over")
        assert (await served.http.delete("/accounts/corp")).status_code == 200
