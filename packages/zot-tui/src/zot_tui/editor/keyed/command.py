"""`EditCommand` and `Step`: what the keys of editor modes do, in the words of keymaps; pure."""

from collections.abc import Container
from typing import Literal, NamedTuple, TypeAlias

from zot_tui.editor.keyed.motions import AGAIN, FINDS, MOTIONS
from zot_tui.editor.keyed.objects import OBJECTS

ModeKind: TypeAlias = Literal["insert", "overwrite", "command", "select", "select_lines"]

TYPING = frozenset[ModeKind](("insert", "overwrite"))
SELECTING = frozenset[ModeKind](("select", "select_lines"))

MOST = 999
"""The largest count; larger ones are reduced to it."""

OPERATORS = frozenset({"cut", "change", "copy", "indent", "outdent", "swap_case", "lower_case", "upper_case"})
"""A command that works on a motion, a part of the text or the selection. Without either it waits for a motion."""

INSERTS = frozenset({"insert", "insert_first", "append", "append_end", "open_below", "open_above", "overwrite"})
"""Commands that begin to type; their count repeats the typed text."""

COMMANDS = INSERTS | {
    *("put", "put_before", "join", "join_plain", "replace", "toggle_case", "repeat", "undo", "redo"),
    *("select", "select_lines", "row_up", "row_down"),
}
"""A command that works at the cursor."""

SELECTED = OPERATORS | {
    *("put", "put_before", "join", "join_plain", "replace", "insert_first", "append_end", "other_end"),
    *("select", "select_lines", "row_up", "row_down", "cut lines", "change lines", "copy lines"),
}
"""A command that works on a selection; `lines` are the whole lines in which it is."""

WHOLE = frozenset({"indent", "outdent", "join", "join_plain"})
"""Commands that change whole lines, however much of them is selected."""

LINES = "line"
"""The part of the text that an operator works on whose key is pressed twice."""


class EditCommand(NamedTuple):
    """A command. `verb` is one of `COMMANDS`, `OPERATORS` or `SELECTED`, or empty for a plain motion.

    `motion` is one of `MOTIONS`, `OBJECTS` or `LINES`; `number` is the count, 0 if none was typed; `char` is the
    character for `replace` and the motions of `FINDS`.
    """

    verb: str
    motion: str = ""
    number: int = 0
    char: str = ""


class Step(NamedTuple):
    """One step of a key: a command of the engine; an operator that waits for a motion; `mode`, `type` or `action` with
    the name of the mode, the text, or the name of the action."""

    kind: Literal["command", "operator", "mode", "type", "action"]
    command: EditCommand = EditCommand("")
    text: str = ""


def read_step(text: str, kind: ModeKind, actions: Container[str]) -> Step:
    """Return the step that `text` names in a mode of a kind. Raises ValueError with one line."""
    name = text.strip()
    verb, _, rest = name.partition(" ")
    selecting = kind in SELECTING
    if verb in ("mode", "type"):
        if not rest:
            raise ValueError(f"{text!r} must name {'a mode' if verb == 'mode' else 'the text'}")
        return Step("mode", text=rest.strip()) if verb == "mode" else Step("type", text=rest[:1000])
    if verb == "move":
        if rest not in (*MOTIONS, *AGAIN) and not (selecting and rest in OBJECTS):
            raise ValueError(f"{rest!r} is not a motion")
        return Step("command", EditCommand("", rest))
    if name in (SELECTED if selecting else COMMANDS):
        return Step("command", EditCommand(name))
    if verb in OPERATORS and selecting:
        raise ValueError(f"{text!r}: here {verb} works on the selection, so nothing follows it")
    if verb in OPERATORS:
        return Step("command", EditCommand(verb, read_target(rest))) if rest else Step("operator", EditCommand(verb))
    if name in actions:
        return Step("action", text=name)
    raise ValueError(f"nothing is done by {text!r}")


def waits(command: EditCommand) -> bool:
    """Whether a command needs a character that is typed behind it."""
    return (command.verb == "replace" or command.motion in FINDS) and not command.char


def read_target(name: str) -> str:
    """Return `name` if it is a motion or a part of the text. Raises ValueError with one line."""
    if name not in (*MOTIONS, *AGAIN, *OBJECTS, LINES):
        raise ValueError(f"{name!r} is neither a motion nor a part of the text")
    return name
