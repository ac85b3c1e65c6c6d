#!/usr/bin/env python3
"""Shows in the border of the editor which model answers, how long the prompt is, and whether characters are typed over.

The key Insert switches between the modes of the manifest. Brackets are typed in pairs.
"""

from zot_ext import EditorKey, EditorText, Event, Extension, HostError

ext = Extension("border-status-editor", "1.0.0", capabilities=("control", "widgets"))
PAIRS = {"(": "()", "[": "[]", "{": "{}"}


@ext.editor_key("insert", *PAIRS)
def key(pressed: EditorKey) -> list[dict[str, object]] | None:
    if not pressed.typed:
        return [{"mode": "overwrite" if pressed.mode == "insert" else "insert"}]
    if pressed.mode == "overwrite" or pressed.text[pressed.cursor : pressed.cursor + 1].strip():
        return None  # before a letter, a bracket is typed alone
    return [{"insert": PAIRS[pressed.typed]}, {"move": pressed.cursor + 1}]


@ext.decorator
def size(typed: EditorText) -> list[dict[str, object]]:
    """Called after each change: nothing is drawn in the text, but its size is shown in the border."""
    words = len(typed.text.split())
    line = f"{words} word{'s' * (words != 1)}, {len(typed.text)} characters"
    ext.widgets.set("size", [{"text": line, "style": "muted"}], place="bottom_right")
    return []


@ext.on("session_start")
@ext.on("model_select")
@ext.on("thinking_level_select")
def model(_: Event) -> None:
    try:
        state = ext.control.state()
        spans = [{"text": "─ ", "style": "dim"}, {"text": state["model"], "style": "accent"}]
        spans += [{"text": f" {state['reasoning_used']}", "style": "muted"}]
        ext.widgets.set("model", spans, place="top_left")
    except HostError as error:
        if error.code != "unavailable":  # as in `zot -p`, where there is no screen
            raise


@ext.command("count", "say how long the prompt is")
def count(text: str) -> str:
    return f"{len(text.split())} words"


ext.run()
