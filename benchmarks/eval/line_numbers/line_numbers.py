#!/usr/bin/env python3
"""An extension for `--with line-numbers`: puts its number before each line that `read` returns of a text file."""

import re

from zot_ext import Extension, ToolResultDecision, ToolResultRequest

ext = Extension("line-numbers", "1.0.0")

_PART = re.compile(r"\[(?:lines?|characters) \d[^\]\n]*\]\n?")
"""The last line of a part of a file."""


def numbered(text: str, first: int) -> str:
    """Return lines with their numbers, from `first` on, as `cat -n` prints them."""
    lines = text.splitlines(keepends=True)
    last = lines.pop() if lines and _PART.fullmatch(lines[-1]) else ""
    return "".join(f"{number:6}\t{line}" for number, line in enumerate(lines, first)) + last


@ext.intercept("tool_result")
def number(result: ToolResultRequest) -> ToolResultDecision | None:
    """Number the lines of a file; a directory, an image and an empty file have none. Notes are blocks behind them."""
    if result.tool_name != "read" or result.is_error or not result.details.get("total_lines"):
        return None
    lines, *notes = result.content
    return ToolResultDecision(
        content=[{**lines, "text": numbered(lines["text"], result.details["start_line"])}, *notes]
    )


if __name__ == "__main__":
    ext.run()
