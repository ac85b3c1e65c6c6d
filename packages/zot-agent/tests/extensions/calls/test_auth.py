"""Sign-ins to services of extensions, at a real authorization server."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from calling_extension import CALLER, Person, Talk, World
from waiting import until

from zot_core.conversation.dialogs import CannotShow, DialogAnswer, ExtensionDialog
from zot_core.conversation.events import Notify
from zot_core.conversation.extensions import FrontEndActions
from zot_provider.auth.entry import AccountToken, Entry
from zot_provider.auth.store import AccountStore
from zot_provider.testing import SignInScript, SignInServer
from zot_provider.transport.http import HttpTransport


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    import keyring.core

    keyring.core.init_backend()


class Browser:
    """A person who opens the page of each dialog, and is sent back; with `paste` they paste where they would be."""

    def __init__(self, *, paste: str = "", agrees: bool = True) -> None:
        self.shown: list[ExtensionDialog] = []
        self.closed = 0
        self._paste, self._agrees = paste, agrees

    async def __call__(self, dialog: ExtensionDialog) -> DialogAnswer:
        self.shown.append(dialog)
        if not self._agrees:
            return DialogAnswer(closed=True)
        if self._paste and len(self.shown) == 1:
            return DialogAnswer(self._paste)
        url = next(line for line in dialog.message.splitlines() if line.startswith("http"))
        try:
            if dialog.kind == "input":
                back = (await self._get(url)).headers["location"]
                if self._paste:
                    return DialogAnswer(back)
                await self._get(back)
            await asyncio.Event().wait()
        finally:
            self.closed += 1
        raise AssertionError

    async def _get(self, url: str) -> Any:
        transport = HttpTransport()
        try:
            return await transport.send("GET", url, {})
        finally:
            await transport.close()


def asked(server: SignInServer, **more: Any) -> dict[str, Any]:
    """The parameters of a call."""
    fields = {
        "key": "wiki/../me",
        "client_id": "me",
        "authorize_url": f"{server.url}/authorize",
        "token_url": f"{server.url}/token",
        "scope": "read",
        "title": "Wiki",
    }
    return fields | more


async def token(talk: Talk, server: SignInServer, **more: Any) -> str:
    """The token that a call returns, or the code of its failure."""
    answer = await talk.call("auth.authorize", **asked(server, **more))
    return str(answer["result"]["value"] if "result" in answer else answer["code"])


async def test_a_person_signs_in_once_and_the_token_is_refreshed(world: World, tmp_path: Path) -> None:
    world.add("caller", CALLER)
    person = Browser()
    with SignInServer() as server:
        async with world.running(ask=person) as talk:
            assert await token(talk, server, ask=False) == "not_found"
            first = await token(talk, server)
            assert first in server.granted
            (dialog,) = person.shown
            assert (dialog.kind, dialog.extension, dialog.title) == ("input", "caller", "Sign in to Wiki")
            assert person.closed == 1
            assert await token(talk, server) == first
            assert (await talk.call("secret.get", key="wiki/../me"))["result"] == {"value": first}
            second = await token(talk, server, refused=first)
            assert second != first
            assert second in server.granted
            assert server.paths() == ["/token", "/token"]
            await talk.call("secret.delete", key="wiki/../me")
            assert await token(talk, server, ask=False) == "not_found"
    assert len(person.shown) == 1
    assert [path.name[:8] for path in (tmp_path / "zot").glob("refresh-*")] == ["refresh-"]


async def test_after_the_end_of_a_sign_in_the_person_signs_in_again(world: World) -> None:
    world.add("caller", CALLER)
    person = Browser()
    with SignInServer(SignInScript(revoked=True)) as server:
        store = AccountStore(str(world.root / "zot"))
        old = AccountToken("old-access", "old-refresh", time.time() - 1)
        await store.save("extension/caller/wiki//..//me", Entry(token=old))
        async with world.running(ask=person) as talk:
            assert await token(talk, server, ask=False) == "not_found"
            assert await token(talk, server) in server.granted


async def test_a_person_types_a_code_on_another_machine(world: World) -> None:
    world.add("caller", CALLER)
    person = Browser()
    with SignInServer() as server:
        async with world.running(ask=person) as talk:
            assert await token(talk, server, flow="device", device_url=f"{server.url}/device") in server.granted
    (dialog,) = person.shown
    assert (dialog.kind, dialog.options) == ("select", ("cancel",))
    assert "WDJB-MJHT" in dialog.message


async def test_a_person_pastes_the_address_of_a_browser_elsewhere(world: World) -> None:
    world.add("caller", CALLER)
    person = Browser(paste="http://127.0.0.1:1/callback?code=x&state=another")
    with SignInServer() as server:
        async with world.running(ask=person) as talk:
            assert await token(talk, server) in server.granted
            assert any(isinstance(event, Notify) and "another sign-in" in event.message for event in talk.told)


async def test_a_sign_in_that_is_closed_refused_or_impossible_stores_nothing(world: World) -> None:
    world.add("caller", CALLER)
    with SignInServer(SignInScript(refuse="access_denied")) as server:
        async with world.running(ask=Browser(agrees=False)) as talk:
            assert await token(talk, server) == "cancelled"
            talk.conversation.actions = FrontEndActions(ask_person=Browser())
            answer = await talk.call("auth.authorize", **asked(server))
            assert answer["code"] == "failed"
            assert answer["error"].startswith("Wiki: the provider refused")

            async def cannot(dialog: ExtensionDialog) -> DialogAnswer:
                raise CannotShow("no forms here")

            talk.conversation.actions = FrontEndActions(ask_person=cannot)
            assert await token(talk, server) == "unavailable"
            talk.conversation.actions = FrontEndActions(ask_person=None)
            assert await token(talk, server) == "unavailable"
            for wrong in (
                {"flow": "magic"},
                {"token_url": "http://example.com/token"},
                {"authorize_url": ""},
                {"flow": "device"},
                {"parameters": {"a": 1}},
                {"ports": ["a"]},
                {"path": "callback"},
                {"key": ""},
            ):
                assert await token(talk, server, **wrong) == "invalid", wrong
            assert await token(talk, server, ask=False) == "not_found"
        assert server.paths() == []


async def test_a_sign_in_ends_with_the_extension_that_asked_for_it(world: World) -> None:
    world.add("caller", CALLER)
    person = Person()
    with SignInServer() as server:
        async with world.running(ask=person) as talk:
            asking = asyncio.create_task(token(talk, server))
            await until(lambda: bool(person.shown))
            await talk.extensions.reload()
            await asyncio.wait([asking])
            asking.exception()  # the extension may have said why in time, or not
            await until(lambda: person.closed == ["Sign in to Wiki"])
