"""JSON that keeps its source text: `RawObject`, a parser that preserves the text of members, and encoding of lines.

Arguments of tools pass through the host and through guards. Decoding and encoding them would turn
`1e5` into `100000.0` and cut the digits of long numbers, so their source text is kept beside the parsed value
and inserted unchanged.
"""

from __future__ import annotations

import json
from json.decoder import scanstring as _scan_string  # type: ignore[attr-defined]

from zot_ext.protocol.errors import FrameError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping, Sequence
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
            value, end = _scan_once(text, 0)
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


class KnownItem:
    """An item of a list that was not parsed, because the reader knows its text: `text`."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class RawList:
    """A JSON list: its parsed `items`, which must not be changed, and the source text of each (`texts`). What is sent
    must be made from texts of `dump`."""

    __slots__ = ("_source", "_spans", "_texts", "items")

    items: list[object]

    def __init__(self, items: list[object], texts: list[str]) -> None:
        self.items, self._texts = items, texts
        self._source, self._spans = "", list[tuple[int, int]]()

    @classmethod
    def of_texts(cls, texts: list[str]) -> RawList:
        """Make a list of items that are valid JSON texts; they are not parsed."""
        return cls([], texts)

    @classmethod
    def from_values(cls, values: Sequence[object]) -> RawList:
        """Write `values` as compact JSON. Raises `FrameError` for values without a JSON form (`NaN`, sets, ...)."""
        return cls(list(values), [dump(value) for value in values])

    @classmethod
    def from_parsed(cls, text: str, items: list[object]) -> RawList:
        """Combine a text with the list that was just parsed from it."""
        split = items if isinstance(items, _SplitList) else _scan_items(text, 0)[0]
        made = cls(items, [])
        made._source, made._spans = split.source, split.spans
        return made

    @property
    def texts(self) -> list[str]:
        """The source text of each item."""
        if not self._texts and self.items:
            self._texts = [self.text_of(index) for index in range(len(self.items))]
        return self._texts

    def text_of(self, index: int) -> str:
        """Return the source text of one item."""
        if self._texts or not self.items:
            return self._texts[index]
        start, end = self._spans[index]
        return self._source[start:end]

    def pieces(self) -> Iterator[str]:
        """Yield the texts of the items and commas between them."""
        comma = ""
        for each in self.texts:
            yield comma
            yield each
            comma = ","

    @property
    def text(self) -> str:
        """The text of the list, without white space between the items."""
        return f"[{''.join(self.pieces())}]"

    def __eq__(self, other: object) -> bool:
        return self.texts == other.texts if isinstance(other, RawList) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"RawList({self.text!r})"


class _SplitList(list[object]):
    """A parsed list, with the text in which it is and the start and end of each item there."""

    source: str
    spans: list[tuple[int, int]]


def _refuse_constant(name: str) -> NoReturn:
    raise FrameError(f"not valid JSON: {name} is not a JSON number")


def _integer(digits: str) -> int | float:
    # Python refuses to parse integers of more than 4,300 digits. The text keeps all digits; the parsed
    # value degrades like other numbers out of range, such as `1e999`.
    try:
        return int(digits)
    except ValueError:
        return float(digits)


_decoder = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_integer)
_scan, _scan_once = _decoder.raw_decode, _decoder.scan_once  # type: ignore[attr-defined]
# As `zot_provider.json_text`, of which this package knows nothing; a test compares what they write.
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


_NEAR = 16
"""Known texts that are tried at every item of a list."""

LARGE = 1 << 18
"""Characters of a text whose lists are parsed item by item: a large one must not hold the interpreter for long."""


def _scan_items(text: str, at: int, known: Sequence[str] = ()) -> tuple[_SplitList, int]:
    """Parse a list at `at` item by item. Texts in `known` are looked for in their order, some may be missing."""
    items, spans, first = _SplitList(), list[tuple[int, int]](), 0
    value: object
    at = _skip(text, at + 1)
    closed = text[at : at + 1] == "]"
    while not closed:
        for index in range(first, min(first + _NEAR, len(known))):
            if text.startswith(known[index], at):
                value, end, first = KnownItem(known[index]), at + len(known[index]), index + 1
                break
        else:
            value, end = _scan_value(text, at)
        items.append(value)
        spans.append((at, end))
        at = _skip(text, end)
        if text[at : at + 1] not in ("]", ","):
            raise FrameError(f"not valid JSON at character {at + 1}: expected a comma or a bracket")
        closed = text[at] == "]"
        if not closed:
            at = _skip(text, at + 1)
    items.source, items.spans = text, spans
    return items, at + 1


def _scan_large(text: str, at: int, depth: int, known: Sequence[str]) -> tuple[object, int]:
    """Parse a value at `at`: in a large text the members of objects and the items of lists one by one."""
    if len(text) > LARGE and text[at : at + 1] == "[":
        return _scan_items(text, at, known)
    if len(text) > LARGE and depth and text[at : at + 1] == "{":
        members, end = _scan_members(text, at, depth - 1)
        return {name: value for name, (value, _) in members.items()}, end
    return _scan_value(text, at)


def _scan_value(text: str, at: int) -> tuple[object, int]:
    try:
        return _scan(text, at)
    except json.JSONDecodeError as error:
        raise FrameError(f"not valid JSON at character {error.pos + 1}: {error.msg}") from None
    except RecursionError:
        raise FrameError("nested too deeply") from None


def parse_object(text: str, known: Sequence[str] = ()) -> dict[str, tuple[object, str]]:
    """Parse one JSON object into its members: name to (parsed value, source text).

    One pass; nested values are parsed by the C scanner of `json`. The last member of a repeated name wins. In a large
    text an item of a list is a `KnownItem` if its text, which is valid JSON, is in `known`.
    Raises `FrameError` unless the text is exactly one JSON object.
    """
    if len(text) <= LARGE and (found := _compact_members(text)) is not None:
        return found
    at = _skip(text, 0)
    if text[at : at + 1] != "{":
        raise FrameError("not a JSON object")
    if len(text) > LARGE:
        members, at = _without_collector(text, at, known)
    else:
        members, at = _scan_members(text, at, 1)
    if _skip(text, at) != len(text):
        raise FrameError(f"not valid JSON at character {at + 1}: more text after the object")
    return members


def _compact_members(text: str) -> dict[str, tuple[object, str]] | None:
    """Parse an object that has no white space around its members but a space after a comma or a colon, as programs
    write it. None for every other text, valid or not: `_scan_members`, which takes three times as long, reads that."""
    members: dict[str, tuple[object, str]] = {}
    text, at = text.removesuffix("\n"), 0
    try:
        while text[at] == ("," if at else "{"):
            at += 2 if text[at + 1] == " " and at else 1
            if text[at] != '"':
                return None
            name, at = _scan_string(text, at + 1)
            if text[at] != ":":
                return None
            start = at + 2 if text[at + 1] == " " else at + 1
            value, at = _scan_once(text, start)
            members[name] = value, text[start:at]
    except (FrameError, IndexError, RecursionError, StopIteration, ValueError):
        return None
    return members if text[at:] == "}" else None


def _without_collector(text: str, at: int, known: Sequence[str]) -> tuple[dict[str, tuple[object, str]], int]:
    """Parse a large object; collections would look at all that is parsed so far, and find nothing."""
    import gc  # noqa: PLC0415 - only large frames need it

    enabled = gc.isenabled()
    gc.disable()
    try:
        return _scan_members(text, at, 1, known)
    finally:
        if enabled:
            gc.enable()


def _scan_members(
    text: str, at: int, depth: int, known: Sequence[str] = ()
) -> tuple[dict[str, tuple[object, str]], int]:
    """Parse the object at `at`; return its members and where it ends."""
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
        value, at = _scan_large(text, start, depth, known)
        members[str(name)] = (value, "" if isinstance(value, _SplitList) else text[start:at])
        at = _skip(text, at)
        if text[at : at + 1] not in ("}", ","):
            raise FrameError(f"not valid JSON at character {at + 1}: expected a comma or a brace")
        closed = text[at] == "}"
        if not closed:
            at = _skip(text, at + 1)
    return members, at + 1


def line_bytes(text: str) -> bytes:
    """Encode valid JSON text as one line of UTF-8, without a newline and without changing its meaning.

    Only raw text ever changes. Line ends in its white space become spaces. U+2028, U+2029 and U+0085, at which
    line readers of other languages split, become escapes. Half of a surrogate pair, escaped or not,
    becomes U+FFFD, because strict readers refuse the whole line because of it.
    """
    return dumped_bytes(one_line(text))


def one_line(text: str) -> str:
    """Do the part of `line_bytes` that texts of `dump` do not need, which have no line ends and no escaped
    surrogates."""
    text = text.replace("\n", " ").replace("\r", " ")
    return _replace_escaped_surrogates(text) if "\\ud" in text or "\\uD" in text else text


def dumped_bytes(text: str) -> bytes:
    """Do the rest of it."""
    text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")
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
