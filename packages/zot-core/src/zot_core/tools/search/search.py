"""`search`: the lines of many files that match a pattern, within limits and without blocking the event loop.

The work is done by a child process, because nothing else stops a regular expression: ripgrep, if it is installed and
reads the pattern as Python does, otherwise Python with `line_search`. Both print the same rows. They differ in bytes
that are not UTF-8, which nothing matches in ripgrep, and in rare characters: which are letters, which are white space.
"""

import asyncio
import contextlib
import json
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import groupby

from zot_core.aio import spawn
from zot_core.errors import ToolError
from zot_core.machine.interface import Files
from zot_core.machine.process_groups import kill_child, lower_priority
from zot_core.tools.search import line_search
from zot_core.tools.text.encoding import decode, shown
from zot_core.tools.text.file_encoding import LARGEST, Utf8Check, file_encoding
from zot_provider.files.regular_file import read_start
from zot_provider.record import Record, field

_PIECE = 64 * 1024
_MOST_LINES = 1_000_000_000
"""Of matches and of context, for programs that take no larger numbers."""

_ALIKE = re.compile(
    r"""(?:
        [^\\.^$*+?{}\[\]|()\0\r\n\ufffd\ud800-\udfff]  # itself
      | \\[dDwWsStfv]
      | \\[\\.^$*+?{}\[\]|()/"'-]                      # punctuation that both allow to be escaped
      | [.)]
      | (?:[\^$|]|\\[bB])(?![*+?{])
      | \((?:\?:|(?!\?))
      | (?:[*+?]|\{\d{1,3}(?:,(?:\d{1,3})?)?\})\??(?![*+?{])
      | \[\^?(?:[\w ./:;,<>=!?@#%"'`$()*+{}|]|\\[dwstfv\\.\]\[^$/-]|(?<=[A-Za-z0-9])-(?=[A-Za-z0-9])|-(?=\]))+\]
    )+""",
    re.VERBOSE | re.ASCII,
)
"""The patterns that ripgrep and Python read in the same way."""

_RIPGREP = (
    *("--no-config", "--no-messages", "--no-ignore", "--hidden", "--text", "--crlf", "--mmap", "--threads=1"),
    *("--color=never", "--no-heading", "--with-filename", "--null", "--line-number", "--no-context-separator"),
    *("--field-match-separator=:", "--field-context-separator=-", "--max-columns-preview"),
)

_ROW = re.compile(rb"([^\0]+)\0(\d+)([:-])([^\n]*)\n")


class SearchLimits(Record):
    seconds: float = 20.0
    pattern: int = 10_000
    """Most characters of the pattern."""
    bytes: int = 1024 * 1024
    """Bytes of lines after which the search ends."""
    files: int = 1000
    """Most files that one process searches."""
    arguments: int = 100_000
    """Most bytes of paths on its command line."""
    copied: int = 64 * 1024 * 1024
    """Most bytes of a file that is searched as a copy, because it is not on this machine."""
    at_once: int = 8
    """How many files are copied at the same time."""
    ripgrep: str = "rg"
    """The program that searches, if it is found; empty to search without it."""


class SearchQuery(Record):
    """The limits of a search: the first `limit` matching lines, and `context` lines around each, cut at `width`
    characters.

    `pattern` is a regular expression in Python's syntax, or plain text if `literal`.
    """

    pattern: str
    literal: bool = False
    ignore_case: bool = False
    context: int = 0
    limit: int = 100
    width: int = 500


class MatchLine(Record):
    """A line of a file: the path as given, the line number from 1, and whether the line matches or is context."""

    path: str
    number: int
    matches: bool
    text: str


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
    if len(query.pattern) > limits.pattern:
        raise ValueError(f"it has {len(query.pattern)} characters, more than {limits.pattern}")
    searcher = _Searcher(query, limits)
    try:
        async with asyncio.timeout(limits.seconds) as clock:
            async for portion in _portions(paths, limits):
                await _search_some(searcher, portion, base, files, limits)
                if searcher.full:
                    break
            await searcher.decode(base, files)
    except TimeoutError:
        if not clock.expired():
            raise
        searcher.result.timed_out = True
    return searcher.result


async def _search_some(searcher: "_Searcher", paths: list[str], base: str, files: Files, limits: SearchLimits) -> None:
    """Search files where they are, if they are on this machine and the pattern is found in their bytes. Others are
    copied as UTF-8."""
    if not files.direct:
        await _search_copies(searcher, paths, base, files, limits)
        return
    odd = set() if searcher.ascii else await asyncio.to_thread(_not_utf_8, paths, base)
    for copied, some in groupby(paths, odd.__contains__):
        if copied:
            await _search_copies(searcher, [*some], base, files, limits)
        else:
            await searcher.search({path: path for path in some}, base)
        if searcher.full:
            return
    if not paths:  # the pattern is checked all the same
        await searcher.search({}, base)


def _not_utf_8(paths: list[str], base: str) -> set[str]:
    """Return which of the files are not UTF-8, as far as their size allows to look at them."""
    found: set[str] = set()
    for path in paths:
        check = Utf8Check()
        try:
            check.feed(read_start(os.path.join(base, path), LARGEST))
        except OSError:
            continue
        if not check.value:
            found.add(path)
    return found


async def _portions(paths: AsyncIterator[str], limits: SearchLimits) -> AsyncIterator[list[str]]:
    """Split the paths into lists for one process each: at least one list, so that every pattern is checked."""
    portion: list[str] = []
    size = 0
    async for path in paths:
        size += len(os.fsencode(path)) + len("./\0")
        if portion and (len(portion) == limits.files or size > limits.arguments):
            yield portion
            portion, size = [], len(os.fsencode(path))
        portion.append(path)
    yield portion


async def _search_copies(
    searcher: "_Searcher", paths: list[str], base: str, files: Files, limits: SearchLimits
) -> None:
    """Copy the files to a temporary folder, as many at a time as the limit allows, and search there."""
    from tempfile import TemporaryDirectory  # noqa: PLC0415  5 ms that only files of other machines need

    with TemporaryDirectory(prefix="zot-grep-") as folder:
        names: dict[str, str] = {}
        size = 0
        for first in range(0, len(paths), limits.at_once):
            await asyncio.sleep(0)  # lets the loop run: small files are read without waiting
            some = {str(first + number): path for number, path in enumerate(paths[first : first + limits.at_once])}
            size += await _copy_some(some, base, folder, files, limits)
            names |= some
            if size >= limits.copied:
                await searcher.search(names, folder)
                for name in names:
                    os.unlink(os.path.join(folder, name))
                names, size = {}, 0
            if searcher.full:
                return
        await searcher.search(names, folder)


async def _copy_some(names: Mapping[str, str], base: str, folder: str, files: Files, limits: SearchLimits) -> int:
    """Copy files side by side, because another machine answers late; return how many bytes there were."""
    copies = [
        spawn(_copy(files, os.path.join(base, path), os.path.join(folder, name), limits.copied), f"copy of {path}")
        for name, path in names.items()
    ]
    try:
        return sum([await each for each in copies])
    finally:
        for each in copies:
            each.cancel()
        await asyncio.wait(copies)


async def _copy(files: Files, source: str, target: str, room: int) -> int:
    """Copy the first `room` bytes as UTF-8; return how many there were. What cannot be read is left out."""
    size = 0
    check = Utf8Check()
    with open(target, "wb", buffering=0) as copy, contextlib.suppress(OSError):
        async for piece in files.chunks(source):
            check.feed(piece[: room - size])
            size += copy.write(piece[: room - size])
            if size >= room:
                break
        if not check.value and size <= LARGEST:
            content = await files.read(source, LARGEST)
            with contextlib.suppress(ToolError):  # it is no text
                encoding = await file_encoding(content, source, source, files)
                copy.truncate(0)
                copy.seek(0)
                copy.write(shown(decode(content, encoding.codec)).encode("utf-8", "replace"))
    return size


class _Searcher:
    """Runs one process for each portion of files, and collects what they print."""

    def __init__(self, query: SearchQuery, limits: SearchLimits) -> None:
        self._query, self._limits = query, limits
        ripgrep = shutil.which(limits.ripgrep) if limits.ripgrep else None
        self._ripgrep = [ripgrep, *_ripgrep_options(query)] if ripgrep and read_alike(query) else None
        self._python = [sys.executable, "-I", "-S", line_search.__file__, json.dumps(_python_options(query))]
        self._matches = self._size = 0
        self._looked_at = ("", False)
        self._odd: list[tuple[MatchLine, bytes]] = []
        """Lines that are not UTF-8."""
        self.ascii = query.pattern.isascii()
        self.full = False
        self.result = SearchResult()

    async def search(self, names: Mapping[str, str], folder: str) -> None:
        """Search the files `names` of `folder`; the values are their paths in the result. ValueError for an invalid
        pattern."""
        files = [f"./{name}" for name in names] or [os.devnull]
        before = len(self.result.lines), self._matches, self._size, self.result.cut
        if self._ripgrep is not None:
            code, _ = await self._run([*self._ripgrep, "--", *files], names, folder)
            if self.full or code in (0, 1):
                return
            # ripgrep refused the pattern, or could not read a file.
            kept, self._matches, self._size, self.result.cut = before
            del self.result.lines[kept:]
        code, rest = await self._run([*self._python, *files], names, folder)
        if code == 2:
            raise ValueError(rest.decode("utf-8", "replace"))
        if code:
            raise OSError(f"the search process failed with exit code {code}")

    async def _run(self, command: Sequence[str], names: Mapping[str, str], folder: str) -> tuple[int, bytes]:
        """Run the command until it ends or enough is found. Return its exit code and the rest of its output, which is
        not a row. OSError if it cannot be started."""
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        lower_priority(process.pid)
        assert process.stdout is not None
        rest = b""
        try:
            while not self.full and (piece := await process.stdout.read(_PIECE)):
                rest = self._collect(rest + piece, names, folder)
            return (0 if self.full else await process.wait()), rest
        finally:
            if process.returncode is None:
                kill_child(process)
            await process.communicate()

    def _collect(self, printed: bytes, names: Mapping[str, str], folder: str) -> bytes:
        """Take the rows, and return what follows the last one."""
        end = 0
        for row in _ROW.finditer(printed):
            end = row.end()
            name = os.fsdecode(row[1]).removeprefix("./")
            if not self.full and not self._binary(os.path.join(folder, name)):
                self._add(names[name], int(row[2]), row[4], matches=row[3] == b":")
        self.full = self.full or len(printed) - end > self._limits.bytes
        return printed[end:]

    def _binary(self, path: str) -> bool:
        if path != self._looked_at[0]:
            self._looked_at = path, line_search.is_binary(path)
        return self._looked_at[1]

    def _add(self, path: str, number: int, line: bytes, *, matches: bool) -> None:
        if matches and self._matches == self._query.limit:
            self.result.more = self.full = True
            self._drop_context()
            return
        self._matches += matches
        self._size += len(line)
        self.full = self._size > self._limits.bytes
        row = MatchLine(path, number, matches, self._cut(line.decode("utf-8", "replace")))
        self.result.lines.append(row)
        if "\ufffd" in row.text:
            self._odd.append((row, line))

    def _cut(self, line: str) -> str:
        text = shown(line.removesuffix("\r"))
        if len(text) <= self._query.width:
            return text
        self.result.cut = True
        return f"{text[: self._query.width]}... [truncated]"

    async def decode(self, base: str, files: Files) -> None:
        """Show lines that are not UTF-8 in the encodings of their files, as `read` does."""
        for path, rows in groupby(self._odd, lambda odd: odd[0].path):
            try:
                content = await files.read(os.path.join(base, path), LARGEST)
                encoding = await file_encoding(content, path, os.path.join(base, path), files)
            except (OSError, ToolError):
                continue
            if encoding.codec.startswith("utf-16"):  # the search has decoded it
                continue
            for row, line in rows:
                row.text = self._cut(decode(line, encoding.codec))

    def _drop_context(self) -> None:
        """Remove the context of the match after the last match that counts."""
        lines = self.result.lines
        last = next(line for line in reversed(lines) if line.matches)
        while lines[-1].path != last.path or lines[-1].number > last.number + self._query.context:
            lines.pop()


def read_alike(query: SearchQuery) -> bool:
    """Whether ripgrep reads the pattern as Python does."""
    if query.literal:
        return not re.search("[\0\r\n\ufffd\ud800-\udfff]", query.pattern)
    return _ALIKE.fullmatch(query.pattern) is not None


def _ripgrep_options(query: SearchQuery) -> list[str]:
    return [
        *_RIPGREP,
        "--fixed-strings" if query.literal else "--no-fixed-strings",
        "--ignore-case" if query.ignore_case else "--case-sensitive",
        f"--max-columns={_length(query)}",
        f"--max-count={min(query.limit, _MOST_LINES) + 1}",
        f"--context={min(query.context, _MOST_LINES)}",
        f"--regexp={query.pattern}",
    ]


def _python_options(query: SearchQuery) -> dict[str, object]:
    fields = {name: getattr(query, name) for name in ("pattern", "literal", "ignore_case")}
    return {**fields, "context": min(query.context, _MOST_LINES), "length": _length(query)}


def _length(query: SearchQuery) -> int:
    """The bytes of a line to print, with which a longer line has more than `width` characters."""
    return 4 * query.width + 4
