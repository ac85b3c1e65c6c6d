"""`FileOrder`: lets file calls of one batch run side by side with the same result as one after the other.

A call takes a ticket, declares what it accesses, and waits for the earlier calls that conflict with it: two calls that
write one file, or a call that writes what another reads. Calls without a conflict do not wait. A call only waits for
earlier ones, so there is no deadlock.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from zot_provider.record import Record


class FileAccess(Record):
    """The access of a call: the file with the real path `path`, or any file (None); and whether it writes."""

    path: str | None
    writes: bool = False

    def conflicts_with(self, other: "FileAccess") -> bool:
        """Whether the order of the two accesses matters."""
        same = self.path is None or other.path is None or self.path == other.path
        return same and (self.writes or other.writes)


class Ticket:
    """A call's place in the order."""

    def __init__(self, earlier: list["Ticket"]) -> None:
        self._earlier = earlier
        self._access: FileAccess | None = None
        self._declared = asyncio.Event()
        self._done = asyncio.Event()

    async def wait_for(self, access: FileAccess) -> None:
        """Declare the access and wait until every earlier call that conflicts with it has ended."""
        self._access = access
        self._declared.set()
        for ticket in self._earlier:
            await ticket._declared.wait()
            if ticket._access is not None and ticket._access.conflicts_with(access):
                await ticket._done.wait()
        self._earlier = []

    def release(self) -> None:
        """Let later calls pass."""
        self._declared.set()
        self._done.set()


class FileOrder:
    def __init__(self) -> None:
        self._tickets: list[Ticket] = []

    @contextmanager
    def ticket(self) -> Iterator[Ticket]:
        """Take the next ticket and hold it until the block is left."""
        ticket = Ticket(list(self._tickets))
        self._tickets.append(ticket)
        try:
            yield ticket
        finally:
            self._tickets.remove(ticket)
            ticket.release()
