"""A server that wants a sign-in, with a real authorization server."""

import asyncio

import pytest
from mcp_guarded import Guarded
from mcp_world import McpWorld
from waiting import until

from zot_core.conversation.commands import CommandRefused
from zot_core.conversation.dialogs import DialogAnswer, ExtensionDialog
from zot_core.conversation.extensions import FrontEndActions
from zot_provider.transport.http import HttpTransport


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    import keyring.core

    keyring.core.init_backend()


async def agree(dialog: ExtensionDialog) -> DialogAnswer:
    """Open the page of a sign-in, and follow it back."""
    transport = HttpTransport()
    try:
        page = next(line for line in dialog.message.splitlines() if line.startswith("http"))
        back = (await transport.send("GET", page, {})).headers["location"]
        await transport.send("GET", back, {})
    finally:
        await transport.close()
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_person_signs_in_to_a_server_once(mcp: McpWorld, guarded: Guarded) -> None:
    mcp.add("far", url=f"{guarded.url}/mcp")
    mcp.raw("near", "serve(lambda name, arguments: text('fine'))")
    async with mcp.running() as zot:
        await zot.until_shown("far", "failed: the server wants a sign-in: /mcp login far, or zot mcp login far")
        with pytest.raises(CommandRefused, match="near takes no sign-in"):
            await zot.command("mcp", "login near")
        zot.talk.conversation.actions = FrontEndActions(ask_person=agree)
        assert await zot.command("mcp", "login far") == "signed in to far; it connects again"
        await until(lambda: "mcp__far__go" in zot.tools)
    (registered,) = guarded.registered
    assert registered["client_name"] == "zot"
    async with mcp.running() as zot:
        await until(lambda: "mcp__far__go" in zot.tools)
    assert len(guarded.registered) == 1
    guarded.service.granted.clear()  # the token has ended
    async with mcp.running() as zot:
        await zot.until_shown("far", "far  ready")
    asked = [(fields["grant_type"], fields["resource"]) for path, fields in guarded.service.posts if path == "/token"]
    assert asked == [("authorization_code", f"{guarded.url}/mcp"), ("refresh_token", f"{guarded.url}/mcp")]
