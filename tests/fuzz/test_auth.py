"""Stored keys, and the answers of those who sign people in."""

import asyncio
import json
from pathlib import Path

from hostile import doctored, few, fewer, is_reason, json_bytes, outcome, raw
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.auth.entry import AccountToken
from zot_provider.auth.oauth import TokenEndpoint
from zot_provider.auth.store import AccountStore
from zot_provider.errors import ConfigError, ProviderError
from zot_provider.testing import SignInScript, SignInServer
from zot_provider.transport.http import HttpTransport

SECRET = "sk-0123456789-secret"
STORED = [
    {"openai": {"api_key": SECRET}, "additional_api_key_creds": {"xai": {"api_key": SECRET}}, "theme": "dark"},
    {"kimi": {"oauth": {"access_token": SECRET, "refresh_token": SECRET, "expiry": "2026-11-22T23:00:00Z"}}},
    {"google": {"api_key_command": {"program": "op", "args": ["read"], "timeout_ms": 100}}},
]
INDEX = [{"backend": "keyring.backends.null.Keyring", "service": "zot", "kinds": {"openai": "api_key"}}]
ANSWERS = [
    {"access_token": SECRET, "refresh_token": SECRET, "expires_in": 3600, "scope": "a b", "token_type": "Bearer"},
    {"error": "invalid_grant", "error_description": "no", "interval": 5},
    {"error": {"message": "no", "code": "x"}},
]


def look(home: Path) -> None:
    store = AccountStore(str(home))
    for stored in outcome(store.listing, ConfigError) or []:
        assert SECRET not in repr(stored)
        entry = outcome(lambda name=stored.name: store.file.entry(name), ConfigError)
        assert entry is None or entry.kind in ("api_key", "api_key_command", "oauth", "")
        outcome(lambda name=stored.name: asyncio.run(store.load(name)), ConfigError)


@few
@given(doctored(STORED).map(json_bytes) | raw, st.none() | doctored(INDEX).map(json_bytes) | raw)
def test_what_is_stored_is_read_or_refused_in_one_line(tmp_path: Path, file: bytes, index: bytes | None) -> None:
    (tmp_path / "auth.json").write_bytes(file)
    (tmp_path / "keyring.json").unlink(missing_ok=True)
    if index is not None:
        (tmp_path / "keyring.json").write_bytes(index)
    look(tmp_path)


@fewer
@given(doctored(ANSWERS).map(lambda value: json_bytes(value).decode("utf-8", "replace")) | st.text(max_size=20))
async def test_an_answer_of_a_sign_in_is_a_token_or_one_line(text: str) -> None:
    async def refresh(server: SignInServer) -> AccountToken:
        transport = HttpTransport()
        try:
            return await TokenEndpoint(server.sign_in(), transport).refresh(AccountToken("a", "refresh-0123456789"))
        finally:
            await transport.close()

    with SignInServer(SignInScript(broken=text or " ")) as server:
        token, refusal = None, "none"
        try:
            token = await refresh(server)
        except ProviderError as error:
            refusal = str(error)
    assert is_reason(refusal)
    if token is not None:
        assert token.access
        assert json.loads(text)["access_token"].strip() == token.access
