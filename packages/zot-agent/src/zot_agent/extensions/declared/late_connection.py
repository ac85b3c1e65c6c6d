"""`LateConnection`: an extension that is known before its process is ready, by what it registered in its last run, or
by its guards."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from zot_agent.extensions import frames
from zot_agent.extensions.connection import Connection
from zot_agent.extensions.declared.registration_record import NamesAndEvents
from zot_agent.extensions.requests import ExtensionEnded, TimedOut
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_agent.extensions.requests import R, RequestFrame


class Lacks(Record):
    """Why a process has not registered everything, as the end of a sentence that begins "extension 'x'". `late`: it may
    still do so."""

    why: str
    late: bool = False


class LateConnection(Connection):
    """A connection that takes requests and events before its process is ready. The first request starts the process and
    waits for it; events are kept until then. The owner calls `settle` and `release` when the process is ready or has
    ended, and before that when nobody waits for it any more."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._needed, self._settled = asyncio.Event(), asyncio.Event()
        self._events: list[frames.Event] = []
        self._gone = NamesAndEvents()
        self._lacks: Lacks | None = None
        self._postponed = False
        self.due = 0.0
        """When the process starts, by the clock of the loop, if it is not needed before."""

    @property
    def owes_events(self) -> bool:
        """Whether events are kept for the process."""
        return bool(self._events)

    def need(self) -> None:
        """Start the process now."""
        self._needed.set()

    def postpone(self) -> None:
        """Do not start the process before `start_delay_seconds` from the first call on, unless it is needed: a model is
        about to be asked, and the start of a process would take time from that."""
        if not self._postponed:
            self._postponed, self.due = True, self._soon()

    def _soon(self) -> float:
        return asyncio.get_running_loop().time() + self._limits.start_delay_seconds

    async def needed(self) -> bool:
        """Return once the process is to start; false if it was stopped before that."""
        self.due = max(self.due, self._soon())
        while not self._needed.is_set() and (left := self.due - asyncio.get_running_loop().time()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._needed.wait()
        return self.state == "starting"

    async def fail(self) -> None:
        """The process cannot be started."""
        self.end_reason = self.end_reason or f"cannot be started; see zot ext logs {self.name}"
        await self.stop()

    async def stop(self) -> None:
        """Stop the process, or what waits for its start."""
        await super().stop()
        self._needed.set()
        self._settled.set()

    def settle(self, gone: NamesAndEvents | None, why: str, *, late: bool) -> None:
        """Let requests pass, but for what is `gone` (known before, and not registered again by a process that is
        ready), and for what the process has not registered: that fails, as `why` says, and may come yet if the process
        is `late`. `release` must follow."""
        self._gone, self._lacks = gone or NamesAndEvents(), Lacks(why, late)
        self._settled.set()

    def release(self) -> None:
        """Send the events that were kept."""
        events, self._events = self._events, []
        for event in events:
            self.send(event, droppable=True)

    def send(self, frame: frames.FromHost, *, droppable: bool = False) -> None:
        """Send a frame, or keep an event, of which the first ones are kept."""
        if self._settled.is_set():
            super().send(frame, droppable=droppable)
            return
        from zot_ext.protocol.from_host import Event  # noqa: PLC0415  `frames` would load the other direction too

        if not isinstance(frame, Event):
            super().send(frame, droppable=droppable)
        elif len(self._events) < self._limits.queue_frames:
            self._events.append(frame)
        else:
            self.log("an event was dropped because the process is not ready yet")

    async def request(self, frame: RequestFrame, reply: type[R], seconds: float) -> R:
        """Send a frame once the process is ready. Raises as `Connection.request` does."""
        self.need()
        asks = isinstance(frame, frames.EventIntercept)
        try:
            async with asyncio.timeout(self._limits.remembered_seconds):
                await self._settled.wait()
        except TimeoutError:
            if asks or not self._listener.has_registered(frame):
                why = f"extension {self.name!r} was not ready within {self._limits.remembered_seconds:g} s"
                raise (TimedOut if asks else ExtensionEnded)(why) from None
        if self.state == "running":
            if (name := self._gone_name(frame)) and not self._listener.has_registered(frame):  # some come after `ready`
                raise ExtensionEnded(f"extension {self.name!r} does not have {name} any more")
            if isinstance(frame, frames.EventIntercept) and frame.event in self._gone.intercepts:
                allowed: Any = frames.EventInterceptResponse(frame.id)
                answer: R = allowed
                return answer
            if self._lacks is not None and not self._listener.has_registered(frame):
                kind = TimedOut if asks and self._lacks.late else ExtensionEnded
                raise kind(f"extension {self.name!r} {self._lacks.why}")
        return await super().request(frame, reply, seconds)

    def _gone_name(self, frame: RequestFrame) -> str:
        match frame:
            case frames.ToolCall(name=name) if name in self._gone.tools:
                return name
            case frames.CommandInvoked(name=name) if name.lower() in self._gone.commands:
                return name
        return ""
