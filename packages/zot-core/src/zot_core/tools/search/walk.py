"""`walk`: the paths below a folder, sorted, without `.git` and without the paths that `.gitignore` excludes.

Links are listed and never followed, so there are no cycles and no duplicates. Unreadable folders are skipped.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from zot_core.aio import in_thread
from zot_core.machine.interface import Files
from zot_core.tools.search.ignore import NAME, IgnoreRules, rules_above
from zot_provider.record import Record, field

_THREAD_ENTRIES = 500
_THREAD_WORK = 1_000_000
"""Entries times characters of rules; their verdicts take some 10 ms."""


class WalkLimits(Record):
    """The longest duration of a walk in seconds, and the most parts of a path (None: no limit)."""

    seconds: float = 20.0
    depth: int | None = None


class TreeEntry(Record):
    """A file, folder or link; `path` is relative to the start of the walk and ends in a slash for a folder."""

    path: str
    link: bool = False

    @property
    def folder(self) -> bool:
        return self.path.endswith("/")


class WalkResult(Record):
    """The paths that a walk found; `more`: there are others; `timed_out`: the walk is incomplete."""

    paths: list[str] = field(default_factory=list)
    more: bool = False
    timed_out: bool = False


async def walked(
    base: str,
    cwd: str,
    files: Files,
    wanted: Callable[[TreeEntry], bool],
    *,
    count: int,
    limits: WalkLimits,
    hidden: bool = True,
) -> WalkResult:
    """Return the first `count` paths below `base` that `wanted` accepts. Raises OSError if `base` cannot be listed."""
    found = WalkResult()
    try:
        async with (
            asyncio.timeout(limits.seconds) as clock,
            aclosing(walk(base, cwd, files, hidden=hidden, depth=limits.depth)) as entries,
        ):
            async for entry in entries:
                if wanted(entry):
                    if len(found.paths) == count:
                        found.more = True
                        break
                    found.paths.append(entry.path)
    except TimeoutError:
        if not clock.expired():
            raise
        found.timed_out = True
    return found


async def walk(
    base: str, cwd: str, files: Files, *, hidden: bool = True, depth: int | None = None
) -> AsyncGenerator[TreeEntry, None]:
    """Yield the entries below `base`, sorted by path, each folder before its contents.

    `hidden` includes names that begin with a dot. `depth` is the most parts of a path. Raises OSError if `base` itself
    cannot be listed.
    """
    above = await rules_above(base, cwd, files)
    # A stack instead of recursion: a tree may be deeper than the interpreter's stack.
    waiting = [_reversed(await _list(base, "", above, files, hidden=hidden))]
    while waiting:
        if not waiting[-1]:
            waiting.pop()
            continue
        entry, rules = waiting[-1].pop()
        yield entry
        if entry.folder and (depth is None or len(waiting) < depth):
            try:
                found = await _list(os.path.join(base, entry.path), entry.path, rules, files, hidden=hidden)
            except OSError:
                continue
            waiting.append(_reversed(found))


def _reversed(found: tuple[list[TreeEntry], IgnoreRules]) -> list[tuple[TreeEntry, IgnoreRules]]:
    entries, rules = found
    return [(entry, rules) for entry in reversed(entries)]


async def _list(
    folder: str, path: str, rules: IgnoreRules, files: Files, *, hidden: bool
) -> tuple[list[TreeEntry], IgnoreRules]:
    """Return the entries of a folder that are not excluded, and the rules that apply in it."""
    await asyncio.sleep(0)  # lets the loop run: files in memory never wait
    found = await files.list(folder, follow=False)
    if any(name == NAME for name, _ in found):
        rules = await rules.below(folder, path, files)

    def included(check: Callable[[], None]) -> list[TreeEntry]:
        entries = []
        for name, kind in found:
            check()
            if name == ".git" or kind == "other" or (name.startswith(".") and not hidden):
                continue
            entry = TreeEntry(f"{path}{name}/" if kind == "directory" else f"{path}{name}", kind == "link")
            if not rules.rules or not rules(entry.path):
                entries.append(entry)
        return sorted(entries, key=lambda entry: entry.path)

    # A large folder, or a long list of rules, would block the screen noticeably.
    large = len(found) > _THREAD_ENTRIES or len(found) * rules.size > _THREAD_WORK
    return await in_thread(included) if large else included(lambda: None), rules
