"""Splits terminal input into keys, pastes and replies, however it is cut into pieces; pure.

Bytes of keys are passed on for a key parser, in whole sequences only. A bracketed paste (xterm, `ESC [ 200 ~` to `ESC [
201 ~`) is one value, whatever its size. So is a control string (ECMA-48: OSC, DCS, APC), the form of a terminal's
answers to queries, so that a late answer is not mistaken for keys. A control sequence with parameters is passed on
whole or not at all: half of one would be typed as text.
"""

import re
from typing import NamedTuple, TypeAlias

from zot_tui.keys.key import Key, from_urwid

PASTE_START = b"\x1b[200~"
PASTE_END = b"\x1b[201~"

REPLY_LIMIT = 65536  # longest control string, in bytes; a longer one is noise
LONGEST = 64  # longest sequence of a key, in bytes; a longer one is dropped
# DA1 `CSI ? Ps ; ... c`, the flags of kitty's keyboard protocol `CSI ? Ps u`, DECRPM `CSI ? Ps ; Ps $ y`.
_REPORT = re.compile(rb"\x1b\[\?([0-9:;]*)(c|u|\$y)")
_PARAMETERS = {b"c": 1, b"u": 1, b"$y": 2}  # how many are read: DA1 only marks the end of other answers

# The beginnings of control strings. No key sends them: these characters do not follow Alt+] and Alt+P.
_STRING = rb"\x1b(?:\][0-9]{1,5};|P[0-9;]*[>!=?$+|]|_G)"
_OPENING = re.compile(rb"(?P<sequence>\x1b{1,2}\[[0-?])|" + _STRING)
_SEQUENCE = re.compile(rb"\x1b{1,2}\[[0-?]+[ -/]*")  # a control sequence with parameters, without its last byte
_STRING_END = re.compile(rb"\x07|\x1b\\|\xc2\x9c|(?<![\x80-\xf4])\x9c|\x1b(?=[^\\])|[\x18\x1a]")

_BEGUN = re.compile(rb"\x1b(?:\]|P)[0-9]")  # a control string, before what `_OPENING` knows it by

# An incomplete sequence or character.
_UNFINISHED = re.compile(
    rb"(?:\x1b+(?:\[(?:M.{0,2}|\[)?|O[0-9;]*|\][0-9]{0,5}|P[0-9;]{0,16}|_)?"
    rb"|[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z",
    re.DOTALL,
)


class KeyBytes(NamedTuple):
    """The bytes of whole keys, mouse events and short reports."""

    data: bytes


class Paste(NamedTuple):
    """Pasted text with `\\n` for line breaks, otherwise unchanged."""

    text: str


class TerminalReply(NamedTuple):
    """A whole answer of the terminal, such as a control string: `ESC ] 11 ; rgb:... ESC \\`.

    A control string ends in BEL or `ESC \\`.
    """

    text: str


class MouseEvent(NamedTuple):
    """A mouse event as urwid names it (`mouse press`), with the button and the cell."""

    name: str
    button: int
    column: int
    row: int


class FocusChange(NamedTuple):
    """The window has got the focus (`here`), or lost it."""

    here: bool


class HeldKey(NamedTuple):
    """A key that is held down, so that it repeats, or was let go (`released`): see `AppScreen.key_kinds`."""

    key: Key
    released: bool


TerminalInput: TypeAlias = KeyBytes | Paste | TerminalReply
TerminalEvent: TypeAlias = Key | HeldKey | Paste | MouseEvent | FocusChange | TerminalReply
"""The reports of a terminal, each once and parsed."""


def parse_event(event: object) -> TerminalEvent | None:
    """Return the value for an event of urwid; None if it means nothing here, such as a modifier alone."""
    if isinstance(event, tuple):
        return MouseEvent(*event) if len(event) == 4 else None
    if event in ("focus in", "focus out"):
        return FocusChange(event == "focus in")
    if isinstance(event, str) and event.startswith("<csi "):
        return TerminalReply(f"\x1b[{event[5:-1]}")  # a sequence that is not a key
    return from_urwid(event)


class InputSplitter:
    """Takes input with `feed` and returns whole values; keeps incomplete ones for the next call.

    `unfinished` says what is kept. `"keys"` may be a key by itself (Esc), so call `flush` soon; `"paste"` and `"reply"`
    (or any other control sequence) when nothing more came for longer.
    """

    __slots__ = ("_buffered", "_open", "_pasted")

    def __init__(self) -> None:
        self._buffered = b""
        self._pasted = bytearray()
        self._open = ""

    @property
    def unfinished(self) -> str:
        """`"keys"`, `"paste"`, `"reply"`, or empty if nothing is kept."""
        if self._open == "sequence" or _BEGUN.match(self._buffered):
            return "reply"
        return self._open or ("keys" if self._buffered else "")

    def feed(self, data: bytes) -> list[TerminalInput]:
        """Return the values that `data` completes, in the order in which they were sent."""
        data, self._buffered = self._buffered + data, b""
        found: list[TerminalInput] = []
        while data:
            if self._open == "paste":
                data = self._paste(data, found)
            elif self._open == "reply":
                data = self._reply(data, found)
            elif self._open == "sequence":
                data = self._sequence(data, found)
            else:
                data = self._keys(data, found)
        return found

    def flush(self) -> list[TerminalInput]:
        """Return what is kept as it is: keys as keys, a paste as far as it came. An incomplete sequence is dropped."""
        within = self.unfinished
        data, self._buffered = self._buffered, b""
        self._open = ""
        if within == "paste":
            self._pasted += data
            return [self._finish_paste()]
        return [KeyBytes(data)] if within == "keys" else []

    def _keys(self, data: bytes, found: list[TerminalInput]) -> bytes:
        """Take the bytes before a control sequence with parameters or a control string as keys; return the rest."""
        opening = _OPENING.search(data)
        head = data[: opening.start()] if opening else data
        if opening is None:
            tail = _UNFINISHED.search(head, max(0, len(head) - LONGEST))
            if tail is not None:
                head, self._buffered = head[: tail.start()], tail[0]
        if head:
            found.append(KeyBytes(head))
        if opening is None:
            return b""
        self._open = opening.lastgroup or "reply"
        return data[opening.start() :]

    def _sequence(self, data: bytes, found: list[TerminalInput]) -> bytes:
        """Take the control sequence at the beginning of `data`. If another byte cuts it short, it is dropped."""
        body = _SEQUENCE.match(data)
        assert body is not None
        end = body.end()
        if end == len(data):
            # Of a sequence that will be dropped, the beginning is enough to recognise its end.
            self._buffered = data if end <= REPLY_LIMIT else data[: LONGEST + 1]
            return b""
        self._open = ""
        if not 0x40 <= data[end] <= 0x7E:
            return data[end:]
        rest = data[end + 1 :]
        lead, sequence = (data[:1], data[1 : end + 1]) if data[1] == 0x1B else (b"", data[: end + 1])
        if sequence == PASTE_START:
            self._open = "paste"
            if lead:
                found.append(KeyBytes(lead))
        elif len(sequence := canonical(sequence)) <= LONGEST:
            found.append(KeyBytes(lead + sequence))
        return rest

    def _paste(self, data: bytes, found: list[TerminalInput]) -> bytes:
        end = data.find(PASTE_END)
        if end >= 0:
            self._pasted += data[:end]
            self._open = ""
            found.append(self._finish_paste())
            return data[end + len(PASTE_END) :]
        kept = next((n for n in range(len(PASTE_END) - 1, 0, -1) if data.endswith(PASTE_END[:n])), 0)
        self._pasted += data[: len(data) - kept]
        self._buffered = data[len(data) - kept :]
        return b""

    def _finish_paste(self) -> Paste:
        text = self._pasted.decode(errors="replace")
        self._pasted = bytearray()
        return Paste(text.replace("\r\n", "\n").replace("\r", "\n"))

    def _reply(self, data: bytes, found: list[TerminalInput]) -> bytes:
        """Take the control string at the beginning of `data`. If another sequence, CAN or SUB cuts it short it is
        dropped, as terminals do."""
        end = _STRING_END.search(data, 1)
        if end is None:
            if len(data) > REPLY_LIMIT:
                self._open = ""
                return b""
            self._buffered = data
            return b""
        self._open = ""
        if end[0] in (b"\x07", b"\x1b\\", b"\x9c", b"\xc2\x9c"):
            last = "\x07" if end[0] == b"\x07" else "\x1b\\"
            found.append(TerminalReply(data[: end.start()].decode(errors="replace") + last))
            return data[end.end() :]
        return data[end.start() if end[0] == b"\x1b" else end.end() :]


def canonical(sequence: bytes) -> bytes:
    """Return a whole control sequence with the parameters that urwid reads; any but these three reports is unchanged.

    ECMA-48 lets a terminal leave out a parameter, which then is 0, and kitty ends its list of attributes with an empty
    one (`CSI ? 62 ; 52 ; c`, its `report_device_attributes`). Windows Terminal and xterm send a dozen attributes.
    """
    found = _REPORT.fullmatch(sequence)
    if found is None:
        return sequence
    fields = [field.partition(b":")[0] or b"0" for field in found[1].split(b";")]
    count = _PARAMETERS[found[2]]
    return b"\x1b[?" + b";".join([*fields, b"0"][:count]) + found[2]
