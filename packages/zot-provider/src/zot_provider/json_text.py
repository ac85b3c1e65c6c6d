"""JSON text as all of zot writes and reads it: on one line, by the letter of RFC 8259.

`zot_ext` depends on nothing and has its own.
"""

import json
from typing import Any


def dump(value: Any) -> str:
    """JSON text on one line. TypeError or ValueError for what has no JSON form, such as `NaN`."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def escape_line_ends(text: str) -> str:
    """JSON text with escapes for U+2028, U+2029 and U+0085, at which readers of lines in other languages cut."""
    if text.isascii():
        return text
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


def read_strict(text: str | bytes) -> Any:
    """The value of JSON text. Raises ValueError for any other text, `NaN` and `Infinity` among it, and for text that
    is nested too deeply."""
    try:
        return json.loads(text, parse_constant=_reject_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def is_object(text: str) -> bool:
    """Whether `text` is a JSON object."""
    try:
        return isinstance(read_strict(text), dict)
    except ValueError:
        return False


def describe(value: object) -> str:
    """A JSON value as an error shows it: "an object", "a list", or its JSON text, at most 40 characters of ASCII."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return json.dumps(value)[:40]


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def without_surrogates(text: str) -> str:
    """`text` with surrogate pairs joined, and U+FFFD in place of each half that stands alone."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
