"""vi's keys, and keys of one's own, on the chat screen."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from screen import Chats, Paused

from zot_agent.ui.bindings import keymap, unsupported_keys
from zot_agent.ui.chat_keys import CHAT
from zot_agent.ui.commands.help import help_items
from zot_provider.testing import ScriptedServer
from zot_tui.keys.chords import Keyboard
from zot_tui.testing import MemoryScreen
from zot_tui.widgets.input.editor import EDITOR


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """A function that writes the settings."""
    home = tmp_path / "own-home"
    home.mkdir()
    monkeypatch.setenv("ZOT_HOME", str(home))

    def write(**settings: Any) -> None:
        (home / "config.json").write_text(json.dumps(settings))

    return write


async def test_a_setting_makes_it_vi_and_a_command_changes_that(
    chats: Chats, config: Callable[..., None], server: ScriptedServer
) -> None:
    config(editor_mode="vi")
    async with chats.built(server) as talk:
        assert talk.cursor_shape == "bar"
        talk.type("one two<esc>")
        await talk.shown("normal ·")
        assert talk.cursor_shape == "block"
        talk.type("db")
        assert talk.editor == "one o"
        talk.type("cc/vi<enter>")
        await talk.shown("vi keys are off")
        assert talk.cursor_shape == ""
        talk.type("dd<esc>")
        assert talk.editor == ""


async def test_suggestions_are_offered_where_words_are_typed(chats: Chats) -> None:
    async with chats.open() as talk:
        await talk.send("/vi")
        talk.type("/the")
        await talk.shown("change the colours")
        await talk.press("<alt+h>l")
        assert "change the colours" not in talk.screen()
        talk.type("A")
        await talk.shown("change the colours")
        await talk.press("<esc>")
        assert "change the colours" not in talk.screen()
        talk.type("m<esc>0x")
        assert talk.editor == "them"


async def test_esc_in_normal_mode_is_the_screens(chats: Chats) -> None:
    async with chats.open() as talk:
        await talk.send("/vi")
        talk.type("a draft<esc>2d<esc>")
        assert talk.editor == "a draft"
        talk.type("<esc>")
        assert talk.editor == ""
        talk.type("u")
        assert talk.editor == "a draft"


async def test_what_is_selected_does_not_become_history(chats: Chats) -> None:
    async with chats.open(["yes"]) as talk:
        await talk.send("/vi")
        await talk.send("before")
        for keys in ("<esc>vh<up>", "gk", "k", "<down>", "gj", "j"):
            talk.type(("a draft" if keys.startswith("<esc>") else "") + keys)
            assert talk.editor == "a draft"
            await talk.shown("visual ·")
        talk.type("<esc><up>")
        assert talk.editor == "before"


async def test_enter_does_not_send_while_a_command_is_half_typed(chats: Chats) -> None:
    async with chats.open() as talk:
        await talk.send("/vi")
        talk.type("one two<esc>d<enter>0wr<enter>")
        assert talk.editor == "one \nwo"
        assert not talk.said


async def test_what_one_pastes_in_normal_mode_follows_what_was_typed(chats: Chats) -> None:
    async with chats.open() as talk:
        await talk.send("/vi")
        talk.type("look at this:<esc>d")
        talk.paste(" one")
        talk.type("w")
        assert talk.editor == "look at this: one"
        await talk.shown("normal ·")


async def test_ctrl_and_a_bracket_is_esc_also_where_a_terminal_tells_them_apart(chats: Chats) -> None:
    async with chats.open(Paused(["wait¶ing"])) as talk:
        await talk.send("/vi")
        talk.type("work<enter>")
        await talk.shown("wait")
        talk.type("a draft<ctrl+[>")
        await talk.shown("normal ·")
        talk.type("<ctrl+[>")
        await talk.quiet()
        assert "thinking" not in talk.screen()
        assert talk.editor == "a draft"


async def test_ctrl_p_is_vis_in_normal_mode_and_the_next_favourite_in_insert_mode(chats: Chats) -> None:
    async with chats.open() as talk:
        await talk.send("/vi")
        talk.type("one<ctrl+j>two<esc><ctrl+p>x")
        assert talk.editor == "on\ntwo"
        assert "favourite" not in talk.screen()
        talk.type("i<ctrl+p>")
        await talk.shown("no favourite models yet")


async def test_keys_of_ones_own_are_not_vis(chats: Chats, config: Callable[..., None], server: ScriptedServer) -> None:
    config(editor_mode="vi", keymap={"ctrl+p": "/yolo", "alt+q": "kill_line_start"})
    async with chats.built(server) as talk:
        talk.type("a draft<esc><ctrl+p>")
        await talk.shown("ask: asks before it writes")
        assert talk.editor == "a draft"
        talk.type("a!<alt+q>b")
        assert talk.editor == "b"


async def test_after_enter_one_types_again(chats: Chats) -> None:
    async with chats.open(["yes", "no"]) as talk:
        await talk.send("/vi")
        await talk.send("one<esc>")  # `send` types `<` as it is
        assert "one<esc>" in str(talk.said)
        talk.type("two<esc>x<enter>")
        await talk.quiet()
        assert talk.said[-2] == ("user", "tw")
        talk.type("x")
        assert talk.editor == "x"


async def test_a_key_of_ones_own_is_a_command_and_leaves_what_is_typed(
    chats: Chats, config: Callable[..., None], server: ScriptedServer
) -> None:
    config(keymap={"ctrl+p": "/yolo", "ctrl+k": None, "alt+q": "kill_line_end", "f9": "/nonsense"})
    async with chats.built(server) as talk:
        talk.type("a draft<ctrl+p>")
        await talk.shown("ask: asks before it writes")
        assert talk.editor == "a draft"
        talk.type("<home><ctrl+k>")
        assert talk.editor == "a draft"
        talk.type("<f9>")
        await talk.shown("/nonsense")
        talk.type("<alt+q>")
        assert talk.editor == ""


async def test_help_shows_the_keys_as_they_are(
    chats: Chats, config: Callable[..., None], server: ScriptedServer
) -> None:
    config(keymap={"f2": "/sessions", "alt+j": "scroll_down", "ctrl+s": None, "ctrl+k": "/copy", "f3": "/copy"})
    async with chats.built(server, rows=140) as talk:
        talk.type("<f1>")
        await talk.shown("type to search")
        rows = [" ".join(row.split()) for row in talk.screen().splitlines()]
        for row in ("F2 /sessions", "Ctrl+K, F3 /copy", "no key send to the model while it works"):
            assert row in rows
        assert "no key cut to the end of the line" in rows
        assert any(row.startswith("Alt+J, ") for row in rows)


def test_an_action_that_is_none_is_told_with_those_like_it() -> None:
    _, problems = keymap({"f2": "scroll_dwon", "f3": "/model", "f4": "zzzzzz", "esc": "/exit"})
    assert problems == [
        "keymap: f2: there is no action 'scroll_dwon' (did you mean scroll_down?); a command begins with a slash",
        "keymap: f4: there is no action 'zzzzzz'; a command begins with a slash",
        "keymap: esc is reserved and keeps its meaning: choose another key for '/exit'",
    ]


def test_a_key_that_types_keeps_typing_and_those_of_dialogs_stay() -> None:
    keys, problems = keymap({"a": "help", "space": "", "rune": "/model", "Shift+É": "help", "f4": "dialog_up"})
    assert problems == [
        "keymap: a: this character could no longer be typed; use alt+a, or another key that types nothing",
        "keymap: space: this character could no longer be typed; use a function key, or another key that types nothing",
        "keymap: rune: this character could no longer be typed; use a function key, or another key that types nothing",
        "keymap: Shift+É: this character could no longer be typed; use a function key,"
        " or another key that types nothing",
        "keymap: f4: 'dialog_up' is an action of dialogs, whose keys cannot be changed",
    ]
    assert [str(key) for key in keys.keys("help", (CHAT, EDITOR))] == ["f1"]


def test_help_leaves_out_keys_of_ones_own_that_the_terminal_does_not_tell() -> None:
    own = {"ctrl+m": "help", "ctrl+enter": "steer", "ctrl+i": "/model", "f9": "/model", "ctrl+shift+x": "/copy"}
    keys, problems = keymap(own)
    assert problems == []

    def shown(keyboard: Keyboard | None) -> dict[str, str]:
        screen = MemoryScreen()
        screen.keyboard = keyboard
        return {item.description: item.label for item in help_items((), keys, screen)}

    legacy, help = shown("legacy"), "show commands and keys, and search them"
    assert shown(None) == legacy
    assert (legacy[help], legacy["send to the model while it works"]) == ("F1", "Ctrl+S")
    assert (legacy["/model"], legacy["/copy"]) == ("F9", "no key")
    kitty = shown("kitty")
    assert (kitty[help], kitty["/model"]) == ("Ctrl+M, F1", "Ctrl+I, F9")


async def test_what_a_terminal_does_not_tell_is_known_when_it_answers_or_when_waiting_ends() -> None:
    screen = MemoryScreen()
    asking = asyncio.ensure_future(unsupported_keys(["ctrl+enter"], screen, limit=60))
    await asyncio.sleep(0)
    assert not asking.done()
    screen.keyboard = "kitty"
    assert await asking == []
    silent = await unsupported_keys(["ctrl+enter"], MemoryScreen(), limit=0.01)
    assert silent == ["keymap: ctrl+enter cannot be used: this terminal sends enter for it; choose another key"]
