#!/usr/bin/env python3
"""A tool with which the model ends a run with an answer as data."""

import json
from typing import Literal

from zot_ext import Extension, Result, text_result

ext = Extension("structured-output", "1.0.0", capabilities=("session", "tools2"))


@ext.tool(snippet="When you are asked for a report, end with the tool `report` and write nothing after it.")
def report(summary: str, verdict: Literal["good", "mixed", "bad"], findings: list[str]) -> Result:
    """Give the answer as data, which ends your work.

    Args:
        summary: one sentence
        verdict: what you think of it
        findings: one sentence each, the most important first
    """
    text = "\n".join([f"**{verdict}**: {summary}", "", *(f"- {each}" for each in findings)])
    data = {"summary": summary, "verdict": verdict, "findings": findings}
    return text_result(text, markdown=True, structured=data, terminate=True)


@ext.command("report", "show the last report as JSON")
def show(_: str) -> str:
    reports = [each["structured_content"] for each in ext.session.details() if each.get("extension") == ext.name]
    return json.dumps(reports[-1], indent=1) if reports else "there is no report"


ext.run()
