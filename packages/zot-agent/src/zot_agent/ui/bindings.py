"""The keys of the chat screen: an action, what it does in words, and its keys, a line each."""

from collections.abc import Mapping

from zot_tui.keymap import Binding, Keymap
from zot_tui.widgets.actions import EDITOR_ACTIONS, Action
from zot_tui.widgets.transcript import TRANSCRIPT_ACTIONS

CHAT = "chat"
"""Where keys go while no dialog and no panel is open."""

ACTIONS = (
    Action("submit", "submit", "send; while zot works: send when it is done", ("enter",)),
    Action("steer", "steer", "send into the work under way", ("ctrl+s",)),
    Action("cancel", "cancel", "close, else stop zot and take back what waits, else clear", ("esc",)),
    Action("interrupt", "interrupt", "stop zot or clear; twice: leave", ("ctrl+c",)),
    Action("leave", "leave_if_empty", "leave, if nothing is typed", ("ctrl+d",)),
    Action("recall", "recall", "take back the prompt that waits", ("alt+up",)),
    Action("up", "up", "a row up, then back in history", ("up",)),
    Action("down", "down", "a row down, then on in history", ("down",)),
    Action("complete", "complete", "complete a command or a path", ("tab",)),
    Action("edit", "edit", "write in your own editor", ("ctrl+g",)),
    Action("reasoning", "next_reasoning", "think more, or less", ("shift+tab",)),
    Action("mouse", "toggle_mouse", "the wheel scrolls, or the terminal selects", ("alt+m",)),
    Action("redraw", "redraw", "draw the screen anew", ("ctrl+l",)),
    Action("help", "help", "keys and commands", ("f1",)),
)

BINDINGS = tuple(
    Binding(key, action.name, (CHAT,), action.help) for action in (*ACTIONS, *TRANSCRIPT_ACTIONS) for key in action.keys
)


_KNOWN = {action.name for action in (*ACTIONS, *TRANSCRIPT_ACTIONS, *EDITOR_ACTIONS)}


def keymap(own: Mapping[str, str]) -> tuple[Keymap, list[str]]:
    """The keys of the chat screen with a person's `own` on top, each for a slash command, an action, or nothing; and
    what of those cannot be used, a line each."""
    problems = [
        f"keymap: {key}: there is no action {action!r}; /help names them, and a command begins with a slash"
        for key, action in own.items()
        if action and not action.startswith("/") and action not in _KNOWN
    ]
    usable = {key: action for key, action in own.items() if not action or action.startswith("/") or action in _KNOWN}
    keys, more = Keymap(BINDINGS).override(usable, (CHAT,))
    return keys, [*problems, *(f"keymap: {each}" for each in more)]
