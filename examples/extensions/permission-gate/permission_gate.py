#!/usr/bin/env python3
"""Asks before dangerous shell commands. It fails closed: without an answer nothing runs."""

import re

from zot_ext import Blocked, Extension, ToolCallRequest, block

DANGER = re.compile(r"\brm\s+-\w*[rf]|\bsudo\b|\bchmod\s+777\b|\bgit\s+push\s+.*--force")

ext = Extension("permission-gate", "1.0.0", capabilities=("ui",))
counts = {"asked": 0, "refused": 0}


# A guard that fails, hangs or dies has not looked: in all three cases the call is refused.
@ext.intercept("tool_call", on_error="block", on_timeout="block", on_exit="block")
def gate(call: ToolCallRequest) -> Blocked | None:
    command = str(call.args.get("command", ""))
    if call.name != "bash" or not DANGER.search(command):
        return None
    counts["asked"] += 1
    if ext.ui.confirm("Run this dangerous command?", command):
        return None
    counts["refused"] += 1
    return block("the user refused this command")


@ext.command("gate", "how often the gate has asked")
def gate_counts(_: str) -> str:
    return f"{counts['asked']} questions, {counts['refused']} refusals"


ext.run()
