"""The keys of the chat screen: an action, what it does in words, and its keys, a line each."""

from zot_tui.keymap import Binding, Keymap
from zot_tui.widgets.actions import Action
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


def keymap() -> Keymap:
    """The keys of the chat screen."""
    return Keymap(BINDINGS)
