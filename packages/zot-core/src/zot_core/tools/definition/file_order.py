"""`FileOrder`: file calls of one batch run side by side and still do what they would do one after the other.

A call takes its place in line, says what it reaches, and waits for the earlier calls it could disturb or be disturbed
by: two that write one file, one that writes what another reads. All others pass. As everyone waits only for earlier
ones, nobody waits for ever.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from zot_provider.record import Record, record


@record
class FileAccess(Record):
    """What a call touches: the file with the real path `path`, or any file at all (None); and whether it writes."""

    path: str | None
    writes: bool = False

    def disturbs(self, other: "FileAccess") -> bool:
        """Whether the order of the two matters."""
        same = self.path is None or other.path is None or self.path == other.path
        return same and (self.writes or other.writes)


class Ticket:
    """A place in line."""

    def __init__(self, earlier: list["Ticket"]) -> None:
        self._earlier = earlier
        self._reach: FileAccess | None = None
        self._told = asyncio.Event()
        self._done = asyncio.Event()

    async def on(self, reach: FileAccess) -> None:
        """Say what is reached; returns when everything earlier that matters to it has ended."""
        self._reach = reach
        self._told.set()
        for claim in self._earlier:
            await claim._told.wait()
            if claim._reach is not None and claim._reach.disturbs(reach):
                await claim._done.wait()
        self._earlier = []

    def end(self) -> None:
        """Let the later ones pass."""
        self._told.set()
        self._done.set()


class FileOrder:
    """The line of one agent's calls."""

    def __init__(self) -> None:
        self._claims: list[Ticket] = []

    @contextmanager
    def claim(self) -> Iterator[Ticket]:
        """The next place in line, held until the block is left."""
        claim = Ticket(list(self._claims))
        self._claims.append(claim)
        try:
            yield claim
        finally:
            self._claims.remove(claim)
            claim.end()
