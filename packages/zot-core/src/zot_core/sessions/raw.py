"""Parse a line of a session file, keeping the JSON text of tool call arguments, which `json` would turn into values.

A long conversation has to open quickly, so lines are parsed by jiter, which takes half the time, and arguments are
found by searching for their name. Where that is not certain, a slower way is used: `json`, which also accepts lone
surrogates and any depth, and a walk through the members of the line.
"""

import json
from collections.abc import Iterator
from typing import Any

_decode = json.JSONDecoder().raw_decode
_NAME = '"arguments"'


def read_row(line: bytes) -> dict[str, Any]:
    """Parse a line, with arguments as in `keep_arguments`; an empty row if it is not a JSON object.

    A byte that is not UTF-8 is replaced, the rest of the line is kept.
    """
    from jiter import from_json  # noqa: PLC0415  a new session has no rows to read

    try:
        row = from_json(line)
    except ValueError:
        row = _read_again(line)
    if not isinstance(row, dict):
        return {}
    if b'"arguments"' in line:
        keep_arguments(row, line.decode("utf-8", "replace"))
    return row


def _read_again(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def keep_arguments(row: dict[str, Any], line: str) -> None:
    """Replace the parsed arguments of every tool call in `row` with their text in `line`, from which it was parsed."""
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return
    blocks = [block for block in content if isinstance(block, dict) and "arguments" in block]
    if not blocks:
        return
    texts = _find_by_name(blocks, line) or _find_by_position(content, line)
    for block, text in zip(blocks, texts, strict=True):
        if isinstance(block["arguments"], dict):
            block["arguments"] = text


def _find_by_name(blocks: list[dict[str, Any]], line: str) -> list[str]:
    """Return the text of each block's arguments; empty if other members of that name make the search ambiguous."""
    texts: list[str] = []
    end = 0
    while (at := line.find(_NAME, end)) >= 0:
        end = at + len(_NAME)
        # In valid JSON this text is a whole string, or the end of a string that has a backslash before it.
        colon = _skip(line, end)
        if line[at - 1] == "\\" or line[colon] != ":":
            continue
        start = _skip(line, colon + 1)
        value, end = _decode(line, start)
        if len(texts) == len(blocks) or value != blocks[len(texts)]["arguments"]:
            return []
        texts.append(line[start:end])
    return texts if len(texts) == len(blocks) else []


def _find_by_position(content: list[Any], line: str) -> Iterator[str]:
    """Yield the text of the arguments of each block that has some, by walking through the line."""
    content_start = _member(line, _member(line, _skip(line, 0), "message")[0], "content")[0]
    for block, (start, _) in zip(content, _items(line, content_start), strict=True):
        if isinstance(block, dict) and "arguments" in block:
            first, last = _member(line, start, "arguments")
            yield line[first:last]


def _member(text: str, start: int, name: str) -> tuple[int, int]:
    """Return the span of a member's value in the object at `start`; of the last member of that name, as in `json`."""
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
    """Yield the spans of the items of the array at `start`."""
    at = _skip(text, start + 1)
    while text[at] != "]":
        first, at = at, _decode(text, at)[1]
        yield first, at
        at = _after(text, at)


def _after(text: str, at: int) -> int:
    """Return the position of the next member or item, or of the closing bracket."""
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    """Return the position after white space."""
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at
