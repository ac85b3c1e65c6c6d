"""Reading and writing of JSON text: on one line, strictly according to RFC 8259.

`zot_ext.protocol.raw`, which keeps the text of each value, writes the same.
"""

import json
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
"""Made once: `json.dumps` makes one for each call that differs from its defaults, a third of the call's time."""


def dump(value: Any) -> str:
    """Return JSON text on one line. Raises TypeError or ValueError for values without a JSON form, such as `NaN`."""
    return _ENCODER.encode(value)


def dump_text(text: str) -> str:
    """Return what `dump` returns for a text. ASCII text takes two thirds of the time."""
    plain = text.isascii() and "\x7f" not in text  # which the other one escapes
    return encode_basestring_ascii(text) if plain else encode_basestring(text)


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_reject_constant)
"""Made once, for the same reason."""


def line_text(text: str) -> str:
    """Return JSON text as it can be sent as a line: without lone surrogates, which UTF-8 does not have, and with
    U+2028, U+2029 and U+0085 escaped, where line readers of other languages split lines."""
    if text.isascii():
        return text
    text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")
    return without_surrogates(text)


def read_strict(text: str | bytes) -> Any:
    """Return the value of JSON text. Raises ValueError for any other text, including `NaN` and `Infinity`, and for text
    that is nested too deeply."""
    try:
        return _DECODER.decode(
            text if isinstance(text, str) else text.decode(json.detect_encoding(text), "surrogatepass")
        )
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def is_object(text: str) -> bool:
    """Whether `text` is a JSON object."""
    try:
        return isinstance(read_strict(text), dict)
    except ValueError:
        return False


def read_object(text: str) -> dict[str, Any]:
    """Return the object that JSON text holds, such as the arguments of a call; empty for any other text."""
    try:
        value = read_strict(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def describe(value: object) -> str:
    """Describe a JSON value in an error: "an object", "a list", or its JSON text, at most 40 characters of ASCII."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return json.dumps(value)[:40]


def without_surrogates(text: str) -> str:
    """Join the surrogate pairs in `text` and replace each lone surrogate by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
