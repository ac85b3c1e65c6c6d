"""Widgets for terminal chat screens, on urwid; below them text, keys, bindings, themes, the edit buffer, without it.

Importing this package imports nothing else; the module of a name is imported when the name is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zot_tui.app import App as App
    from zot_tui.color import Color as Color
    from zot_tui.color import parse_color as parse_color
    from zot_tui.diff import diff_rows as diff_rows
    from zot_tui.diff import fold as fold
    from zot_tui.editor.buffer import Buffer as Buffer
    from zot_tui.editor.completion import CommandCompletion as CommandCompletion
    from zot_tui.editor.completion import Completer as Completer
    from zot_tui.editor.history import History as History
    from zot_tui.editor.history import history_path as history_path
    from zot_tui.editor.paste import Pastes as Pastes
    from zot_tui.image.store import ImageStore as ImageStore
    from zot_tui.keys.key import Key as Key
    from zot_tui.keys.key import from_urwid as from_urwid
    from zot_tui.keys.key import panel_key as panel_key
    from zot_tui.keys.key import parse_key as parse_key
    from zot_tui.keys.keymap import Binding as Binding
    from zot_tui.keys.keymap import Keymap as Keymap
    from zot_tui.markdown import Document as Document
    from zot_tui.markdown import MarkdownBlock as MarkdownBlock
    from zot_tui.signal import Signal as Signal
    from zot_tui.terminal.canvas import Rows as Rows
    from zot_tui.text.ansi import Sgr as Sgr
    from zot_tui.text.ansi import parse_ansi as parse_ansi
    from zot_tui.text.ansi import strip_ansi as strip_ansi
    from zot_tui.text.fuzzy import Match as Match
    from zot_tui.text.fuzzy import match as match
    from zot_tui.text.fuzzy import rank as rank
    from zot_tui.text.sanitize import Sanitizer as Sanitizer
    from zot_tui.text.sanitize import sanitize as sanitize
    from zot_tui.text.width import clip as clip
    from zot_tui.text.width import expand_tabs as expand_tabs
    from zot_tui.text.width import graphemes as graphemes
    from zot_tui.text.width import pad as pad
    from zot_tui.text.width import width as width
    from zot_tui.text.wrap import wrap as wrap
    from zot_tui.theme import Theme as Theme
    from zot_tui.theme import ThemeError as ThemeError
    from zot_tui.theme import builtin as builtin
    from zot_tui.theme import builtin_names as builtin_names
    from zot_tui.theme import load_theme as load_theme
    from zot_tui.theme import palette as palette
    from zot_tui.theme import parse_theme as parse_theme
    from zot_tui.theme.detect import background as background
    from zot_tui.theme.detect import color_depth as color_depth
    from zot_tui.version import __version__ as __version__
    from zot_tui.widgets.dialogs.dialog import Dialog as Dialog
    from zot_tui.widgets.dialogs.panel import PanelWidget as PanelWidget
    from zot_tui.widgets.dialogs.picker import Picker as Picker
    from zot_tui.widgets.dialogs.picker import PickerItem as PickerItem
    from zot_tui.widgets.dialogs.picker import RowAction as RowAction
    from zot_tui.widgets.dialogs.questions import Confirm as Confirm
    from zot_tui.widgets.dialogs.questions import ConfirmChoice as ConfirmChoice
    from zot_tui.widgets.dialogs.questions import Pages as Pages
    from zot_tui.widgets.dialogs.questions import TextInput as TextInput
    from zot_tui.widgets.dialogs.stack import Stack as Stack
    from zot_tui.widgets.input.editor import EditorWidget as EditorWidget
    from zot_tui.widgets.input.suggest import Suggest as Suggest
    from zot_tui.widgets.spinner import Spinner as Spinner
    from zot_tui.widgets.status import Segment as Segment
    from zot_tui.widgets.status import Status as Status
    from zot_tui.widgets.status import StatusLine as StatusLine
    from zot_tui.widgets.target import KeyTarget as KeyTarget
    from zot_tui.widgets.transcript.cell import Cell as Cell
    from zot_tui.widgets.transcript.cell import CellStyle as CellStyle
    from zot_tui.widgets.transcript.cells import AnswerCell as AnswerCell
    from zot_tui.widgets.transcript.cells import NoteCell as NoteCell
    from zot_tui.widgets.transcript.cells import ThoughtCell as ThoughtCell
    from zot_tui.widgets.transcript.cells import UserCell as UserCell
    from zot_tui.widgets.transcript.cells import WorkedCell as WorkedCell
    from zot_tui.widgets.transcript.tool_cell import ToolCell as ToolCell
    from zot_tui.widgets.transcript.transcript import Transcript as Transcript

_MODULES = {
    "zot_tui.app": "App",
    "zot_tui.color": "Color parse_color",
    "zot_tui.diff": "diff_rows fold",
    "zot_tui.editor.buffer": "Buffer",
    "zot_tui.editor.completion": "CommandCompletion Completer",
    "zot_tui.editor.history": "History history_path",
    "zot_tui.editor.paste": "Pastes",
    "zot_tui.image.store": "ImageStore",
    "zot_tui.keys.key": "Key from_urwid panel_key parse_key",
    "zot_tui.keys.keymap": "Binding Keymap",
    "zot_tui.markdown": "Document MarkdownBlock",
    "zot_tui.signal": "Signal",
    "zot_tui.terminal.canvas": "Rows",
    "zot_tui.text.ansi": "Sgr parse_ansi strip_ansi",
    "zot_tui.text.fuzzy": "Match match rank",
    "zot_tui.text.sanitize": "Sanitizer sanitize",
    "zot_tui.text.width": "clip expand_tabs graphemes pad width",
    "zot_tui.text.wrap": "wrap",
    "zot_tui.theme": "Theme ThemeError builtin builtin_names load_theme palette parse_theme",
    "zot_tui.theme.detect": "background color_depth",
    "zot_tui.version": "__version__",
    "zot_tui.widgets.dialogs.dialog": "Dialog",
    "zot_tui.widgets.dialogs.panel": "PanelWidget",
    "zot_tui.widgets.dialogs.picker": "Picker PickerItem RowAction",
    "zot_tui.widgets.dialogs.questions": "Confirm ConfirmChoice Pages TextInput",
    "zot_tui.widgets.dialogs.stack": "Stack",
    "zot_tui.widgets.input.editor": "EditorWidget",
    "zot_tui.widgets.input.suggest": "Suggest",
    "zot_tui.widgets.spinner": "Spinner",
    "zot_tui.widgets.status": "Segment Status StatusLine",
    "zot_tui.widgets.target": "KeyTarget",
    "zot_tui.widgets.transcript.cell": "Cell CellStyle",
    "zot_tui.widgets.transcript.cells": "AnswerCell NoteCell ThoughtCell UserCell WorkedCell",
    "zot_tui.widgets.transcript.tool_cell": "ToolCell",
    "zot_tui.widgets.transcript.transcript": "Transcript",
}
"""The public names of each module, separated by spaces."""

_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
