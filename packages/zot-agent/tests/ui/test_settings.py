"""/settings, on a screen whose host was built as the command builds it."""

import json
from pathlib import Path
from typing import Any

import pytest
from screen import Chats, bash

from zot_agent.config.settings import SETTINGS
from zot_provider.testing import ScriptedServer, Turn


def stored(chats: Chats) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((chats.root / "zot-home" / "config.json").read_text())
    return found


async def test_every_setting_is_shown_with_its_value_and_its_origin(
    chats: Chats, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = chats.root / "zot-home"
    home.mkdir()
    (home / "config.json").write_text('{"theme": "light", "http_proxy": "http://me:hunter2@127.0.0.1:1"}')
    monkeypatch.setenv("ZOT_FLAT_TOOLS", "1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    for name in ("http_proxy", "https_proxy"):  # which the settings change in this process
        monkeypatch.setenv(name, "")
    async with chats.built(server, columns=120, rows=60) as talk:
        talk.type("/settings<enter>")
        await talk.shown("claude_md")
        rows = {words[0]: words[1:] for words in (line.strip(" ›").split() for line in talk.lines()) if words}
        assert SETTINGS.keys() <= rows.keys()
        assert (rows["theme"][0], rows["theme"][-1]) == ("light", "yours")
        assert (rows["tool_render"][0], rows["tool_render"][-1]) == ("flat", "$ZOT_FLAT_TOOLS")
        assert (rows["provider"][0], rows["provider"][-1]) == ("openai", "--provider")
        assert (rows["child_keys"][0], rows["child_keys"][-1]) == ("remove", "default")
        assert "hunter2" not in talk.screen()


async def test_enter_changes_a_choice_in_place_and_it_is_applied_and_stored(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.built(server, rows=40) as talk:
        talk.type("/settings<enter>")
        await talk.shown("editor_mode")
        await talk.press("editor_mode<enter>")
        await talk.shown("editor_mode             vi")
        await talk.press("<ctrl+u>child_keys<enter>")
        await talk.shown("from the next start")
        await talk.press("<esc>")
        await talk.until(lambda: not talk.dialog_open)
        await talk.press("<esc>")
        await talk.shown("normal ·")
    assert stored(chats) == {"editor_mode": "vi", "child_keys": "keep"}


async def test_a_key_brings_the_default_back(chats: Chats, server: ScriptedServer) -> None:
    home = chats.root / "zot-home"
    home.mkdir()
    (home / "config.json").write_text('{"theme": "light", "x": 1}')
    async with chats.built(server, rows=40) as talk:
        talk.type("/settings<enter>")
        await talk.shown("claude_md")
        await talk.press("theme")
        await talk.shown("yours")
        await talk.press("<ctrl+d>")
        await talk.until_hidden("yours")
        await talk.until(lambda: talk.theme == "dark")
    assert stored(chats) == {"x": 1}


async def test_a_number_is_asked_for_and_checked(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server, rows=40) as talk:
        talk.type("/settings auto_compact_threshold<enter>")
        await talk.shown("auto_compact_threshold: compact")
        talk.type("9<enter>")
        await talk.shown('expected "off" (or 0) or a number from 10 to 99')
        await talk.press("<ctrl+u>off<enter>")
        await talk.shown("auto_compact_threshold  off")
    assert stored(chats) == {"auto_compact_threshold": "off"}


async def test_a_setting_that_counts_less_here_says_so(
    chats: Chats, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZOT_FLAT_TOOLS", "1")
    async with chats.built(server, rows=40) as talk:
        talk.type("/settings tool_render<enter>")
        await talk.shown("$ZOT_FLAT_TOOLS takes precedence here")
    assert stored(chats) == {"tool_render": "box"}


async def test_the_screen_starts_as_the_settings_say(chats: Chats, server: ScriptedServer) -> None:
    server.add(Turn(calls=[bash("echo here; echo there")]), "done")
    home = chats.root / "zot-home"
    home.mkdir()
    (home / "config.json").write_text('{"no_yolo": true, "mouse": true, "collapse_tool_call": true}')
    async with chats.built(server) as talk:
        assert (talk.asks, talk.mouse) == (True, True)
        await talk.send("/settings no_yolo")
        talk.type("<esc>")
        await talk.until(lambda: not talk.dialog_open)
        assert not talk.asks
        await talk.send("go")
        assert "    there" not in talk.transcript()
        talk.type("/settings collapse_tool_call<enter><esc>")
        await talk.until(lambda: "    there" in talk.transcript())


async def test_an_unknown_setting_is_an_error(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server) as talk:
        await talk.send("/settings thme")
        await talk.shown("unknown setting 'thme'; did you mean theme")


async def test_settings_of_a_project_are_applied_when_it_is_allowed(chats: Chats, server: ScriptedServer) -> None:
    folder = Path.cwd() / ".zot"
    folder.mkdir()
    (folder / "config.json").write_text('{"theme": "light", "claude_md": "off"}')
    async with chats.built(server, rows=40) as talk:
        assert talk.theme == "dark"
        talk.type("/reload-ext<enter>")
        await talk.shown("setting theme: light")
        await talk.press("y")
        await talk.shown("in use: settings theme, claude_md")
        assert talk.theme == "light"
        assert "claude_md: from the next start" in talk.transcript()
