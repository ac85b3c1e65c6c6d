"""The words of keymaps as data, and the commands of the engine that they stand for; pure."""

from collections.abc import Container
from typing import Literal, NamedTuple, TypeAlias

from zot_tui.editor.vi.command import LINES, ViCommand
from zot_tui.editor.vi.motions import FINDS

ModeKind: TypeAlias = Literal["insert", "overwrite", "command", "select", "select_lines"]

MOTIONS = {
    "left": "h",
    "right": "l",
    "up": "k",
    "down": "j",
    "line_start": "0",
    "line_first": "^",
    "line_end": "$",
    "line_last": "g_",
    "column": "|",
    "word": "w",
    "word_end": "e",
    "word_back": "b",
    "word_end_back": "ge",
    "long_word": "W",
    "long_word_end": "E",
    "long_word_back": "B",
    "long_word_end_back": "gE",
    "text_start": "gg",
    "text_end": "G",
    "paragraph": "}",
    "paragraph_back": "{",
    "bracket": "%",
    "find": "f",
    "find_back": "F",
    "till": "t",
    "till_back": "T",
    "again": ";",
    "again_back": ",",
}
"""Motions, and what the engine calls them. `find` and `till` wait for a character."""

OBJECTS = {
    f"{part}_{name}": letter + key
    for part, letter in (("inner", "i"), ("a", "a"))
    for name, key in (
        ("word", "w"),
        ("long_word", "W"),
        ("quotes", '"'),
        ("single_quotes", "'"),
        ("backquotes", "`"),
        ("parentheses", "("),
        ("brackets", "["),
        ("braces", "{"),
        ("paragraph", "p"),
    )
} | {"line": LINES}
"""Parts of the text: what an operator works on, or what a selecting mode selects."""

OPERATORS = {
    "cut": "d",
    "change": "c",
    "copy": "y",
    "indent": ">",
    "outdent": "<",
    "swap_case": "g~",
    "lower_case": "gu",
    "upper_case": "gU",
}
"""What works on a motion, a part of the text or the selection. Without either it waits for a motion."""

COMMANDS = {
    "insert": "i",
    "append": "a",
    "insert_first": "I",
    "append_end": "A",
    "open_below": "o",
    "open_above": "O",
    "overwrite": "R",
    "put": "p",
    "put_before": "P",
    "join": "J",
    "join_plain": "gJ",
    "replace": "r",
    "toggle_case": "~",
    "repeat": ".",
    "select": "v",
    "select_lines": "V",
    "row_up": "gk",
    "row_down": "gj",
}
"""What works at the cursor."""

SELECTED = {
    "put": "p",
    "put_before": "p",
    "join": "J",
    "join_plain": "gJ",
    "replace": "r",
    "insert_first": "I",
    "append_end": "A",
    "other_end": "o",
    "select": "v",
    "select_lines": "V",
    "row_up": "gk",
    "row_down": "gj",
    "cut lines": "d ",
    "change lines": "c ",
    "copy lines": "y ",
}
"""The same for a selection; `lines` are the whole lines in which it is."""

SELECTING = ("select", "select_lines")


class Step(NamedTuple):
    """One step of a key: a command of the engine; an operator that waits for a motion; `mode`, `type` or `action` with
    the name of the mode, the text, or the name of the action."""

    kind: Literal["command", "operator", "mode", "type", "action"]
    command: ViCommand = ViCommand("")
    text: str = ""


def read_step(text: str, kind: ModeKind, actions: Container[str]) -> Step:
    """Return the step that `text` names in a mode of a kind. Raises ValueError with one line."""
    verb, _, rest = text.strip().partition(" ")
    selecting = kind in SELECTING
    if verb in ("mode", "type"):
        if not rest:
            raise ValueError(f"{text!r} must name {'a mode' if verb == 'mode' else 'the text'}")
        return Step("mode" if verb == "mode" else "type", text=rest.strip() if verb == "mode" else rest[:1000])
    if verb == "move":
        motion = MOTIONS.get(rest) or (OBJECTS.get(rest) if selecting and rest != "line" else None)
        if motion is None:
            raise ValueError(f"{rest!r} is not a motion")
        return Step("command", _moving(motion))
    if verb in OPERATORS and rest and selecting and text.strip() not in SELECTED:
        raise ValueError(f"{text!r}: here {verb} works on the selection, so nothing follows it")
    if verb in OPERATORS and not selecting:
        if not rest:
            return Step("operator", ViCommand(OPERATORS[verb]))
        return Step("command", ViCommand(OPERATORS[verb], read_target(rest)))
    command = (SELECTED | OPERATORS if selecting else COMMANDS).get(text.strip())
    if command is not None:
        return Step("command", ViCommand(command))
    if text.strip() in actions:
        return Step("action", text=text.strip())
    raise ValueError(f"nothing is done by {text!r}")


def waits(command: ViCommand) -> bool:
    """Whether a command needs a character that is typed behind it."""
    return (command.verb == "r" or command.motion in FINDS) and not command.char


def read_target(name: str) -> str:
    """Return what the engine calls a motion or a part of the text. Raises ValueError with one line."""
    found = MOTIONS.get(name) or OBJECTS.get(name)
    if found is None:
        raise ValueError(f"{name!r} is neither a motion nor a part of the text")
    return found


def _moving(motion: str) -> ViCommand:
    return ViCommand(motion) if motion in (";", ",") else ViCommand("", motion)
