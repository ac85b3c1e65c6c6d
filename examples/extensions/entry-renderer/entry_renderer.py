#!/usr/bin/env python3
"""Keeps cards in the conversation: entries of the session that models do not see, drawn by the extension."""

import time
from typing import Any

from zot_ext import Extension, RenderRequest

ext = Extension("entry-renderer", "1.0.0", capabilities=("session",))


@ext.renderer("entry", "card")
def card(asked: RenderRequest) -> list[list[dict[str, Any]]]:
    first = [{"text": "┃ ", "style": "accent"}, {"text": asked.data["text"][: asked.width - 2], "bold": True}]
    if not asked.expanded:
        return [first]
    at = time.strftime("%Y-%m-%d %H:%M", time.localtime(asked.data["time"]))
    return [first, [{"text": "┃ ", "style": "accent"}, {"text": at, "style": "muted"}]]


@ext.command("card", "keep a card in the conversation: /card TEXT")
def add(text: str) -> str | None:
    if not text:
        return "/card TEXT"
    ext.session.append("card", {"text": text, "time": int(time.time())})
    return None


ext.run()
