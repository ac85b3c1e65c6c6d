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
    ("key", "mode"), [("y", "yolo"), ("n", "ask"), ("e", "accept-edits"), ("<enter>", "yolo"), ("<esc>", "yolo")]
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
        assert (mode in talk.status) is (mode != "yolo")
    written = json.loads((tmp_path / "zot-home" / "config.json").read_text())
    assert written == {"permissions": {"mode": mode}}


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
