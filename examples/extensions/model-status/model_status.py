#!/usr/bin/env python3
"""Shows which model answers, and says when it is another one."""

from collections.abc import Mapping
from typing import Any

from zot_ext import Event, Extension, HostError

ext = Extension("model-status", "1.0.0", capabilities=("events2", "model", "widgets"))
last = before = ""


@ext.on("session_start")
@ext.on("model_select")
@ext.on("thinking_level_select")
def follow(_: Event) -> None:
    global last, before
    model = ext.model.get()
    changed = last not in ("", model["model"])
    before, last = last if changed else before, model["model"]
    try:
        ext.widgets.set("model", line(model), place="top_right")
    except HostError as error:
        if error.code != "unavailable":  # as in `zot -p`, where there is no screen
            raise
    if changed:
        ext.notify(f"{last} answers now, in place of {before}")


def line(model: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The spans: the model, and what is known of it."""
    spans = [{"text": model["model"], "style": "accent"}]
    if model["reasoning_used"] != "off":
        spans.append({"text": f" {model['reasoning_used']}", "style": "warning"})
    if window := model["context_window"]:
        size = f"{window / 1e6:g}M" if window >= 1e6 else f"{window // 1000}k"
        spans.append({"text": f" {size}", "style": "muted"})
    return spans


@ext.command("model-status", "say which model answers, and which did before")
def say(_: str) -> str:
    return f"{last} since {before or 'the start'}" if last else "no model has answered yet"


ext.run()
