"""`in_lines`: generated JSON with a line for each definition or row, which changes and merges as one, and is small."""

import json
from typing import Any


def in_lines(value: Any, depth: int) -> str:
    """Write a value with a line for each member of objects and lists down to `depth`."""
    return _text(value, depth) + "\n"


def _text(value: Any, depth: int) -> str:
    if not depth or not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, list):
        return "[\n" + ",\n".join(_text(each, depth - 1) for each in value) + "\n]"
    members = (f"{_text(name, 0)}:{_text(each, depth - 1)}" for name, each in value.items())
    return "{\n" + ",\n".join(members) + "\n}"
