"""`search`: the lines of many files that match a pattern, with a time limit and without blocking the event loop.

The search runs in a separate process (see `line_search`). That process reads local files itself; the content of other
files is sent to it through `Files`.
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
from zot_core.tools.search import line_search
from zot_core.tools.search.piped_process import PipedProcess
from zot_core.tools.search.ripgrep import candidate_files, pattern_arguments
from zot_provider.record import Record, field, record


@record
class SearchLimits(Record):
    """The time limit of a search, and the size of its steps."""

    seconds: float = 20.0
    files: int = 1000
    """Files per step; the search can end between two steps."""
    bytes: int = 1024 * 1024
    """Bytes per message of content that is sent to the process, for files that are not local."""
    ripgrep: str = "rg"
    """The program that preselects files, used if it is found; empty to search without it."""
    process: bool = True
    """Search in a process; otherwise in a thread, which cannot be stopped (always where there is no Python program)."""


@record
class SearchQuery(Record):
    """What to search for; the fields are the parameters of `LineSearch`."""

    pattern: str
    literal: bool = False
    ignore_case: bool = False
    context: int = 0
    limit: int = 100
    width: int = 500


@record
class MatchLine(Record):
    """A line of a file: the path as given, the line number from 1, and whether the line matches or is context."""

    path: str
    number: int
    matches: bool
    text: str


@record
class SearchResult(Record):
    """`more`: there are more matches than the limit. `cut`: a line was cut. `timed_out`: the search is incomplete."""

    lines: list[MatchLine] = field(default_factory=list)
    more: bool = False
    cut: bool = False
    timed_out: bool = False


async def search(
    paths: AsyncIterator[str], base: str, query: SearchQuery, files: Files, limits: SearchLimits
) -> SearchResult:
    """Return the lines that match the query, in the order of `paths`, which are relative to `base`.

    Binary and unreadable files never match. Raises ValueError for an invalid pattern, and the OSError of `paths`.
    """
    line_search.compiled(query.pattern, literal=query.literal, ignore_case=query.ignore_case)
    local = type(files) is LocalFiles
    program = shutil.which(limits.ripgrep) if local and limits.ripgrep else None
    pattern = (
        pattern_arguments(query.pattern, literal=query.literal, ignore_case=query.ignore_case) if program else None
    )
    searcher = _Searcher(query, base, files, limits, local=local)
    try:
        async with asyncio.timeout(limits.seconds) as clock:
            async for portion in _portions(paths, limits.files):
                if program and pattern and len(portion) > 1:
                    portion = await candidate_files(program, pattern, portion, base)
                await searcher.search(portion)
                if searcher.result.more:
                    break
    except TimeoutError:
        if not clock.expired():
            raise
        searcher.result.timed_out = True
    finally:
        searcher.close()
    return searcher.result


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
    """Runs `line_search.respond` somewhere."""

    async def ask(self, line: bytes) -> bytes: ...

    def close(self) -> None: ...


class _InThread:
    def __init__(self, options: dict[str, Any]) -> None:
        self._search = line_search.LineSearch(**options)

    async def ask(self, line: bytes) -> bytes:
        return await asyncio.to_thread(line_search.respond, self._search, line)

    def close(self) -> None:
        """Do nothing: a thread cannot be stopped."""


class _InProcess:
    def __init__(self, options: dict[str, Any]) -> None:
        self._unsent = json.dumps(options).encode() + b"\n"
        self._child = PipedProcess([sys.executable, "-I", "-S", line_search.__file__])

    async def ask(self, line: bytes) -> bytes:
        unsent, self._unsent = self._unsent, b""
        return await self._child.ask(unsent + line)

    def close(self) -> None:
        self._child.close()


def _engine(query: SearchQuery, limits: SearchLimits) -> _Engine:
    options: dict[str, Any] = {name: getattr(query, name) for name in query.__match_args__}
    # A frozen program is not an interpreter: starting it would start zot again.
    python = sys.executable and not getattr(sys, "frozen", False) and os.path.isfile(line_search.__file__)
    return _InProcess(options) if limits.process and python else _InThread(options)


class _Searcher:
    """Sends files to an engine, which is started with the first one."""

    def __init__(self, query: SearchQuery, base: str, files: Files, limits: SearchLimits, *, local: bool) -> None:
        self._query, self._base, self._files, self._limits, self._local = query, base, files, limits, local
        self._engine: _Engine | None = None
        self._paths: list[str] = []  # the path of each text, in the order they were sent
        self._steps: list[tuple[str, str]] = []
        self._size = 0
        self.result = SearchResult()

    async def search(self, paths: list[str]) -> None:
        """Search the files, up to the first match beyond the limit."""
        for path in paths:
            if self.result.more:
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
                start += piece if len(start) < line_search.PROBE else b""
                if b"\0" in start[: line_search.PROBE]:
                    break
                self._steps.append(("piece", piece.decode("latin-1")))
                self._size += len(piece)
                if self._size >= self._limits.bytes:
                    await self._flush()
                if self.result.more:
                    return
        except OSError:  # deleted, or not readable
            pass
        self._steps.append(("close", ""))

    async def _flush(self) -> None:
        if not self._steps:
            return
        if self._engine is None:
            self._engine = _engine(self._query, self._limits)
        question, self._steps, self._size = json.dumps(self._steps).encode() + b"\n", [], 0
        answer = json.loads(await self._engine.ask(question))
        self.result.more, self.result.cut = answer["more"], answer["cut"]
        self.result.lines += [MatchLine(self._paths[text], *line) for text, *line in answer["found"]]

    def close(self) -> None:
        """Stop the engine."""
        if self._engine is not None:
            self._engine.close()
