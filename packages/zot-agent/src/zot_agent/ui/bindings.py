"""The keys of the chat screen: an action, what it does in words, and its keys, a line each."""

import asyncio
from collections.abc import Iterable, Mapping

from zot_tui.keys.key import RUNE, Key, parse_key
from zot_tui.keys.keymap import RESERVED, Binding, Keymap
from zot_tui.terminal.screen import AppScreen
from zot_tui.widgets.actions import BINDINGS as WIDGET_BINDINGS
from zot_tui.widgets.actions import DIALOG_ACTIONS, EDITOR, EDITOR_ACTIONS, Action
from zot_tui.widgets.transcript.transcript import TRANSCRIPT_ACTIONS

CHAT = "chat"
"""Where keys go while no dialog and no panel is open."""

ACTIONS = (
    Action("submit", "submit", "send; while zot works: send when it is done", ("enter",)),
    Action("steer", "steer", "send into the work under way", ("ctrl+s",)),
    Action("cancel", "cancel", "close, else stop zot and take back what waits, else clear", ("esc", "ctrl+[")),
    Action("interrupt", "interrupt", "stop zot or clear; twice: leave", ("ctrl+c",)),
    Action("leave", "leave_if_empty", "leave, if nothing is typed", ("ctrl+d",)),
    Action("recall", "recall", "take back the prompt that waits", ("alt+up",)),
    Action("up", "up", "a row up, then back in history", ("up",)),
    Action("down", "down", "a row down, then on in history", ("down",)),
    Action("complete", "complete", "complete a command or a path", ("tab",)),
    Action("edit", "edit", "write in your own editor", ("ctrl+g",)),
    Action("paste_image", "paste_image", "paste an image, or text, from the clipboard", ("ctrl+v",)),
    Action("reasoning", "next_reasoning", "think more, or less", ("shift+tab",)),
    Action("mouse", "toggle_mouse", "the wheel scrolls, or the terminal selects", ("alt+m",)),
    Action("redraw", "redraw", "draw the screen anew", ("ctrl+l",)),
    Action("help", "help", "keys and commands", ("f1",)),
)

BINDINGS = (
    *(
        Binding(key, action.name, (CHAT,), action.help)
        for action in (*ACTIONS, *TRANSCRIPT_ACTIONS)
        for key in action.keys
    ),
    *(binding for binding in WIDGET_BINDINGS if binding.contexts == (EDITOR,)),
)

ANSWER = 5.0
"""Seconds in which a terminal says how it tells of keys; one that has not by then tells them by bytes."""


_KNOWN = {action.name for action in (*ACTIONS, *TRANSCRIPT_ACTIONS, *EDITOR_ACTIONS)}
_OF_DIALOGS = {action.name for action in DIALOG_ACTIONS}


def keymap(own: Mapping[str, str]) -> tuple[Keymap, list[str]]:
    """The keys of the chat screen with a person's `own` on top, each for a slash command, an action, or nothing; and
    what of those cannot be used, a line each."""
    faults = {key: fault for key, action in own.items() if (fault := _fault(key, action))}
    usable = {key: action for key, action in own.items() if key not in faults}
    keys, more = Keymap(BINDINGS).override(usable, (CHAT, EDITOR))
    problems = [*(f"{key}: {fault}" for key, fault in faults.items()), *more]
    return keys, [f"keymap: {each}" for each in problems]


def _fault(chord: str, action: str) -> str:
    """Why a key cannot have an action here; empty if it can, or is none that `Keymap.override` takes."""
    if action and not action.startswith("/") and action not in _KNOWN:
        if action in _OF_DIALOGS:
            return f"{action!r} is an action of dialogs, whose keys cannot be changed"
        return f"there is no action {action!r}{_like(action)}; a command begins with a slash"
    try:
        key = parse_key(chord)
    except ValueError:
        return ""
    if key.name != RUNE:
        return ""
    letter = key.text.lower()
    other = f"alt+{letter}" if letter.isalnum() and letter.isascii() else "a function key"
    return f"it could no longer be typed; write {other}, or another key that types nothing"


def _like(action: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  for a mistake alone

    near = get_close_matches(action, sorted(_KNOWN), 1)
    return f" (is it {near[0]}?)" if near else ""


def keys_of(action: str, keys: Keymap, screen: AppScreen) -> list[Key]:
    """The keys that do `action` in the chat, a person's own first, without those of their own that the terminal does
    not tell (`unsupported_key`)."""
    from zot_tui.keys import chords as support  # noqa: PLC0415  for the help page

    ours = {parse_key(binding.key) for binding in BINDINGS}
    keyboard = screen.keyboard or "legacy"
    return [
        key
        for key in keys.keys(action, (CHAT, EDITOR))
        if key in ours or support.unsupported_key(key, keyboard) is None
    ]


async def unsupported_key(chords: Iterable[str], screen: AppScreen, limit: float = ANSWER) -> list[str]:
    """A line for each of a person's chords that the terminal cannot tell, once it has said what it can, or `limit`
    seconds are over."""
    from zot_tui.keys import chords as support  # noqa: PLC0415  only for keys of one's own, and not for the first screen

    end = asyncio.get_running_loop().time() + limit
    while screen.keyboard is None and asyncio.get_running_loop().time() < end:  # noqa: ASYNC110  nobody tells of it
        await asyncio.sleep(min(0.1, limit))
    return [f"keymap: {each}" for each in support.notes(chords, screen.keyboard or "legacy", RESERVED)]
