#!/usr/bin/env python3
"""Draws each `ultrathink` in the prompt in the colours of the rainbow; `/rainbow` chooses another word."""

import contextlib
import re

from zot_ext import EditorText, Extension, HostError

ext = Extension("rainbow-editor", "1.0.0")
COLORS = ("#e06c75", "#d19a66", "#e5c07b", "#98c379", "#56b6c2", "#61afef", "#c678dd")
word = "ultrathink"


@ext.decorator
def rainbow(typed: EditorText) -> list[dict[str, object]]:
    spans = []
    for found in re.finditer(re.escape(word), typed.text):
        for number, at in enumerate(range(*found.span())):
            spans.append({"start": at, "end": at + 1, "style": COLORS[number % len(COLORS)], "bold": True})
    return spans[:1000]


@ext.command("rainbow", "choose the word that is drawn in colours: /rainbow WORD")
def choose(text: str) -> str:
    global word
    word = text or "ultrathink"
    with contextlib.suppress(HostError):  # as over `zot rpc`, where there is no screen
        ext.editor.decorate_again()
    return f"{word} is drawn in colours"


ext.run()
