#!/usr/bin/env python3
"""Refuses dangerous shell commands, and records every tool call in `audit.jsonl`."""

import json
import os
import re

from zot_ext import Blocked, Event, Extension, Response, ToolCallRequest, block, display

DANGER = re.compile(r"\brm\s+-\w*[rf]|\bsudo\b|\bmkfs\b|\bdd\s+if=|>\s*/dev/sd|:\(\)\s*\{")

ext = Extension("guard", "1.0.0")


def audit_file() -> str:
    return os.path.join(ext.data_dir, "audit.jsonl")


# A guard that fails has not looked: better to refuse than to let through.
@ext.intercept("tool_call", on_error="block")
def refuse(call: ToolCallRequest) -> Blocked | None:
    if call.name != "bash":
        return None
    found = DANGER.search(str(call.args.get("command", "")))
    if found is None:
        return None
    ext.notify(f"refused: {call.args['command']}", "warn")
    return block(f'refused: matches danger pattern "{found[0]}"')


@ext.on("tool_call")
def record(event: Event) -> None:
    args = event.tool_args.value if event.tool_args else {}
    with open(audit_file(), "a", encoding="utf-8") as file:
        file.write(json.dumps({"tool": event.tool_name, "args": args}) + "\n")


@ext.command("audit", "how many tool calls there have been")
def audit(_: str) -> Response:
    try:
        with open(audit_file(), encoding="utf-8") as file:
            count = sum(1 for _ in file)
    except FileNotFoundError:
        count = 0
    return display(f"{count} tool calls, in {audit_file()}")


ext.run()
