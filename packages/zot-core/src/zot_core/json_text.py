"""JSON text: ours, on one line, and that of somebody else, which may stand in ours as it is."""

import json
from typing import Any


def dump(value: Any) -> str:
    """JSON text on one line. TypeError or ValueError for what has no JSON form, such as `NaN`."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def is_object(text: str) -> bool:
    """Whether `text` is a JSON object by the letter of RFC 8259, which knows no `NaN`."""
    try:
        return isinstance(json.loads(text, parse_constant=_refuse), dict)
    except (ValueError, RecursionError):
        return False


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
