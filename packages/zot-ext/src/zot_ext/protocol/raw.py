"""JSON that keeps its source text: `RawObject`, a parser that preserves the text of members, and encoding of lines.

Arguments of tools pass through the host and through guards. Decoding and encoding them would turn
`1e5` into `100000.0` and cut the digits of long numbers, so their source text is kept beside the parsed value
and inserted unchanged.
"""

from __future__ import annotations

import json

from zot_ext.protocol.errors import FrameError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping
    from typing import NoReturn

_SPACE = " \t\r\n"


class RawObject:
    """A JSON object as text (`text`) and as a parsed dictionary (`value`), which must not be changed.

    The constructor raises `FrameError` unless the text is exactly one valid JSON object; `NaN` and
    `Infinity` are not valid JSON. White space around the object is dropped. Two are equal if their
    texts are equal; compare `value` to compare their meaning.
    """

    __slots__ = ("text", "value")

    text: str
    value: dict[str, object]

    def __init__(self, text: str) -> None:
        self.text = text = text.strip(_SPACE)
        try:
            value, end = _scan(text, 0)
        except (FrameError, ValueError, RecursionError, StopIteration):
            value, end = None, 0
        if not isinstance(value, dict) or end != len(text):
            value = {name: member for name, (member, _) in parse_object(text).items()}  # it says what is wrong
        self.value = value

    @classmethod
    def from_value(cls, value: Mapping[str, object]) -> RawObject:
        """Write `value` as compact JSON. Raises `FrameError` for values without a JSON form (`NaN`, sets, ...)."""
        return cls(dump(dict(value)))

    @classmethod
    def from_parsed(cls, text: str, value: dict[str, object]) -> RawObject:
        """Combine a text with the dictionary that was just parsed from it, without parsing it again."""
        made = cls.__new__(cls)
        made.text = text
        made.value = value
        return made

    def __eq__(self, other: object) -> bool:
        return self.text == other.text if isinstance(other, RawObject) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"RawObject({self.text!r})"


def _refuse_constant(name: str) -> NoReturn:
    raise FrameError(f"not valid JSON: {name} is no JSON number")


def _integer(digits: str) -> int | float:
    # Python refuses to parse integers of more than 4,300 digits. The text keeps all digits; the parsed
    # value degrades like other numbers out of range, such as `1e999`.
    try:
        return int(digits)
    except ValueError:
        return float(digits)


_scan = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_integer).raw_decode
# Repeats `zot_provider.json_text.dump`: this package has no dependencies, and both must write the same text.
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def dump(value: object) -> str:
    """Write `value` as compact JSON text. Raises `FrameError` for values without a JSON form (`NaN`, sets, ...)."""
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise FrameError(f"cannot be written as JSON: {error}") from None


def _skip(text: str, at: int) -> int:
    end = len(text)
    while at < end and text[at] in _SPACE:
        at += 1
    return at


def _scan_value(text: str, at: int) -> tuple[object, int]:
    try:
        return _scan(text, at)
    except json.JSONDecodeError as error:
        raise FrameError(f"not valid JSON at character {error.pos + 1}: {error.msg}") from None
    except RecursionError:
        raise FrameError("nested too deeply") from None


def parse_object(text: str) -> dict[str, tuple[object, str]]:
    """Parse one JSON object into its members: name to (parsed value, source text).

    One pass; nested values are parsed by the C scanner of `json`. The last member of a repeated name wins.
    Raises `FrameError` unless the text is exactly one JSON object.
    """
    at = _skip(text, 0)
    if text[at : at + 1] != "{":
        raise FrameError("not a JSON object")
    members: dict[str, tuple[object, str]] = {}
    at = _skip(text, at + 1)
    closed = text[at : at + 1] == "}"
    while not closed:
        if text[at : at + 1] != '"':
            raise FrameError(f"not valid JSON at character {at + 1}: expected a name in quotes")
        name, at = _scan_value(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise FrameError(f"not valid JSON at character {at + 1}: expected a colon")
        start = _skip(text, at + 1)
        value, at = _scan_value(text, start)
        members[str(name)] = (value, text[start:at])
        at = _skip(text, at)
        if text[at : at + 1] not in ("}", ","):
            raise FrameError(f"not valid JSON at character {at + 1}: expected a comma or a brace")
        closed = text[at] == "}"
        if not closed:
            at = _skip(text, at + 1)
    if _skip(text, at + 1) != len(text):
        raise FrameError(f"not valid JSON at character {at + 2}: more text after the object")
    return members


def line_bytes(text: str) -> bytes:
    """Encode valid JSON text as one line of UTF-8, without a newline and without changing its meaning.

    Only raw text ever changes. Line ends in its white space become spaces. U+2028, U+2029 and U+0085, at which
    line readers of other languages split, become escapes. Half of a surrogate pair, escaped or not,
    becomes U+FFFD, because strict readers refuse the whole line because of it.
    """
    text = text.replace("\n", " ").replace("\r", " ")
    text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")
    if "\\ud" in text or "\\uD" in text:
        text = _replace_escaped_surrogates(text)
    try:
        return text.encode()
    except UnicodeEncodeError:
        # The conversion through UTF-16 joins adjacent halves of a pair and replaces lone halves.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _replace_escaped_surrogates(text: str) -> str:
    import re  # noqa: PLC0415 - already loaded by json; the pattern is compiled only for text that needs it

    # The pattern matches every escape, so that the second half of an escaped backslash never starts a match.
    escape = re.compile(
        r"\\(?:u(?P<half>d[89ab][0-9a-f]{2}(?P<rest>\\ud[c-f][0-9a-f]{2})?|d[c-f][0-9a-f]{2})|.)",
        re.IGNORECASE | re.DOTALL,
    )

    def replaced(match: re.Match[str]) -> str:
        lone = match["half"] is not None and match["rest"] is None
        return "\\ufffd" if lone else match[0]

    return escape.sub(replaced, text)
