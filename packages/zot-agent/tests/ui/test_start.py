"""The screen before there is a host, and what was typed on it."""

import subprocess
import sys

from screen import Chats

from zot_agent.ui.start import PLACEHOLDER, StartScreen
from zot_provider.testing import ScriptedServer
from zot_tui.testing import Driver, MemoryScreen


async def test_the_screen_is_drawn_without_the_modules_of_an_agent() -> None:
    code = "import sys, zot_agent.modes.interactive; print(*[name for name in sys.modules if name.startswith('zot_')])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = {".".join(name.split(".")[:2]) for name in done.stdout.split()}
    assert not loaded & {"zot_core.agent", "zot_core.runtime", "zot_core.conversation", "zot_agent.extensions"}
    assert "zot_agent.ui.controller" not in done.stdout.split()


async def test_text_is_shown_at_once_and_other_keys_wait() -> None:
    start = StartScreen(MemoryScreen(60, 10))
    async with Driver(start.app) as driver:
        await driver.settle()
        assert PLACEHOLDER in driver.screen()
        driver.type("helo<backspace>lo")
        driver.paste(" there")
        await driver.settle()
        assert "hello there" in driver.screen()
        driver.type("<enter>more")
        driver.paste(" text")
        await driver.settle()
        assert "hello there" in driver.screen()
        assert "more" not in driver.screen()


async def test_what_was_typed_before_is_sent_when_the_host_is_there(chats: Chats) -> None:
    with ScriptedServer(["An answer."]) as server:
        async with chats.built(server, before="first<enter>sec") as talk:
            await talk.quiet()
            assert "An answer." in talk.screen()
            assert talk.row(-2).endswith("sec")
        (request,) = server.requests
        assert request.body["messages"][-1]["content"] == "first"


async def test_a_command_typed_before_is_completed(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server, before="/hel") as talk:
        assert "/help" in talk.screen()
