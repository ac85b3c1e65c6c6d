"""`ExtensionStart`: how far the start of an extension has come, and what must be guarded meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from zot_agent.extensions import frames
from zot_agent.extensions.calls.intercept_options import InterceptOptions, read_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Protocol

    from zot_agent.extensions.connection import Connection
    from zot_agent.extensions.declared.late_connection import LateConnection
    from zot_agent.extensions.declared.memory import Remembering
    from zot_agent.extensions.declared.registration_record import LastRun
    from zot_agent.extensions.hooks.registrations import OwnRegistrations
    from zot_agent.extensions.requests import RequestFrame

    class StartOwner(Protocol):
        """The members of an extension in use here: see `ManagedExtension`."""

        registrations: OwnRegistrations
        failure: str
        connection: Connection | None
        memory: Remembering | None

        def greet(self, connection: Connection, *, first: bool) -> None: ...
        def say_missing(self) -> None: ...


class ExtensionStart:
    """The start of the extension `owner`, which is complete when its process has said that it is ready.

    Until then the owner intercepts what it did in its last complete start, and always what its manifest declares.
    """

    def __init__(self, owner: StartOwner, declared: Mapping[str, Any], log: Callable[[str], None]) -> None:
        self._owner = owner
        self.guards = read_options(declared, log)
        """The events that it must intercept, by its manifest."""
        self.intercepts: set[str] = set()
        """The events that the present process intercepts."""
        self.may_have_tools = True
        """Whether it has tools, or nobody knows."""
        self.late: LateConnection | None = None
        """The connection, if what it registered in its last run holds until the process is ready."""
        self.given_up = False
        """Whether nobody waits for the process any more, which is not ready."""
        self._waited = self._lost_tools = False
        self._early: LateConnection | None = None  # takes requests, and its process has not been started
        self._greeted: Connection | None = None  # what has got `session_start`

    @property
    def unfinished(self) -> bool:
        """Whether the present process has begun and was never ready."""
        return self._waited or self.given_up

    @property
    def absence(self) -> str:
        """Why something of the extension is not there, a line; empty if nothing is known to be missing."""
        connection = self._owner.connection
        missing = () if connection is None else connection.handshake.missing
        return self._owner.failure or ("it is not ready yet" if self.given_up else "; ".join(missing))

    @property
    def missing_tools(self) -> str:
        """Its missing tools, in words; empty if none is known to be missing."""
        if self._owner.failure or self.given_up:
            return "the tools" if self.may_have_tools else ""
        return "some tools" if self.absence and self._lost_tools else ""

    def guarded(self, options: Mapping[str, InterceptOptions]) -> dict[str, InterceptOptions]:
        """Return the options of events, which also block where the manifest says so."""
        return {event: each.with_guard(self.guards.get(event)) for event, each in options.items()}

    def prepare(self, connection: LateConnection, known: LastRun | None) -> None:
        """The process will be started for `connection`, which takes requests. What is `known` of it holds until it is
        ready."""
        self._early = connection
        if known is not None:
            self.late, self.may_have_tools = connection, bool(known.tools)

    def expect(self, connection: LateConnection, options: Mapping[str, InterceptOptions]) -> None:
        """Let `connection` be asked about these events, and about the declared ones, before the process has begun."""
        connection.intercept_options |= options
        connection.intercept_options |= self.guarded(
            {event: options.get(event, each) for event, each in self.guards.items()}
        )
        self._owner.registrations.intercepts |= connection.intercept_options.keys()

    def has_registered(self, frame: RequestFrame) -> bool:
        """Whether the present process has registered what a request is about."""
        owner = self._owner
        if isinstance(frame, frames.EventIntercept) and frame.event in owner.registrations.intercepts:
            return frame.event in self.intercepts
        return owner.memory is None or owner.memory.stored.has(frame)

    def has_begun(self) -> bool:
        """Whether silence of the process can mean that it has registered everything. What is remembered was stored
        after a frame `ready`; and a guard that has not subscribed has not begun."""
        return self.late is None and self._owner.registrations.intercepts <= self.intercepts

    def begin(self) -> LateConnection | None:
        """A process is about to start, and somebody waits for it. Return the early connection that is to have it."""
        self.intercepts, self._waited, self.given_up = set(), True, False
        early, self._early = self._early, None
        return early

    async def wait(self, connection: Connection, seconds: float) -> None:
        """Return once the process is ready or has ended, or it takes too long."""
        try:
            await asyncio.wait_for(connection.handshake.ready.wait(), seconds)
        except TimeoutError:
            self.give_up()

    def give_up(self) -> None:
        """Nobody waits for the process any more: say so, once."""
        if not (self.given_up or self._owner.failure):
            self.given_up = True
            self._owner.say_missing()

    def is_ready(self, connection: Connection) -> None:
        """The process has sent `ready`. What waits for it settles that."""
        if not self._waited:
            self.settle(connection, first=False)

    def settle(self, connection: Connection, *, first: bool) -> None:
        """The process is ready, has ended, or nobody waits for it any more. With `first` it gets `session_start` as at
        the start of zot."""
        owner, ready, gone = self._owner, connection.is_ready, None
        self._waited = False
        if ready:
            self.given_up = False
            gone = None if owner.memory is None else owner.memory.complete(connection)
            self._lost_tools = bool(connection.handshake.missing if self.late is None else gone and gone.tools)
            self.may_have_tools = owner.registrations.has_tools or self._lost_tools
        if ready and not (self.absence or connection.handshake.auto_ready):
            owner.registrations.intercepts = self.intercepts | self.guards.keys()
            for event in () if gone is None else gone.options:
                connection.intercept_options.pop(event, None)
            connection.intercept_options |= {e: each for e, each in self.guards.items() if e not in self.intercepts}
        self.late = None
        if gone is not None:
            gone = gone.replace(intercepts=gone.intercepts - owner.registrations.intercepts)
        lacks = f"is not complete: {self.absence}" if self.absence else "does not do this, though its manifest says so"
        connection.settle(gone, lacks if ready else "is not ready yet", late=not ready)
        owner.registrations.change()
        if self._greeted is not connection:
            self._greeted = connection
            owner.greet(connection, first=first)
        connection.release()
