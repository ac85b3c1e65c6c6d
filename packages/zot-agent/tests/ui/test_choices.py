"""What is chosen on the screen is there after the next start."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from screen import Chats

from zot_provider.testing import ScriptedServer


@pytest.fixture(autouse=True)
def providers(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keys in the environment, and the scripted server behind them."""
    for name, wire in (("OPENAI", "openai-chat"), ("ANTHROPIC", "anthropic-messages")):
        monkeypatch.setenv(f"{name}_API_KEY", "k")
        monkeypatch.setenv(f"{name}_BASE_URL", server.base_url(wire))
    return iter(())


START: dict[str, Any] = {"provider": "", "model": "", "api_key": "", "base_url": ""}


def stored(chats: Chats) -> dict[str, Any]:
    path = chats.root / "zot-home" / "config.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


async def test_model_reasoning_and_theme_are_remembered(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server, **START) as talk:
        await talk.send("/model anthropic/claude-opus-4-5", "/reasoning high", "/theme light")
    assert stored(chats) == {
        "provider": "anthropic",
        "model": "claude-opus-4-5",
        "reasoning": "high",
        "theme": "light",
    }
    async with chats.built(server, **START) as talk:
        assert (talk.model, talk.reasoning) == ("claude-opus-4-5", "high")


async def test_a_key_that_changes_the_reasoning_is_remembered(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server, **START | {"model": "anthropic/claude-opus-4-5"}) as talk:
        await talk.press("<ctrl+t><ctrl+t>")
        level = talk.reasoning
    assert stored(chats) == {"reasoning": level}


async def test_a_model_of_a_server_that_a_flag_named_is_not_remembered(
    chats: Chats, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    async with chats.built(server) as talk:
        await talk.send("/model gpt-5.1")
        assert talk.model == "gpt-5.1"
    assert stored(chats) == {}


async def test_a_name_that_the_next_start_would_refuse_is_not_remembered(
    chats: Chats, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    async with chats.built(server, **START | {"model": "gpt-5.1"}) as talk:
        await talk.send("/model gpt-nope")
        assert talk.model == "gpt-nope"
    assert stored(chats) == {}
    async with chats.built(server, **START):
        pass


async def test_other_keys_of_the_file_are_kept(chats: Chats, server: ScriptedServer) -> None:
    home = chats.root / "zot-home"
    home.mkdir()
    (home / "config.json").write_text('{"codemode": {"enabled": true}, "theme": "dark"}')
    async with chats.built(server, **START) as talk:
        await talk.send("/theme light")
    assert stored(chats) == {"codemode": {"enabled": True}, "theme": "light"}


async def test_a_file_that_cannot_be_changed_is_a_note(chats: Chats, server: ScriptedServer) -> None:
    home = chats.root / "zot-home"
    home.mkdir()
    async with chats.built(server, **START, rows=40) as talk:
        (home / "config.json").write_text("[]")
        await talk.send("/theme light")
        await talk.shown("not remembered:")
        assert talk.theme == "light"
    assert (home / "config.json").read_text() == "[]"


async def test_a_key_in_the_list_of_models_marks_favourites(chats: Chats, server: ScriptedServer) -> None:
    home = chats.root / "zot-home"
    home.mkdir()
    (home / "config.json").write_text('{"favourite_models": ["opus:high", "nonsense/x"]}')
    async with chats.built(server, **START | {"model": "claude-opus-4-5"}, rows=40) as talk:
        talk.type("/model<enter>")
        await talk.shown("Ctrl+F")
        talk.type("claude-haiku-4-5")
        await talk.shown("claude-haiku-4-5 ")
        await talk.press("<ctrl+f>")
        await talk.shown("claude-haiku-4-5 ★")
        await talk.press("<esc>")
        await talk.until(lambda: not talk.dialog_open)
    assert stored(chats)["favourite_models"] == ["opus:high", "nonsense/x", "anthropic/claude-haiku-4-5"]
    async with chats.built(server, **START | {"model": "claude-haiku-4-5"}, rows=40) as talk:
        talk.type("/model<enter>")
        await talk.shown("claude-haiku-4-5 ★")
        await talk.press("<ctrl+f>")
        await talk.until_hidden("claude-haiku-4-5 ★")
    assert stored(chats)["favourite_models"] == ["opus:high", "nonsense/x"]


async def test_a_theme_of_a_project_is_not_for_other_folders(chats: Chats, server: ScriptedServer) -> None:
    folder = Path.cwd() / ".zot" / "extensions" / "loud"
    folder.mkdir(parents=True)
    (folder / "extension.json").write_text('{"name": "loud"}')
    (folder / "theme.json").write_text("{}")
    async with chats.built(server, **START, trust=True) as talk:
        await talk.send("/theme loud")
    assert stored(chats) == {}
