"""`.zotsession`: a session file to give away. The format is that of the Go zot.

It has the rows of a session file, as they are, after one `meta` row without the working directory. Who imports it gets
a session with a new id and start time, in their own directory.
"""

import os
from collections.abc import Iterator
from typing import BinaryIO

from zot_core.clock import timestamp
from zot_core.errors import SessionError, SessionNotFound, UnusableFile
from zot_core.printable import first_line
from zot_core.sessions import rows
from zot_core.sessions.branch import first_meta
from zot_core.sessions.copying import create_copy, plan_copy, write_copy
from zot_core.sessions.listing import SessionEntry
from zot_core.sessions.raw import read_row
from zot_core.sessions.rows import Meta
from zot_core.sessions.store import SessionStore, new_session_id
from zot_provider.files.regular_file import open_regular
from zot_provider.record import Record

_LOOKS_LIKE = {b"PK": "a ZIP archive", b"\x1f\x8b": "a gzip archive", b"%PDF": "a PDF file", b"<": "an HTML page"}
_START = 512


class ImportLimits(Record):
    """The largest file that is imported, and its longest line, in bytes."""

    file_bytes: int = 1 << 30
    line_bytes: int = 64 << 20


def write_portable(entry: SessionEntry, target: BinaryIO) -> None:
    """Write the session of `entry` in the form of a `.zotsession` file. Raises OSError and `SessionError`."""
    meta = first_meta(entry.path)
    if meta is None:
        raise UnusableFile(f"{entry.path} is not a session file: it has no meta row")
    with open(entry.path, "rb", opener=open_regular) as source:
        plan = plan_copy(source)
        meta = meta.replace(cwd="", model=plan.model, provider=plan.provider, title=plan.title, other={})
        write_copy(target, meta, source, plan)


def import_session(store: SessionStore, path: str, cwd: str, version: str, limits: ImportLimits | None = None) -> str:
    """Copy the session file or `.zotsession` file at `path` into `store`, as a new session of the directory `cwd`, and
    return its path. `version` is that of this program.

    Raises `SessionNotFound`, `UnusableFile` if the file is not a session or is larger than `limits`, and `SessionError`
    if it cannot be copied; nothing is left behind then.
    """
    limits = limits or ImportLimits()
    try:
        source = open(path, "rb", opener=open_regular)  # noqa: SIM115  closed below
    except FileNotFoundError:
        raise SessionNotFound(f"no file at {path}") from None
    except OSError as error:
        raise UnusableFile(f"cannot import {path}: {error.strerror}") from error
    with SessionError.of_system(f"cannot import {path}"), source:
        _check_start(source, path, limits)
        plan = plan_copy(_lines(source, path, limits))
        if not plan.messages:
            raise UnusableFile(f"{path} has no messages")
        title = first_line(plan.title)
        meta = Meta(new_session_id(), cwd, plan.model, plan.provider, timestamp(), version, title)
        return create_copy(store.folder(cwd), meta, source, plan)


def _check_start(source: BinaryIO, path: str, limits: ImportLimits) -> None:
    """Raise `UnusableFile` unless the file begins with a `meta` row."""
    if os.fstat(source.fileno()).st_size > limits.file_bytes:
        raise UnusableFile(f"{path} is larger than {limits.file_bytes:,} bytes")
    line = source.readline(limits.line_bytes)
    source.seek(0)
    start = source.read(_START).lstrip()
    source.seek(0)
    row = read_row(line) if line.startswith(b"{") else {}
    if row.get("type") == "meta" and rows.read_meta(row.get("meta")) is not None:
        return
    kinds = (name for first, name in _LOOKS_LIKE.items() if start.startswith(first))
    found = next(kinds, "another kind of file") if line else "an empty file"
    raise UnusableFile(f"{path} is not a session but {found}; a session begins with a meta row")


def _lines(source: BinaryIO, path: str, limits: ImportLimits) -> Iterator[bytes]:
    while line := source.readline(limits.line_bytes):
        if len(line) == limits.line_bytes and not line.endswith(b"\n"):
            raise UnusableFile(f"{path} has a line of more than {limits.line_bytes:,} bytes")
        yield line
