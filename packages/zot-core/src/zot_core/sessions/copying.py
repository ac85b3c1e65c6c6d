"""Copy rows of a session file into another file, byte by byte, with another `meta` row."""

import os
from bisect import bisect_right
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, BinaryIO

from zot_core.sessions import rows
from zot_core.sessions.raw import read_row
from zot_core.sessions.rows import CompactionRow, Meta
from zot_core.sessions.store import free_path, short_id
from zot_core.sessions.tree import KINDS, UnknownEntry, file_rows
from zot_provider.files.private_folder import make_private
from zot_provider.record import Record, field

_CHUNK = 1 << 20


class CopyPlan(Record):
    """The beginning of a file: the pieces to copy, and the compactions, whose rows have an offset that changes; the
    number of messages, the id of the last entry, and the model and the title there."""

    pieces: list[tuple[int, int] | CompactionRow] = field(default_factory=list)
    messages: int = 0
    last: str = ""
    model: str = ""
    provider: str = ""
    title: str = ""


def plan_copy(source: Iterable[bytes], entry: str = "", *, before: bool = False) -> CopyPlan:
    """Return what to copy from the lines of a session file: all rows, or those up to an entry, or with `before` up to
    the one before it. Rows after the entry that are no entries, such as its usage, belong to it. Raises `UnknownEntry`.
    """
    copy, begin, end, reached = CopyPlan(), 0, 0, False
    for kind, id, first, start, line in file_rows(source):
        if kind in KINDS and (reached or (before and id == entry)):
            end, reached = first, True
            break
        end = start + len(line)
        row = read_row(line) if kind in ("meta", "rename", "compaction") else {}
        if kind in ("meta", "rename") or "offset" in row:  # these are written again or left out
            if begin < start:
                copy.pieces.append((begin, start))
            begin = end
        if kind in ("meta", "rename"):
            _read_names(copy, row)
        elif kind in KINDS:
            if "offset" in row and (compaction := rows.read_compaction(row)) is not None:
                compaction.summary.id = id
                copy.pieces.append(compaction)
            copy.messages += kind != "custom"
            copy.last, reached = id, id == entry
    if entry and not reached:
        raise UnknownEntry(f"the session has no entry {entry!r}")
    if begin < end:
        copy.pieces.append((begin, end))
    return copy


def _read_names(copy: CopyPlan, row: dict[str, Any]) -> None:
    """Take the model and the title from a `meta` or `rename` row."""
    if (meta := rows.read_meta(row.get("meta"))) is not None:
        copy.model, copy.provider, copy.title = meta.model, meta.provider, meta.title or copy.title
    elif isinstance(row.get("title"), str):
        copy.title = row["title"]


def create_copy(folder: str, meta: Meta, source: BinaryIO, plan: CopyPlan) -> str:
    """Write what was planned into a new session file with this `meta` row, and return its path. The file is complete
    or not there. Raises OSError."""
    make_private(folder)
    temporary = os.path.join(folder, f".{meta.id}.tmp")
    try:
        with open(temporary, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as target:
            write_copy(target, meta, source, plan)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    path = free_path(folder, short_id(meta.session_id))
    os.rename(temporary, path)
    return path


def write_copy(target: BinaryIO, meta: Meta, source: BinaryIO, plan: CopyPlan) -> None:
    """Write a `meta` row and what was planned. Raises OSError."""
    target.write(rows.to_bytes(rows.meta_row(meta)))
    starts: list[int] = []  # of the pieces, in the source and in the copy
    moved: list[int] = []
    for piece in plan.pieces:
        if isinstance(piece, CompactionRow):
            at = bisect_right(starts, piece.offset) - 1
            offset = target.tell() if not piece.kept or at < 0 else moved[at] + piece.offset - starts[at]
            target.write(rows.to_bytes(rows.compaction_row(piece.replace(offset=offset))))
        else:
            starts.append(piece[0])
            moved.append(target.tell())
            _copy_bytes(source, target, piece[0], piece[1] - piece[0])


def _copy_bytes(source: BinaryIO, target: BinaryIO, start: int, count: int) -> None:
    """Copy a part of a file to the end of another one, by the kernel if it can."""
    target.flush()
    if hasattr(os, "copy_file_range"):
        with suppress(OSError):  # not on this file system
            while count and (copied := os.copy_file_range(source.fileno(), target.fileno(), count, start)):
                start, count = start + copied, count - copied
    target.seek(0, os.SEEK_END)
    source.seek(start)
    while count and (data := source.read(min(count, _CHUNK))):
        target.write(data)
        count -= len(data)
