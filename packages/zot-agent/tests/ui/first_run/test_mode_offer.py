"""The question of the first run whether tools may run without asking."""

import asyncio
import json
from pathlib import Path

import pytest
from screen import Chats

from zot_agent.config.settings import load_settings
from zot_agent.host.options import HostOptions
from zot_agent.host.permissions import mode_is_open
from zot_agent.ui.first_run.mode_offer import offer_mode
from zot_core.permission_mode import PermissionMode
from zot_provider.testing import ScriptedServer


@pytest.mark.parametrize(
    ("key", "mode"),
    [("y", "yolo"), ("n", "ask"), ("e", "accept-edits"), ("<enter>", "ask"), ("<down><enter>", "accept-edits")],
)
async def test_the_answer_counts_at_once_and_is_remembered(
    chats: Chats, server: ScriptedServer, tmp_path: Path, key: str, mode: PermissionMode
) -> None:
    async with chats.built(server) as talk:
        asking = asyncio.create_task(offer_mode(talk.chat))
        await talk.shown("May tools run without asking?")
        talk.type(key)
        await asking
        assert talk.chat.host.conversation.permissions.mode == mode
        await talk.settle()
        assert mode in talk.status
    written = json.loads((tmp_path / "zot-home" / "config.json").read_text())
    assert written == {"permissions": {"mode": mode}}
    assert not is_open(tmp_path / "zot-home")


async def test_a_closed_question_decides_nothing_this_run_asks_and_the_next_one_is_asked_again(
    chats: Chats, server: ScriptedServer, tmp_path: Path
) -> None:
    home = tmp_path / "zot-home"
    async with chats.built(server) as talk:
        asking = asyncio.create_task(offer_mode(talk.chat))
        await talk.shown("May tools run without asking?")
        assert talk.chat.host.conversation.permissions.mode == "ask"
        talk.type("<esc>")
        await asking
        assert talk.chat.host.conversation.permissions.mode == "ask"
        assert not (home / "config.json").exists()
    (home / "sessions").mkdir(exist_ok=True)  # of this run
    assert is_open(home)
    async with chats.built(server) as talk:
        asking = asyncio.create_task(offer_mode(talk.chat))
        await talk.shown("May tools run without asking?")
        talk.type("y")
        await asking
    assert not is_open(home)


async def test_a_letter_that_comes_with_the_question_is_typed_and_no_answer(
    chats: Chats, server: ScriptedServer, tmp_path: Path
) -> None:
    async with chats.built(server) as talk:
        asking = asyncio.create_task(offer_mode(talk.chat))
        await talk.settle()
        talk.type("yes")
        await talk.shown("May tools run without asking?")
        assert not asking.done()
        assert talk.editor == "yes"
        talk.type("<esc>")
        await asking
    assert not (tmp_path / "zot-home" / "config.json").exists()


def is_open(home: Path, **options: PermissionMode) -> bool:
    return mode_is_open(HostOptions(permission_mode=options.get("mode")), load_settings(str(home)))


def test_it_is_asked_in_a_home_without_sessions_and_settings_only(tmp_path: Path) -> None:
    home = tmp_path / "zot-home"
    assert is_open(home)
    (home / "trust").mkdir(parents=True)
    (home / "auth.json").write_text("{}")
    assert is_open(home)
    (home / "sessions").mkdir()
    assert not is_open(home)
    (home / "sessions").rmdir()
    (home / "config.json").write_text("{}")
    assert not is_open(home)


def test_it_is_not_asked_where_a_flag_or_a_variable_says_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_open(tmp_path / "zot-home", mode="yolo")
    monkeypatch.setenv("ZOT_PERMISSION_MODE", "ask")
    assert not is_open(tmp_path / "zot-home")
