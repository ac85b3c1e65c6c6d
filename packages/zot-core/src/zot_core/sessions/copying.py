"""Copy rows of a session file into another file, byte by byte, with another `meta` row."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import BinaryIO

from zot_core.sessions import rows
from zot_core.sessions.memory import UnknownEntry
from zot_core.sessions.raw import read_row
from zot_core.sessions.rows import CompactionRow, Meta
from zot_core.sessions.tree import KINDS, FileRow, file_rows
from zot_provider.record import Record, field, record

_CHUNK = 1 << 20


@record
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
    copy, start, end, reached = CopyPlan(), 0, 0, False

    def cut(row: FileRow) -> None:
        nonlocal start
        if start < row.start:
            copy.pieces.append((start, row.start))
        start = row.start + len(row.line)

    for row in file_rows(source):
        if row.kind in KINDS and (reached or (before and row.id == entry)):
            end, reached = row.first, True
            break
        end = row.start + len(row.line)
        if row.kind in ("meta", "rename"):
            cut(row)
            value = read_row(row.line)
            if row.kind == "meta" and (meta := rows.read_meta(value.get("meta"))) is not None:
                copy.model, copy.provider, copy.title = meta.model, meta.provider, meta.title or copy.title
            elif isinstance(value.get("title"), str):
                copy.title = value["title"]
        elif row.kind in KINDS:
            if row.kind == "compaction" and (compaction := rows.read_compaction(read_row(row.line))) is not None:
                cut(row)
                compaction.summary.id = row.id
                copy.pieces.append(compaction)
            copy.messages += row.kind != "custom"
            copy.last, reached = row.id, row.id == entry
    if entry and not reached:
        raise UnknownEntry(f"the session has no entry {entry!r}")
    if start < end:
        copy.pieces.append((start, end))
    return copy


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
            source.seek(piece[0])
            _copy_bytes(source, target, piece[1] - piece[0])


def _copy_bytes(source: BinaryIO, target: BinaryIO, count: int) -> None:
    while count and (data := source.read(min(count, _CHUNK))):
        target.write(data)
        count -= len(data)
