"""`search`: a pattern in many files, at most for a time, beside the event loop.

The pattern is looked for in a process of its own (see `linesearch`). Files of this machine are read there; the content
of others goes there through `Files`.
"""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator
from typing import Any, Protocol

from zot_core.machine.files import LocalFiles
from zot_core.machine.interface import Files
from zot_core.tools.search import line_search as linesearch
from zot_core.tools.search.child import Child
from zot_core.tools.search.ripgrep import arguments, sieve
from zot_provider.record import Record, field, record


@record
class SearchLimits(Record):
    """How long a search may take, and what it does at a time."""

    seconds: float = 20.0
    files: int = 1000
    """How many files are looked at between two moments in which the search may end."""
    bytes: int = 1024 * 1024
    """How much of the files that are not of this machine is sent at a time."""
    ripgrep: str = "rg"
    """The program that sorts out files, if there is one of that name; empty for none."""
    process: bool = True
    """Look in a process; else in a thread, which nothing can stop. Always so where Python is no program."""


@record
class Query(Record):
    """What to look for; the fields are those of `LineSearch`."""

    pattern: str
    literal: bool = False
    ignore_case: bool = False
    context: int = 0
    limit: int = 100
    width: int = 500


@record
class Line(Record):
    """A line of a file: its path as it was given, its number from 1, whether it matches or is only near one."""

    path: str
    number: int
    matches: bool
    text: str


@record
class Found(Record):
    """`more`: there are more matches than the limit. `cut`: some lines were. `timed_out`: not all was looked at."""

    lines: list[Line] = field(default_factory=list)
    more: bool = False
    cut: bool = False
    timed_out: bool = False


async def search(paths: AsyncIterator[str], base: str, query: Query, files: Files, limits: SearchLimits) -> Found:
    """The lines in which the query is found, in the order of `paths`, which are below `base`.

    Binary files and those that cannot be read have none. Raises ValueError for a pattern that is none, and the OSError
    of `paths`.
    """
    linesearch.compiled(query.pattern, literal=query.literal, ignore_case=query.ignore_case)
    local = type(files) is LocalFiles
    program = shutil.which(limits.ripgrep) if local and limits.ripgrep else None
    looking_for = arguments(query.pattern, literal=query.literal, ignore_case=query.ignore_case) if program else None
    asking = _Asking(query, base, files, limits, local=local)
    try:
        async with asyncio.timeout(limits.seconds) as clock:
            async for portion in _portions(paths, limits.files):
                if program and looking_for and len(portion) > 1:
                    portion = await sieve(program, looking_for, portion, base)
                await asking.about(portion)
                if asking.found.more:
                    break
    except TimeoutError:
        if not clock.expired():
            raise
        asking.found.timed_out = True
    finally:
        asking.close()
    return asking.found


async def _portions(paths: AsyncIterator[str], size: int) -> AsyncIterator[list[str]]:
    portion: list[str] = []
    async for path in paths:
        portion.append(path)
        if len(portion) >= size:
            yield portion
            portion = []
    if portion:
        yield portion


class _Engine(Protocol):
    """What answers the questions of `linesearch.respond`."""

    async def ask(self, line: bytes) -> bytes: ...

    def close(self) -> None: ...


class _InThread:
    def __init__(self, options: dict[str, Any]) -> None:
        self._search = linesearch.LineSearch(**options)

    async def ask(self, line: bytes) -> bytes:
        return await asyncio.to_thread(linesearch.respond, self._search, line)

    def close(self) -> None:
        """Nothing is held."""


class _InProcess:
    def __init__(self, options: dict[str, Any]) -> None:
        self._unsaid = json.dumps(options).encode() + b"\n"
        self._child = Child([sys.executable, "-I", "-S", linesearch.__file__])

    async def ask(self, line: bytes) -> bytes:
        unsaid, self._unsaid = self._unsaid, b""
        return await self._child.ask(unsaid + line)

    def close(self) -> None:
        self._child.close()


def _engine(query: Query, limits: SearchLimits) -> _Engine:
    options: dict[str, Any] = {name: getattr(query, name) for name in query.__match_args__}
    # A frozen program is no interpreter: starting it would start zot again.
    python = sys.executable and not getattr(sys, "frozen", False) and os.path.isfile(linesearch.__file__)
    return _InProcess(options) if limits.process and python else _InThread(options)


class _Asking:
    """Puts files to an engine, which is started for the first one."""

    def __init__(self, query: Query, base: str, files: Files, limits: SearchLimits, *, local: bool) -> None:
        self._query, self._base, self._files, self._limits, self._local = query, base, files, limits, local
        self._engine: _Engine | None = None
        self._paths: list[str] = []  # of the texts, in the order they were sent
        self._steps: list[tuple[str, str]] = []
        self._size = 0
        self.found = Found()

    async def about(self, paths: list[str]) -> None:
        """Look at the files, up to the first match that is too many."""
        for path in paths:
            if self.found.more:
                return
            self._paths.append(path)
            if self._local:
                self._steps.append(("path", os.path.join(self._base, path)))
            else:
                await self._send(os.path.join(self._base, path))
        await self._flush()

    async def _send(self, path: str) -> None:
        start = b""
        try:
            async for piece in self._files.chunks(path):
                start += piece if len(start) < linesearch.PROBE else b""
                if b"\0" in start[: linesearch.PROBE]:
                    break
                self._steps.append(("piece", piece.decode("latin-1")))
                self._size += len(piece)
                if self._size >= self._limits.bytes:
                    await self._flush()
                if self.found.more:
                    return
        except OSError:  # gone, or not for us to read
            pass
        self._steps.append(("close", ""))

    async def _flush(self) -> None:
        if not self._steps:
            return
        if self._engine is None:
            self._engine = _engine(self._query, self._limits)
        question, self._steps, self._size = json.dumps(self._steps).encode() + b"\n", [], 0
        answer = json.loads(await self._engine.ask(question))
        self.found.more, self.found.cut = answer["more"], answer["cut"]
        self.found.lines += [Line(self._paths[text], *row) for text, *row in answer["rows"]]

    def close(self) -> None:
        """No more questions."""
        if self._engine is not None:
            self._engine.close()
