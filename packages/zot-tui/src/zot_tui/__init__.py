"""Widgets for terminal chat screens, on urwid; below them text, keys, bindings, themes, the edit buffer, without it.

The names below are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zot_tui.app import App, Handlers
    from zot_tui.color import Color, parse_color
    from zot_tui.diff import diff_rows, fold
    from zot_tui.editor.buffer import Buffer
    from zot_tui.editor.completion import CommandCompletion, Completer
    from zot_tui.editor.history import History, history_path
    from zot_tui.editor.paste import Pastes
    from zot_tui.image.store import ImageStore
    from zot_tui.keys.key import Key, from_urwid, panel_key, parse_key
    from zot_tui.keys.keymap import Binding, Keymap
    from zot_tui.markdown import Document, MarkdownBlock
    from zot_tui.terminal.canvas import Rows
    from zot_tui.text.ansi import Sgr, parse_ansi, strip_ansi
    from zot_tui.text.fuzzy import Match, match, rank
    from zot_tui.text.sanitize import Sanitizer, sanitize
    from zot_tui.text.width import clip, expand_tabs, graphemes, pad, width
    from zot_tui.text.wrap import wrap
    from zot_tui.theme import Theme, ThemeError, builtin, builtin_names, load_theme, palette, parse_theme
    from zot_tui.theme.detect import background, color_depth
    from zot_tui.version import __version__
    from zot_tui.widgets.dialogs.dialog import Dialog
    from zot_tui.widgets.dialogs.panel import PanelWidget
    from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction
    from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice, Pages, TextInput
    from zot_tui.widgets.dialogs.stack import Stack
    from zot_tui.widgets.input.editor import EditorWidget
    from zot_tui.widgets.input.suggest import Suggest
    from zot_tui.widgets.spinner import Spinner
    from zot_tui.widgets.status import Segment, Status, StatusLine
    from zot_tui.widgets.transcript.cell import Cell, CellStyle
    from zot_tui.widgets.transcript.cells import AnswerCell, NoteCell, ThoughtCell, UserCell, WorkedCell
    from zot_tui.widgets.transcript.tool_cell import ToolCell
    from zot_tui.widgets.transcript.transcript import Transcript

_HOMES = {
    "App": "zot_tui.app",
    "Handlers": "zot_tui.app",
    "Status": "zot_tui.widgets.status",
    "StatusLine": "zot_tui.widgets.status",
    "Segment": "zot_tui.widgets.status",
    "Spinner": "zot_tui.widgets.spinner",
    "EditorWidget": "zot_tui.widgets.input.editor",
    "Suggest": "zot_tui.widgets.input.suggest",
    "Picker": "zot_tui.widgets.dialogs.picker",
    "PickerItem": "zot_tui.widgets.dialogs.picker",
    "RowAction": "zot_tui.widgets.dialogs.picker",
    "Dialog": "zot_tui.widgets.dialogs.dialog",
    "Confirm": "zot_tui.widgets.dialogs.questions",
    "ConfirmChoice": "zot_tui.widgets.dialogs.questions",
    "TextInput": "zot_tui.widgets.dialogs.questions",
    "Pages": "zot_tui.widgets.dialogs.questions",
    "Stack": "zot_tui.widgets.dialogs.stack",
    "PanelWidget": "zot_tui.widgets.dialogs.panel",
    "Transcript": "zot_tui.widgets.transcript.transcript",
    "Cell": "zot_tui.widgets.transcript.cell",
    "CellStyle": "zot_tui.widgets.transcript.cell",
    "UserCell": "zot_tui.widgets.transcript.cells",
    "AnswerCell": "zot_tui.widgets.transcript.cells",
    "ThoughtCell": "zot_tui.widgets.transcript.cells",
    "NoteCell": "zot_tui.widgets.transcript.cells",
    "WorkedCell": "zot_tui.widgets.transcript.cells",
    "ToolCell": "zot_tui.widgets.transcript.tool_cell",
    "Rows": "zot_tui.terminal.canvas",
    "Binding": "zot_tui.keys.keymap",
    "MarkdownBlock": "zot_tui.markdown",
    "Buffer": "zot_tui.editor.buffer",
    "Color": "zot_tui.color",
    "CommandCompletion": "zot_tui.editor.completion",
    "Completer": "zot_tui.editor.completion",
    "Document": "zot_tui.markdown",
    "ImageStore": "zot_tui.image.store",
    "History": "zot_tui.editor.history",
    "Key": "zot_tui.keys.key",
    "Keymap": "zot_tui.keys.keymap",
    "Match": "zot_tui.text.fuzzy",
    "Pastes": "zot_tui.editor.paste",
    "Sgr": "zot_tui.text.ansi",
    "Theme": "zot_tui.theme",
    "ThemeError": "zot_tui.theme",
    "__version__": "zot_tui.version",
    "background": "zot_tui.theme.detect",
    "builtin": "zot_tui.theme",
    "builtin_names": "zot_tui.theme",
    "clip": "zot_tui.text.width",
    "color_depth": "zot_tui.theme.detect",
    "diff_rows": "zot_tui.diff",
    "expand_tabs": "zot_tui.text.width",
    "fold": "zot_tui.diff",
    "from_urwid": "zot_tui.keys.key",
    "graphemes": "zot_tui.text.width",
    "history_path": "zot_tui.editor.history",
    "load_theme": "zot_tui.theme",
    "match": "zot_tui.text.fuzzy",
    "pad": "zot_tui.text.width",
    "palette": "zot_tui.theme",
    "panel_key": "zot_tui.keys.key",
    "parse_ansi": "zot_tui.text.ansi",
    "parse_color": "zot_tui.color",
    "parse_key": "zot_tui.keys.key",
    "parse_theme": "zot_tui.theme",
    "rank": "zot_tui.text.fuzzy",
    "sanitize": "zot_tui.text.sanitize",
    "Sanitizer": "zot_tui.text.sanitize",
    "strip_ansi": "zot_tui.text.ansi",
    "width": "zot_tui.text.width",
    "wrap": "zot_tui.text.wrap",
}

__all__ = [
    "AnswerCell",
    "App",
    "Binding",
    "Buffer",
    "Cell",
    "CellStyle",
    "Color",
    "CommandCompletion",
    "Completer",
    "Confirm",
    "ConfirmChoice",
    "Dialog",
    "Document",
    "EditorWidget",
    "Handlers",
    "History",
    "ImageStore",
    "Key",
    "Keymap",
    "MarkdownBlock",
    "Match",
    "NoteCell",
    "Pages",
    "PanelWidget",
    "Pastes",
    "Picker",
    "PickerItem",
    "RowAction",
    "Rows",
    "Sanitizer",
    "Segment",
    "Sgr",
    "Spinner",
    "Stack",
    "Status",
    "StatusLine",
    "Suggest",
    "TextInput",
    "Theme",
    "ThemeError",
    "ThoughtCell",
    "ToolCell",
    "Transcript",
    "UserCell",
    "WorkedCell",
    "__version__",
    "background",
    "builtin",
    "builtin_names",
    "clip",
    "color_depth",
    "diff_rows",
    "expand_tabs",
    "fold",
    "from_urwid",
    "graphemes",
    "history_path",
    "load_theme",
    "match",
    "pad",
    "palette",
    "panel_key",
    "parse_ansi",
    "parse_color",
    "parse_key",
    "parse_theme",
    "rank",
    "sanitize",
    "strip_ansi",
    "width",
    "wrap",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
