"""The actions of keys in editors and dialogs, with their default keys."""

from typing import NamedTuple

from zot_tui.keys.keymap import Binding

EDITOR = "editor"
DIALOG = "dialog"


class Action(NamedTuple):
    """An action: its name in bindings, the widget's method, its help text and its default keys."""

    name: str
    method: str
    help: str
    keys: tuple[str, ...]


EDITOR_ACTIONS = (
    Action("cursor_left", "left", "back a character", ("left", "ctrl+b")),
    Action("cursor_right", "right", "forward a character", ("right", "ctrl+f")),
    Action("cursor_word_left", "word_left", "to the start of the word", ("alt+left", "ctrl+left", "alt+b")),
    Action("cursor_word_right", "word_right", "to the end of the word", ("alt+right", "ctrl+right", "alt+f")),
    Action("cursor_line_start", "line_start", "to the start of the line", ("home", "ctrl+a")),
    Action("cursor_line_end", "line_end", "to the end of the line", ("end", "ctrl+e")),
    Action("cursor_text_start", "text_start", "to the start of the text", ("ctrl+home", "alt+<")),
    Action("cursor_text_end", "text_end", "to the end of the text", ("ctrl+end", "alt+>")),
    Action("cursor_up", "up", "up a row", ("up",)),
    Action("cursor_down", "down", "down a row", ("down",)),
    Action("newline", "newline", "insert a line break", ("shift+enter", "alt+enter", "ctrl+j")),
    Action("delete_back", "backspace", "delete the previous character", ("backspace", "shift+backspace", "ctrl+h")),
    Action("delete", "delete", "delete the next character", ("delete",)),
    Action("kill_word_left", "kill_word_left", "cut to the start of the word", ("ctrl+w", "alt+backspace")),
    Action("kill_word_right", "kill_word_right", "cut to the end of the word", ("alt+d", "alt+delete")),
    Action("kill_line_start", "kill_line_start", "cut to the start of the line", ("ctrl+u",)),
    Action("kill_line_end", "kill_line_end", "cut to the end of the line", ("ctrl+k",)),
    Action("yank", "yank", "insert the last cut", ("ctrl+y",)),
    Action("yank_pop", "yank_pop", "replace it with the cut before", ("alt+y",)),
    Action("undo", "undo", "undo", ("ctrl+_", "ctrl+-")),
    Action("redo", "redo", "redo", ("alt+_", "ctrl+shift+z")),
)

DIALOG_ACTIONS = (
    Action("dialog_accept", "accept", "choose", ("enter",)),
    Action("dialog_cancel", "cancel", "close", ("esc", "ctrl+[", "ctrl+c")),
    Action("dialog_up", "up", "up a row", ("up", "ctrl+p")),
    Action("dialog_down", "down", "down a row", ("down", "ctrl+n")),
    Action("dialog_page_up", "page_up", "up a page", ("pageup",)),
    Action("dialog_page_down", "page_down", "down a page", ("pagedown",)),
    Action("dialog_first", "first", "to the first row", ("home",)),
    Action("dialog_last", "last", "to the last row", ("end",)),
)

BINDINGS = tuple(
    Binding(key, action.name, (context,), action.help)
    for context, actions in ((EDITOR, EDITOR_ACTIONS), (DIALOG, DIALOG_ACTIONS))
    for action in actions
    for key in action.keys
)
