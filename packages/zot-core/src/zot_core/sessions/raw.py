"""A line of a session file as a row, the arguments of tool calls as they stand in it: `json` would hand back the value,
not the text.

A long conversation has to open quickly, so a line is read by jiter, which takes half of the time, and the arguments are
found by their name. What either is unsure of is done again thoroughly: by `json`, which also takes lone surrogates and
any depth, and by walking through the line member by member.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from jiter import from_json

_decode = json.JSONDecoder().raw_decode
_space = re.compile(r"[ \t\r\n]*").match
_colon = re.compile(r"[ \t\r\n]*:[ \t\r\n]*").match
_NAME = '"arguments"'


def read_row(line: bytes) -> dict[str, Any]:
    """The row a line holds, see `keep_arguments`; an empty one if it is no JSON object.

    A byte that is no UTF-8 costs no more than itself.
    """
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
    """Put the text of every tool call's arguments in place of the parsed object. `row` is what `line` holds."""
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return
    blocks = [block for block in content if isinstance(block, dict) and "arguments" in block]
    if not blocks:
        return
    texts = _by_name(blocks, line) or _by_place(content, line)
    for block, text in zip(blocks, texts, strict=True):
        if isinstance(block["arguments"], dict):
            block["arguments"] = text


def _by_name(blocks: list[dict[str, Any]], line: str) -> list[str]:
    """The text of each block's arguments; empty if there are other members of that name, so that one cannot be sure."""
    texts: list[str] = []
    end = 0
    while (at := line.find(_NAME, end)) >= 0:
        end = at + len(_NAME)
        # In valid JSON this text can only be a whole string, or the end of one that has a backslash before it.
        found = None if line[at - 1] == "\\" else _colon(line, end)
        if found is None:
            continue
        value, end = _decode(line, found.end())
        if len(texts) == len(blocks) or value != blocks[len(texts)]["arguments"]:
            return []
        texts.append(line[found.end() : end])
    return texts if len(texts) == len(blocks) else []


def _by_place(content: list[Any], line: str) -> Iterator[str]:
    """The text of the arguments of each block that has some."""
    spot = _member(line, _member(line, _skip(line, 0), "message")[0], "content")[0]
    for block, (start, _) in zip(content, _items(line, spot), strict=True):
        if isinstance(block, dict) and "arguments" in block:
            first, last = _member(line, start, "arguments")
            yield line[first:last]


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
