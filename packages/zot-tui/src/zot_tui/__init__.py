"""Widgets for terminal chat screens, on urwid; below them text, keys, bindings, themes, the edit buffer, without it.

The names below are loaded when they are first used.
"""

MODULES = {
    "zot_tui.app": "App",
    "zot_tui.color": "Color parse_color",
    "zot_tui.diff": "diff_rows",
    "zot_tui.editor.buffer": "Buffer",
    "zot_tui.editor.completion": "Completer CompletionSource",
    "zot_tui.editor.completion_sources": "CommandCompletion CommandSource FileSource",
    "zot_tui.editor.history": "History history_path",
    "zot_tui.editor.paste": "Pastes",
    "zot_tui.image.store": "ImageStore",
    "zot_tui.keys.key": "Key from_urwid parse_key",
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

_HOMES = {name: module for module, names in MODULES.items() for name in names.split()}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(__import__(_HOMES[name], fromlist=[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
