"""An image's size in pixels, read from its first bytes; pure.

Formats: PNG (W3C, 5.2 and 11.2.2), GIF89a (17, 18), JPEG (ITU-T T.81, B.2.2), WebP (RFC 9649, 2.5 to 2.7).
"""

from base64 import b64decode
from typing import NamedTuple

HEAD = 1 << 16
"""Characters of base64 that usually contain an image's size; a photograph may have a thumbnail before it."""

SEGMENTS = 2000
"""The most segments and fill bytes of a JPEG that are searched for its size; cameras write some dozens."""

_NO_FRAME = frozenset({0xC4, 0xC8, 0xCC})  # in the range of JPEG's frame headers, but not frame headers
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})  # JPEG markers without a length


class Pixels(NamedTuple):
    width: int
    height: int


def base64_pixels(data: str) -> Pixels | None:
    """Return the size of the image of base64 `data`, decoding no more than necessary; None also if it is not base64."""
    for piece in (data[:HEAD], data) if len(data) > HEAD else (data,):
        try:
            found = pixels(b64decode(piece))
        except ValueError:
            return None
        if found is not None:
            return found
    return None


def pixels(data: bytes) -> Pixels | None:
    """Return the size of a PNG, GIF, JPEG or WebP; None for anything else, and if the beginning is incomplete."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        return Pixels(int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        return Pixels(int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little"))
    if data.startswith(b"\xff\xd8"):
        return _jpeg(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        return _webp(data)
    return None


def _jpeg(data: bytes) -> Pixels | None:
    """Return the size in the first frame header among the segments."""
    at = 2
    for _ in range(SEGMENTS):
        if at + 9 > len(data) or data[at] != 0xFF:
            break
        marker = data[at + 1]
        if marker == 0xFF or marker in _BARE:
            at += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in _NO_FRAME:
            return Pixels(int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big"))
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def _webp(data: bytes) -> Pixels | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return Pixels(int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1)
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return Pixels((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if kind == b"VP8 ":
        return Pixels(int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF)
    return None
