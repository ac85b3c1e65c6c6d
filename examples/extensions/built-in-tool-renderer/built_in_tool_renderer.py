#!/usr/bin/env python3
"""Draws the calls of zot's own tools `bash` and `read`, and what commands have printed. The tools stay as they are."""

from typing import Any

from zot_ext import Extension, RenderRequest

ext = Extension("built-in-tool-renderer", "1.0.0")
TAIL = 3
drawn = 0


@ext.renderer("tool_call", "bash")
def command(asked: RenderRequest) -> list[list[dict[str, Any]]]:
    first, *more = str(asked.args.get("command", "")).splitlines() or [""]
    note = [{"text": f"  +{len(more)} lines", "style": "muted"}] if more else []
    return [[{"text": "$ ", "style": "accent", "bold": True}, {"text": first}, *note]]


@ext.renderer("tool_call", "read")
def read(asked: RenderRequest) -> list[list[dict[str, Any]]]:
    folder, _, name = str(asked.args.get("path", "")).rpartition("/")
    folder = f"{folder}/" if folder else ""
    return [[{"text": "read ", "style": "tool"}, {"text": folder, "style": "muted"}, {"text": name, "bold": True}]]


@ext.renderer("tool_result", "bash")
async def output(asked: RenderRequest) -> list[list[dict[str, Any]]]:
    global drawn
    drawn += 1
    printed, ended, _ = f"\n{asked.text}".rpartition("\n[exit ")
    lines = (printed if ended else asked.text).strip("\n").splitlines()
    shown = lines if asked.expanded else lines[-TAIL:]
    left = len(lines) - len(shown)
    above = [[{"text": f"┊ {left} lines above", "style": "dim"}]] if left else []
    return [*above, *([{"text": "┊ ", "style": "dim"}, {"text": each}] for each in shown)]


@ext.command("drawn", "count what was drawn")
def count(_: str) -> str:
    return f"{drawn} results"


ext.run()
