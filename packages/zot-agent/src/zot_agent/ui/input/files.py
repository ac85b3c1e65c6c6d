"""The paths that `@` offers: files and directories below the working directory.

In a repository git lists them; elsewhere zot's own walk does, which follows `.gitignore`. Both run in a thread and
report partial lists, so that the first paths can be offered at once.
"""

import asyncio
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import aclosing, suppress
from itertools import islice

from zot_core.aio import alive, finish, spawn
from zot_core.machine.files import LocalFiles
from zot_core.machine.git import git_command, git_environment
from zot_core.tools.text.paths import replace_undecodable
from zot_provider.record import Record
from zot_tui.signal import Signal
from zot_tui.text.fuzzy import EXACT_CANDIDATES, Match, Ranked, rank

_PIECE = 64 * 1024
_FIRST_PART = 500  # paths after which the first partial list is reported; the next comes at twice as many
_CHUNK = 1000  # paths that are ranked before a newer query is checked for
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f]")  # names with these cannot be put into a prompt
_GIT = ("ls-files", "-co", "--exclude-standard", "-z")


class IndexLimits(Record):
    """How many paths are kept, the seconds a search may take, and the seconds after which it is repeated."""

    paths: int = 50_000
    seconds: float = 5.0
    fresh: float = 5.0


class FileIndex:
    """The paths below `cwd`, relative to it, those near the root first; directories end in a slash.

    `complete` is whether the last search saw everything. `close` must be called at the end.
    """

    def __init__(self, cwd: str, limits: IndexLimits | None = None) -> None:
        """`changed` is emitted in the loop whenever `known` has changed."""
        self._cwd = cwd
        self._limits = limits or IndexLimits()
        self.changed: Signal[[]] = Signal()
        self._filling: asyncio.Task[None] | None = None
        self._filled_at: float | None = None
        self._newest = 0
        self.known: list[str] = []
        """The paths found so far; a new list whenever it changes."""
        self.complete = False

    async def paths(self) -> list[str]:
        """Return the known paths. If the list is empty or old, start a search in the background."""
        loop = asyncio.get_running_loop()
        old = self._filled_at is None or loop.time() - self._filled_at > self._limits.fresh
        if old and not (self._filling and alive(self._filling)):
            self._filling = spawn(self._fill(), "index of files")
            await asyncio.sleep(0)
        return self.known

    async def filled(self) -> list[str]:
        """Return the known paths after the current or first search. The search continues if the caller is cancelled."""
        await self.paths()
        if self._filling is not None:
            await asyncio.wait([self._filling])
        return self.known

    async def search(self, text: str, limit: int = 50) -> list[Ranked[str]] | None:
        """Return the `limit` best known matches for `text`, best first; for an empty text the paths near the root, for
        a directory the paths below it.

        Returns None if a newer search has begun meanwhile.
        """
        self._newest += 1
        number, known = self._newest, self.known
        await self.paths()
        known = self.known or known
        if not text.strip():
            return [Ranked(path, Match(0, [])) for path in known[:limit]]
        if text.endswith("/") and text in known:
            below = (path for path in known if path.startswith(text) and path != text)
            return [Ranked(path, Match(0, [])) for path in islice(below, limit)]
        found = await asyncio.to_thread(self._search, text, known, limit, number)
        return found if number == self._newest else None

    def _search(self, text: str, known: list[str], limit: int, number: int) -> list[Ranked[str]] | None:
        # A sort cannot be interrupted by another thread: sort in parts, not everything at once.
        spread = _spread(text)
        near: list[tuple[int, int, int]] = []
        for start in range(0, len(known), _CHUNK):
            if number != self._newest:
                return None
            for index, path in enumerate(known[start : start + _CHUNK], start):
                cells = spread(path)
                if cells is not None:
                    near.append((cells, len(path), index))
            near.sort()
            del near[max(limit, EXACT_CANDIDATES) :]
        return rank(text, [known[index] for _, _, index in near], str, limit)

    async def close(self) -> None:
        """Stop the search for paths and wait for its end."""
        self._newest += 1
        if self._filling is not None and alive(self._filling):
            self._filling.cancel()
            await asyncio.wait([self._filling])

    async def _fill(self) -> None:
        loop = asyncio.get_running_loop()
        search = _PathSearch(self._cwd, self._limits, lambda paths: _soon(loop, lambda: self._grow(paths)))
        timer = loop.call_later(self._limits.seconds, search.stop)
        work = spawn(asyncio.to_thread(search.run), "list of files")
        try:
            cancelled = await finish(work, search.stop)
        finally:
            timer.cancel()
        if cancelled:
            raise asyncio.CancelledError
        found, self.complete = work.result()
        self._filled_at = loop.time()
        if found != self.known:
            self.known = found
            self.changed.emit()

    def _grow(self, paths: list[str]) -> None:
        """Show a partial list of the first search; later searches replace the list only when complete."""
        if self._filled_at is None and len(paths) > len(self.known):
            self.known = paths
            self.changed.emit()


def _spread(query: str) -> Callable[[str], int | None]:
    """Return a function for the span of a query's letters in a path, None if they do not match in order.

    It does the first step of `rank` at a third of the cost: each key is matched against tens of thousands of paths.
    """
    words = [(_in_order(word), _in_order(word[::-1])) for word in query.lower().split()]

    def spread(path: str) -> int | None:
        small, cells = path.lower(), 0
        for forth, back in words:
            found = forth.search(small)
            if found is None:
                return None
            tight = back.match(small[: found.end()][::-1])  # the last letter as early, the first as late as possible
            cells += tight.end() if tight else found.end()
        return cells

    return spread


def _in_order(letters: str) -> re.Pattern[str]:
    between = [f"[^{re.escape(letter)}]*{re.escape(letter)}" for letter in letters[1:]]
    return re.compile(re.escape(letters[0]) + "".join(between), re.DOTALL)


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop is closed
        loop.call_soon_threadsafe(call)


class _Full(Exception):
    """The limit of paths is reached."""


class _PathSearch:
    """One search, run in a thread; `stop` may be called from any thread."""

    def __init__(self, cwd: str, limits: IndexLimits, report: Callable[[list[str]], None]) -> None:
        self._cwd = cwd
        self._limits = limits
        self._report = report
        self._next = _FIRST_PART
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._levels: list[list[str]] = []
        self._seen: set[str] = set()

    def run(self) -> tuple[list[str], bool]:
        """Return the paths and whether they are complete. A failure only shortens the list."""
        try:
            complete = self._from_git() or self._from_walk()
        except _Full:
            complete = False
        return self._sorted(), complete and not self._stopped.is_set()

    def stop(self) -> None:
        """Stop the search soon; the paths found so far are kept."""
        with self._lock:
            self._stopped.set()
            self._kill()

    def _from_git(self) -> bool:
        """Return whether git listed any paths, or was stopped."""
        with self._lock:
            if self._stopped.is_set():
                return True
            try:
                self._process = process = _git(self._cwd)
            except OSError:
                return False
        try:
            for path in _split(process):
                self._add(path)
        finally:
            with self._lock:
                self._kill()
                process.wait()
                self._process = None
            if process.stdout is not None:
                process.stdout.close()
        return bool(self._seen) or self._stopped.is_set()

    def _kill(self) -> None:
        """Kill git and its children, if it runs. Needs the lock, so that the process id is still git's own."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                if sys.platform == "win32":
                    self._process.kill()
                else:
                    os.killpg(self._process.pid, signal.SIGKILL)

    def _from_walk(self) -> bool:
        try:
            asyncio.run(self._walk())
        except OSError:
            return False
        return True

    async def _walk(self) -> None:
        from zot_core.tools.search.walk import walk  # noqa: PLC0415  only for a folder without git, and not for the first screen

        async with aclosing(walk(self._cwd, self._cwd, LocalFiles())) as entries:
            async for entry in entries:
                if self._stopped.is_set():
                    return
                self._add(entry.path)

    def _add(self, path: str) -> None:
        """Add a path, and before it the paths of its parent directories that are not in the list yet. Bytes of a name
        that are no text are U+FFFD, by which the file is found again."""
        path = replace_undecodable(path)
        if path in self._seen or _UNFIT.search(path):
            return  # a file with conflicts is listed once for each side
        above = path.rfind("/", 0, len(path) - 1) + 1
        if above and path[:above] not in self._seen:
            end = 0
            while end := path.find("/", end, above) + 1:
                if path[:end] not in self._seen:
                    self._put(path[:end])
        self._put(path)

    def _put(self, path: str) -> None:
        if len(self._seen) >= self._limits.paths:
            raise _Full
        self._seen.add(path)
        depth = path.count("/", 0, len(path) - 1)
        if depth >= len(self._levels):
            self._levels += [[] for _ in range(depth + 1 - len(self._levels))]
        self._levels[depth].append(path)
        if len(self._seen) >= self._next:
            self._next *= 2  # all partial lists together cost as much as one more list
            self._report(self._sorted())

    def _sorted(self) -> list[str]:
        return [path for level in self._levels for path in level]


def _git(cwd: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        git_command(*_GIT),
        cwd=cwd,
        env=git_environment(os.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        bufsize=0,
    )


def _split(process: "subprocess.Popen[bytes]") -> Iterator[str]:
    """Yield the paths that git prints, each ended by a zero byte; an incomplete last one is dropped."""
    assert process.stdout is not None
    rest = b""
    while piece := process.stdout.read(_PIECE):
        *paths, rest = (rest + piece).split(b"\0")
        yield from _texts(paths)


def _texts(paths: Iterable[bytes]) -> Iterator[str]:
    return (os.fsdecode(path) for path in paths)
