"""The arguments of tool calls as they stand in a row: `json` would hand back the value, not the text."""

import json
import re
from collections.abc import Iterator
from typing import Any

_decode = json.JSONDecoder().raw_decode
_space = re.compile(r"[ \t\r\n]*").match


def keep_arguments(row: dict[str, Any], line: str) -> None:
    """Put the text of every tool call's arguments in place of the parsed object. `row` is what `line` holds."""
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if '"arguments"' not in line or not isinstance(content, list):
        return
    spot = _member(line, _member(line, _skip(line, 0), "message")[0], "content")[0]
    for block, (start, _) in zip(content, _items(line, spot), strict=True):
        if isinstance(block, dict) and isinstance(block.get("arguments"), dict):
            first, last = _member(line, start, "arguments")
            block["arguments"] = line[first:last]


def _member(text: str, start: int, name: str) -> tuple[int, int]:
    """Where the value of a member of the object at `start` stands; the last one of that name, as in `json`."""
    found = (start, start)
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, at = _decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        first, at = at, _decode(text, at)[1]
        if key == name:
            found = (first, at)
        at = _after(text, at)
    return found


def _items(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Where the items of the array at `start` stand."""
    at = _skip(text, start + 1)
    while text[at] != "]":
        first, at = at, _decode(text, at)[1]
        yield first, at
        at = _after(text, at)


def _after(text: str, at: int) -> int:
    """The next member or item, or the bracket that closes them."""
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    found = _space(text, at)
    assert found is not None
    return found.end()
