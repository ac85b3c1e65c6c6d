"""`Remembering`: what an extension registers, kept from run to run."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.declared.late import LateConnection
from zot_agent.extensions.declared.remembered import LastRun, NamesAndEvents, RememberedRegistrations
from zot_agent.extensions.discover import DiscoveredExtension, ResourcePaths
from zot_agent.extensions.registry import ExtensionRegistry
from zot_ext.limits import ExtensionLimits

if TYPE_CHECKING:
    from typing import Protocol

    from zot_agent.extensions import frames

    class MemoryOwner(Protocol):
        """What is needed of an extension: see `ManagedExtension`."""

        position: int
        found: DiscoveredExtension
        observes: set[str]
        intercepts: set[str]
        failure: str

        def log(self, text: str) -> None: ...


class Remembering:
    """What the extension `owner` registers, in a file below `home`.

    What it registered in its last run can be used at once, through `late`, a connection whose process starts a little
    later. Once the process is ready, what it has not registered again is given up.
    """

    connection_class = LateConnection

    def __init__(self, owner: "MemoryOwner", registry: ExtensionRegistry, home: str, limits: ExtensionLimits) -> None:
        self._owner, self._registry, self._limits = owner, registry, limits
        self._stored = RememberedRegistrations(owner.found, home, limits, owner.log)
        self._capabilities: Sequence[str] | None = None  # of the process, once it is ready
        self.late: LateConnection | None = None

    def load(self) -> LastRun | None:
        """Return what was registered in the last run; None if that is not known."""
        return self._stored.load()

    def note(self, frame: "frames.FromExtension") -> None:
        """Take note of a frame of the process."""
        self._stored.note(frame)

    def bring(self, paths: ResourcePaths) -> None:
        """Take note of the skills, prompt templates and themes that the process brings."""
        self._stored.brings = paths

    def settle(self, connection: Connection, changed: Callable[[], None], greet: Callable[[], None]) -> None:
        """The process is ready, or has ended: keep what it has registered for the next run, and give up what it has not
        registered again. `changed` is called then, and `greet` before the process gets the events that were kept. From
        now on the extension is like any other."""
        gone = self._stored.stale()
        if connection.state == "running" and connection.hello is not None:
            self._capabilities = connection.hello.capabilities
            self._stored.save(self._capabilities)
            self._give_up(connection, gone)
            self._owner.found.bring(self._stored.brings)
        elif self._owner.failure and not self._owner.intercepts:  # a guard that must not fail open stays known
            self._stored.forget()
        late, self.late = self.late, None
        if late is not None:
            late.settle(gone)
        changed()
        greet()
        if late is not None:
            late.release()

    async def before_stop(self, started: "asyncio.Task[None]") -> None:
        """Let a process that observes what has happened in a short run get it; keep what was registered late."""
        if self.late is not None and self.late.owes_events:
            self.late.need()
            await asyncio.wait([started], timeout=self._limits.ready_total_seconds)
        if self._capabilities is not None:
            self._stored.save(self._capabilities)

    def _give_up(self, connection: Connection, gone: NamesAndEvents) -> None:
        owner = self._owner
        for name in gone.commands:
            self._registry.remove_command(owner.position, name)
        for name in gone.tools:
            self._registry.remove_tool(owner.position, name)
        owner.observes -= gone.observes
        owner.intercepts -= gone.intercepts
        for event in gone.options:
            connection.intercept_options.pop(event, None)
