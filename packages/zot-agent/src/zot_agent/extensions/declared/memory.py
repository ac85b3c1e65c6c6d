"""`Remembering`: what an extension registers, kept from run to run."""

import asyncio
from collections.abc import Sequence

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.declared.late_connection import LateConnection
from zot_agent.extensions.declared.registration_record import NamesAndEvents, RememberedRegistrations
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.hooks.registrations import OwnRegistrations
from zot_ext.limits import ExtensionLimits


class Remembering:
    """The registrations of the extension `found`, in a file below `home`; `own` is what it has registered now.

    What it registered in its last start, if that was complete, can be used at once, through a connection whose process
    starts a little later. If it has failed, or was not complete, the next run waits for the process, and only guards
    stay known. A process that is never ready changes nothing.
    """

    def __init__(self, own: OwnRegistrations, found: DiscoveredExtension, home: str, limits: ExtensionLimits) -> None:
        self._own, self._found, self._limits = own, found, limits
        self.stored = RememberedRegistrations(found, home, limits, own.log)
        self._capabilities: Sequence[str] | None = None  # of the process, once it is ready

    def complete(self, connection: Connection) -> NamesAndEvents | None:
        """The process is ready: give up what it has not registered again, and keep the rest for the next run if nothing
        is missing. A process that is only silent may not have begun to register. Returns what was given up, if
        anything was looked at."""
        gone = self.stored.stale()
        handshake = connection.handshake
        if handshake.auto_ready or handshake.hello is None:
            return None
        self._own.give_up(gone.commands, gone.tools, gone.observes)
        self._found.bring(self.stored.brings)
        if handshake.missing:
            self.fail()
        else:
            self._capabilities = handshake.hello.capabilities
            self.stored.save(self._capabilities)
        return gone

    def fail(self) -> None:
        """The program could not be started whole."""
        self._capabilities = None
        self.stored.outdate()

    def outdate(self) -> None:
        """The person has signed in somewhere, or out: the next run waits for what the program registers then."""
        self._capabilities = None
        self.stored.outdate_all()

    async def before_stop(self, late: LateConnection | None, started: "asyncio.Task[None]") -> None:
        """Let a process that observes what has happened in a short run get it; keep what was registered late."""
        if late is not None and late.owes_events:
            late.need()
            await asyncio.wait([started], timeout=self._limits.ready_total_seconds)
        if self._capabilities is not None:
            self.stored.save(self._capabilities)
