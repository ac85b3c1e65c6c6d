"""Keys that are held down or let go, and typed text, in reports of kitty's keyboard protocol; pure.

A report is `CSI code:shifted:base ; modifiers:kind ; text u`, or the form of another key with `modifiers:kind`
(https://sw.kovidgoyal.net/kitty/keyboard-protocol/). urwid reads the key itself and ignores the rest.
"""

import re
from typing import Literal, NamedTuple, TypeAlias

KeyKind: TypeAlias = Literal["press", "repeat", "release"]

KINDS_ON = "\x1b[=31;1u"  # all of the protocol: every key is a report, with its kind and its text
RELEASES_ON = "\x1b[=7;1u"  # what urwid asks for, and when keys are let go
KINDS_OFF = "\x1b[=5;1u"  # what urwid asks for: keys that are ambiguous otherwise, with their shifted character

_REPORT = re.compile(rb"\x1b\[([0-9]*)[0-9:]*(?:;([0-9]*)(?::([0-9]))?(?:;([0-9:]*))?)?[u~A-HPQS]")
_KINDS: dict[bytes, KeyKind] = {b"2": "repeat", b"3": "release"}
_TYPING = 1 | 64 | 128  # the modifiers with which a key types its text: Shift, Caps Lock, Num Lock


class KeyReport(NamedTuple):
    """The rest of a report, besides the key: its kind, and the text that the key types, if any."""

    kind: KeyKind
    text: str


def read_report(data: bytes) -> KeyReport | None:
    """Return what a report of a key says; None for a press without text, and for anything else."""
    found = _REPORT.fullmatch(data)
    if found is None:
        return None
    kind = _KINDS.get(found[3] or b"", "press")
    typing = not (int(found[2] or 1) - 1) & ~_TYPING
    points = [int(point) for point in (found[4] or b"").split(b":") if point] if typing else []
    text = "".join(chr(point) for point in points if 32 <= point < 0x110000)
    return KeyReport(kind, text) if kind != "press" or text else None
