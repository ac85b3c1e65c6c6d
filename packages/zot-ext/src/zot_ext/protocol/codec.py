"""The codec of the protocol, shared by both sides: frames to lines of bytes and back.

Both sides are strict in what they write and tolerant in what they read. Unknown fields are dropped,
unknown types are kept as `Unknown`, missing fields take their zero values. A field of the wrong type is an
error that names the field.
"""

from __future__ import annotations

import functools

from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.frame import Unknown
from zot_ext.protocol.kinds import read_record, write_members
from zot_ext.protocol.raw import LARGE, dumped_bytes, line_bytes, one_line, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeVar

    from zot_ext.protocol.frame import Frame
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import FromHost

    F = TypeVar("F", bound=Frame)


def encode(frame: FromExtension | FromHost, *, limit: int = DEFAULT_LIMITS.frame_bytes) -> bytes:
    r"""Encode a frame as one line of UTF-8 that ends in `\n` and contains no other line end.

    Raw JSON is inserted as it was written (`zot_ext.protocol.raw.line_bytes` says which characters change).
    Raises `FrameError` for a field of the wrong type, for `NaN` and `Infinity`, and for a line longer than
    `limit` bytes without its newline.
    """
    lists: list[str] = []
    try:
        members = (f'"type":"{frame.type}"', *write_members(frame, lists=lists))
    except FrameError as error:
        raise FrameError(error.reason, frame=frame.type, field=error.field, id=_own_id(frame)) from None
    if lists and sum(map(len, lists)) < LARGE:
        members, lists = (*members, "".join(lists)[1:]), []
    if lists:  # two copies of what may be the whole conversation: one as text, one as bytes
        line = dumped_bytes("".join(("{", one_line(",".join(members)), *lists, "}\n")))
    elif sum(map(len, members)) >= LARGE:
        line = _large_line(members)
    else:
        line = line_bytes(f"{{{','.join(members)}}}") + b"\n"
    if len(line) > limit + 1:
        raise FrameError(f"{len(line) - 1} bytes, the limit is {limit}", frame=frame.type, id=_own_id(frame))
    return line


def _large_line(members: Sequence[str]) -> bytes:
    """Join the members of a large frame with few copies."""
    parts = [b"{"]
    for each in members:
        parts += (line_bytes(each), b",")
    parts[-1] = b"}\n"
    return b"".join(parts)


def decode_from_extension(line: bytes, known: Sequence[str] = ()) -> FromExtension | Unknown:
    """Decode a line that an extension sent, with or without its newline. What `parse_object` says of `known` is true of
    messages.

    Bytes that are not UTF-8 become U+FFFD. Raises `FrameError` when the line is not one JSON object with a
    `type`, or when a field has the wrong type.
    """
    return _decode(line, _extension_frames(), known)


def decode_from_host(line: bytes) -> FromHost | Unknown:
    """Decode a line that the host sent, with or without its newline. Otherwise as `decode_from_extension`."""
    return _decode(line, _host_frames())


# Local imports: a process decodes one direction and should not define the classes of the other.
@functools.cache
def _extension_frames() -> dict[str, type[FromExtension]]:
    from zot_ext.protocol.from_extension import FROM_EXTENSION  # noqa: PLC0415

    return {frame.type: frame for frame in FROM_EXTENSION}


@functools.cache
def _host_frames() -> dict[str, type[FromHost]]:
    from zot_ext.protocol.from_host import FROM_HOST  # noqa: PLC0415

    return {frame.type: frame for frame in FROM_HOST}


def _decode(line: bytes, frames: Mapping[str, type[F]], known: Sequence[str] = ()) -> F | Unknown:
    try:
        members = parse_object(line.decode(errors="replace"), known)
    except FrameError as error:
        raise FrameError(f"line is {error.reason}") from None
    values = {name: value for name, (value, _) in members.items()}
    name = values.get("type")
    if not isinstance(name, str) or not name:
        raise FrameError("frame has no type", id=_id_of(values.get("id")))
    frame = frames.get(name)
    if frame is None:
        return Unknown(name, values)
    for field in frame.ignored(values):
        values.pop(field, None)
    try:
        return read_record(frame, values, {field: text for field, (_, text) in members.items()}, "")
    except FrameError as error:
        raise FrameError(error.reason, frame=name, field=error.field, id=_id_of(values.get("id"))) from None


def _own_id(frame: Frame) -> str:
    return _id_of(getattr(frame, "id", ""))


def _id_of(value: object) -> str:
    return value if isinstance(value, str) else ""
