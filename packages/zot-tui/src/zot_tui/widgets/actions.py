"""What keys can do in an editor and in dialogs, and the keys that do it unless a keymap says otherwise."""

from typing import NamedTuple

from zot_tui.keys.keymap import Binding

EDITOR = "editor"
DIALOG = "dialog"


class Action(NamedTuple):
    """What a key can do: the name that bindings use, the method, and what the key page says."""

    name: str
    method: str
    help: str
    keys: tuple[str, ...]


EDITOR_ACTIONS = (
    Action("cursor_left", "left", "one character back", ("left", "ctrl+b")),
    Action("cursor_right", "right", "one character on", ("right", "ctrl+f")),
    Action("cursor_word_left", "word_left", "to the beginning of the word", ("alt+left", "ctrl+left", "alt+b")),
    Action("cursor_word_right", "word_right", "to the end of the word", ("alt+right", "ctrl+right", "alt+f")),
    Action("cursor_line_start", "line_start", "to the beginning of the line", ("home", "ctrl+a")),
    Action("cursor_line_end", "line_end", "to the end of the line", ("end", "ctrl+e")),
    Action("cursor_text_start", "text_start", "to the beginning of the text", ("ctrl+home", "alt+<")),
    Action("cursor_text_end", "text_end", "to the end of the text", ("ctrl+end", "alt+>")),
    Action("cursor_up", "up", "one row up", ("up",)),
    Action("cursor_down", "down", "one row down", ("down",)),
    Action("newline", "newline", "begin a line", ("shift+enter", "alt+enter", "ctrl+j")),
    Action("delete_back", "backspace", "delete the character before", ("backspace", "shift+backspace", "ctrl+h")),
    Action("delete", "delete", "delete the character after", ("delete",)),
    Action("kill_word_left", "kill_word_left", "cut back to a word's beginning", ("ctrl+w", "alt+backspace")),
    Action("kill_word_right", "kill_word_right", "cut on to a word's end", ("alt+d", "alt+delete")),
    Action("kill_line_start", "kill_line_start", "cut back to the line's beginning", ("ctrl+u",)),
    Action("kill_line_end", "kill_line_end", "cut on to the line's end", ("ctrl+k",)),
    Action("yank", "yank", "insert what was cut", ("ctrl+y",)),
    Action("yank_pop", "yank_pop", "insert what was cut before that", ("alt+y",)),
    Action("undo", "undo", "take back", ("ctrl+_", "ctrl+-")),
    Action("redo", "redo", "do again", ("alt+_", "ctrl+shift+z")),
)

DIALOG_ACTIONS = (
    Action("dialog_accept", "accept", "choose", ("enter",)),
    Action("dialog_cancel", "cancel", "close", ("esc", "ctrl+[", "ctrl+c")),
    Action("dialog_up", "up", "one row up", ("up", "ctrl+p")),
    Action("dialog_down", "down", "one row down", ("down", "ctrl+n")),
    Action("dialog_page_up", "page_up", "one page up", ("pageup",)),
    Action("dialog_page_down", "page_down", "one page down", ("pagedown",)),
    Action("dialog_first", "first", "to the first row", ("home",)),
    Action("dialog_last", "last", "to the last row", ("end",)),
    Action("dialog_next", "following", "to the next field", ("tab",)),
    Action("dialog_previous", "previous", "to the field before", ("shift+tab",)),
)

BINDINGS = tuple(
    Binding(key, action.name, (context,), action.help)
    for context, actions in ((EDITOR, EDITOR_ACTIONS), (DIALOG, DIALOG_ACTIONS))
    for action in actions
    for key in action.keys
)
