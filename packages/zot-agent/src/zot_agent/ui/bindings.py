"""The keys of the chat screen: each action with its function, its help text and its keys."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from zot_agent.ui.chat_keys import CHAT
from zot_agent.ui.commands import KEYS
from zot_agent.ui.controller import Controller
from zot_agent.ui.settings.sides import SIDES, switch_sides
from zot_core.permission_mode import MODE_HELP, MODES
from zot_tui.keys.key import RUNE, Key, parse_key
from zot_tui.keys.keymap import RESERVED, Keymap
from zot_tui.terminal.screen import AppScreen
from zot_tui.widgets.actions import Action, bindings
from zot_tui.widgets.dialogs.dialog import DIALOG_ACTIONS, LIST_ACTIONS
from zot_tui.widgets.input.editor import EDITOR, EDITOR_ACTIONS
from zot_tui.widgets.transcript.transcript import TRANSCRIPT_ACTIONS


def _next_model(chat: Controller, step: int) -> None:
    from zot_agent.ui.commands.model import next_favourite  # noqa: PLC0415  not for the first screen

    chat.dispatch.begin(next_favourite(chat, step))


def _next_mode(chat: Controller) -> None:
    permissions = chat.host.conversation.permissions
    permissions.mode = MODES[(MODES.index(permissions.mode) + 1) % len(MODES)]
    chat.note(f"{permissions.mode}: {MODE_HELP[permissions.mode]}")


def _toggle_mouse(chat: Controller) -> None:
    chat.app.mouse = not chat.app.mouse
    chat.note("mouse scrolling is on; hold Shift to select text" if chat.app.mouse else "mouse scrolling is off")


def _next_reasoning(chat: Controller) -> None:
    from zot_agent.ui.commands.model import next_reasoning  # noqa: PLC0415  as above

    next_reasoning(chat)


def _search_history(chat: Controller) -> None:
    from zot_agent.ui.input.history_search import search_history  # noqa: PLC0415  not for the first screen

    chat.dispatch.begin(search_history(chat))


def _help_or_type(chat: Controller) -> None:
    if not chat.view.editor.mode.types:  # characters are commands there
        return
    if chat.prompt_input.text:
        chat.insert("?")
    else:
        chat.run("/help", keep=True)


def _of_command(name: str, help: str, keys: list[str]) -> Action[Controller]:
    return Action(name, lambda chat: chat.run(f"/{name}", keep=True), help, tuple(keys))


IN_DIALOGS = frozenset({SIDES})
"""Actions of the chat that are also done while a dialog is open that has no use for the key."""

ACTIONS: tuple[Action[Controller], ...] = (
    Action("submit", Controller.submit, "send; while zot works, queue it", ("enter",)),
    Action("steer", Controller.steer, "send to the model while it works", ("ctrl+s",)),
    Action(
        "cancel",
        lambda chat: chat.stop_keys.cancel(),
        "close; stop zot; clear; twice: change a prompt",
        ("esc", "ctrl+["),
    ),
    Action(
        "interrupt", lambda chat: chat.stop_keys.interrupt(), "stop zot or clear the editor; twice: quit", ("ctrl+c",)
    ),
    Action("leave", lambda chat: chat.stop_keys.leave_if_empty(), "quit, if the editor is empty", ("ctrl+d",)),
    Action("recall", Controller.recall, "take back the queued prompt", ("alt+up",)),
    Action("up", lambda chat: chat.prompt_input.up(), "up a row, then back in history", ("up",)),
    Action("down", lambda chat: chat.prompt_input.down(), "down a row, then forward in history", ("down",)),
    Action("scroll_page_up", lambda chat: _page(chat, -1), "scroll up a page", ("pageup",)),
    Action("scroll_page_down", lambda chat: _page(chat, 1), "scroll down a page", ("pagedown",)),
    Action("complete", lambda chat: chat.prompt_input.complete(), "complete a command or a path", ("tab",)),
    Action("search_history", _search_history, "search the prompts of this directory", ("ctrl+r",)),
    Action("edit", Controller.edit, "edit the prompt in your own editor", ("ctrl+g",)),
    Action("paste_image", Controller.paste_image, "paste an image or text from the clipboard", ("ctrl+v",)),
    Action("reasoning", _next_reasoning, "switch to the next reasoning level", ("ctrl+t",)),
    Action("permission_mode", lambda chat: _next_mode(chat), "switch how tool calls are allowed", ("shift+tab",)),
    Action("next_model", lambda chat: _next_model(chat, 1), "switch to the next favourite model", ("ctrl+p",)),
    Action("previous_model", lambda chat: _next_model(chat, -1), "back to the favourite before", ("ctrl+shift+p",)),
    Action("mouse", _toggle_mouse, "turn mouse scrolling on or off", ("alt+m",)),
    Action(SIDES, switch_sides, "changes side by side, or in one column", ("alt+v",)),
    Action("redraw", Controller.redraw, "redraw the screen", ("ctrl+l",)),
    *(_of_command(name, help, keys) for name, (help, keys) in KEYS.items() if keys),
    Action("help_if_empty", lambda chat: _help_or_type(chat), "show them, if the editor is empty", ("?",)),
)


def _page(chat: Controller, pages: int) -> None:
    if not chat.prompt_input.page(pages):
        chat.transcript.page(pages)


_OWN = {action.name for action in ACTIONS}
CHAT_ACTIONS: tuple[Action[Any], ...] = (*ACTIONS, *(each for each in TRANSCRIPT_ACTIONS if each.name not in _OWN))
"""The actions of keys that are not about the text in the editor."""

BINDINGS = (*bindings(CHAT, CHAT_ACTIONS), *bindings(EDITOR, EDITOR_ACTIONS))

KEYBOARD_REPLY = 5.0
"""Seconds a terminal has to report its keyboard protocol; after that it is taken to send plain bytes."""


_KNOWN = {action.name for action in (*CHAT_ACTIONS, *EDITOR_ACTIONS)}
_OF_DIALOGS = {action.name for action in (*DIALOG_ACTIONS, *LIST_ACTIONS)}


def keymap(own: Mapping[str, str]) -> tuple[Keymap, list[str]]:
    """Return the keys of the chat screen with the user's `own` on top, and one line for each of `own` that is unusable.

    `own` maps a key to a slash command, an action, or an empty string to unbind it.
    """
    faults = {key: fault for key, action in own.items() if (fault := _fault(key, action))}
    usable = {key: action for key, action in own.items() if key not in faults}
    keys, more = Keymap(BINDINGS).override(usable, (CHAT, EDITOR))
    problems = [*(f"{key}: {fault}" for key, fault in faults.items()), *more]
    return keys, [f"keymap: {each}" for each in problems]


def _fault(chord: str, action: str) -> str:
    """Say why `chord` cannot be bound to `action`; empty if it can, or if `Keymap.override` reports the fault."""
    if action and not action.startswith("/") and action not in _KNOWN:
        if action in _OF_DIALOGS:
            return f"{action!r} is an action of dialogs, whose keys cannot be changed"
        return f"there is no action {action!r}{_suggestion(action)}; a command begins with a slash"
    try:
        key = parse_key(chord)
    except ValueError:
        return ""
    if key.name != RUNE:
        return ""
    letter = key.text.lower()
    other = f"alt+{letter}" if letter.isalnum() and letter.isascii() else "a function key"
    return f"this character could no longer be typed; use {other}, or another key that types nothing"


def _suggestion(action: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  only needed for a mistake

    near = get_close_matches(action, sorted(_KNOWN), 1)
    return f" (did you mean {near[0]}?)" if near else ""


def keys_of(action: str, keys: Keymap, screen: AppScreen) -> list[Key]:
    """Return the keys bound to `action` in the chat, the user's own first.

    The user's keys that the terminal cannot report are left out.
    """
    from zot_tui.keys import chords  # noqa: PLC0415  only needed for the help page

    ours = {parse_key(binding.key) for binding in BINDINGS}
    keyboard = screen.keyboard or "legacy"
    return [
        key for key in keys.keys(action, (CHAT, EDITOR)) if key in ours or chords.unsupported_key(key, keyboard) is None
    ]


async def unsupported_keys(own: Iterable[str], screen: AppScreen, limit: float = KEYBOARD_REPLY) -> list[str]:
    """Return a line for each of the user's chords that the terminal cannot report.

    Waits until the terminal has named its keyboard protocol, `limit` seconds at most.
    """
    from zot_tui.keys import chords  # noqa: PLC0415  only needed for custom keys, and not for the first screen

    end = asyncio.get_running_loop().time() + limit
    while screen.keyboard is None and asyncio.get_running_loop().time() < end:  # noqa: ASYNC110  no event announces it
        await asyncio.sleep(min(0.1, limit))
    return [f"keymap: {each}" for each in chords.notes(own, screen.keyboard or "legacy", RESERVED)]
