#!/usr/bin/env python3
"""Sends reminders to the model, and draws them as a banner."""

from typing import Any

from zot_ext import Extension, RenderRequest

ext = Extension("message-renderer", "1.0.0", capabilities=("messages",))


@ext.renderer("message", "reminder")
def banner(asked: RenderRequest) -> list[list[dict[str, Any]]]:
    rule = [{"text": "─" * asked.width, "style": "accent"}]
    lines = asked.text.splitlines()
    shown = lines if asked.expanded else lines[:1]
    more = [[{"text": f"  {len(lines) - 1} more lines", "style": "muted"}]] if len(shown) < len(lines) else []
    mark: dict[str, Any] = {"text": "⏰ ", "style": "warning"}
    texts = [[mark, {"text": each, "bold": True}] for each in shown]
    return [rule, *texts, *more, rule]


@ext.command("remind", "remind the model of something: /remind TEXT")
def remind(text: str) -> str | None:
    if not text:
        return "/remind TEXT"
    ext.messages.send(text, custom_type="reminder", trigger=False)
    return None


ext.run()
