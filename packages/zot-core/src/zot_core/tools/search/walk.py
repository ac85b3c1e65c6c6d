"""`walk`: the paths below a folder, sorted, without what `.gitignore` keeps out and without `.git`.

Links are told and never followed: no circle, nothing twice. A folder that cannot be listed is passed over.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from zot_core.machine.interface import Files
from zot_core.tools.search.ignore import NAME, Ignored, rules_above
from zot_provider.record import Record, field, record

_MANY = 500


@record
class WalkLimits(Record):
    """How long a walk may take in seconds, and how many parts a path may have (None: any number)."""

    seconds: float = 20.0
    depth: int | None = None


@record
class Entry(Record):
    """What a walk meets: `path`, relative to where it began; a folder's ends in a slash."""

    path: str
    link: bool = False

    @property
    def folder(self) -> bool:
        """Whether it is a folder."""
        return self.path.endswith("/")


@record
class Walked(Record):
    """The paths of a walk; `more`: there are others; `timed_out`: not everything was looked at."""

    paths: list[str] = field(default_factory=list)
    more: bool = False
    timed_out: bool = False


async def walked(
    base: str,
    cwd: str,
    files: Files,
    wanted: Callable[[Entry], bool],
    *,
    count: int,
    limits: WalkLimits,
    hidden: bool = True,
) -> Walked:
    """The first `count` paths below `base` that are wanted. Raises OSError if `base` cannot be listed."""
    found = Walked()
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
) -> AsyncGenerator[Entry, None]:
    """What is below `base`, in the order of the paths as text, a folder before what is in it.

    `hidden`: names that begin with a dot too. `depth`: how many parts a path may have. Raises OSError if `base` itself
    cannot be listed.
    """
    above = await rules_above(base, cwd, files)
    # A stack instead of recursion: a tree may be deeper than the interpreter's.
    waiting = [_reversed(await _listed(base, "", above, files, hidden=hidden))]
    while waiting:
        if not waiting[-1]:
            waiting.pop()
            continue
        entry, rules = waiting[-1].pop()
        yield entry
        if entry.folder and (depth is None or len(waiting) < depth):
            try:
                found = await _listed(os.path.join(base, entry.path), entry.path, rules, files, hidden=hidden)
            except OSError:
                continue
            waiting.append(_reversed(found))


def _reversed(found: tuple[list[Entry], Ignored]) -> list[tuple[Entry, Ignored]]:
    entries, rules = found
    return [(entry, rules) for entry in reversed(entries)]


async def _listed(folder: str, path: str, rules: Ignored, files: Files, *, hidden: bool) -> tuple[list[Entry], Ignored]:
    """The entries of a folder that are to be seen, and the rules that hold in it."""
    await asyncio.sleep(0)  # files that are in memory wait for nothing
    found = await files.list(folder, follow=False)
    if any(name == NAME for name, _ in found):
        rules = await rules.below(folder, path, files)

    def seen() -> list[Entry]:
        entries = [
            Entry(f"{path}{name}/" if kind == "directory" else f"{path}{name}", kind == "link")
            for name, kind in found
            if name != ".git" and kind != "other" and (hidden or not name.startswith("."))
        ]
        entries = [entry for entry in entries if not rules(entry.path)] if rules.rules else entries
        return sorted(entries, key=lambda entry: entry.path)

    # A large folder takes long enough to be seen on a screen.
    return await asyncio.to_thread(seen) if len(found) > _MANY else seen(), rules
