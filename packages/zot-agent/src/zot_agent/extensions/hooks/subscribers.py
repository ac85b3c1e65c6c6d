"""`Subscribers`: the extensions, and the programs beside them, that observe and intercept events."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from zot_agent.extensions import frames
from zot_agent.extensions.calls.intercept_options import USUAL
from zot_agent.extensions.tool_calls import caller
from zot_core.aio import spawn
from zot_ext.protocol.permissions import may_intercept

if TYPE_CHECKING:
    from zot_agent.extensions.hooks.interceptor import Interceptor, MorePrograms
    from zot_agent.extensions.hooks.registrations import OwnRegistrations
    from zot_ext.limits import ExtensionLimits

    class Subscriber(Protocol):
        """The parts of a `ManagedExtension` that are needed here."""

        registrations: OwnRegistrations

        @property
        def connection(self) -> Interceptor | None: ...


class Subscribers:
    """The `members` that want an event, in load order, and the programs beside them, which `find` returns.

    `ready` returns once all of them have registered, and `settled` whether that is so: see `Extensions.ready`.
    """

    def __init__(
        self,
        members: Iterable[Subscriber],
        find: Callable[[], MorePrograms | None],
        limits: ExtensionLimits,
        ready: Callable[..., Coroutine[Any, Any, None]],
        settled: Callable[[], bool],
    ) -> None:
        self.limits, self.ready, self._settled = limits, ready, settled
        self._members, self._find = members, find
        self._programs: MorePrograms | None = None
        self._found: dict[tuple[str, str, str], list[Interceptor]] = {}

    @property
    def observed(self) -> bool:
        return self._programs is not None or any(each.registrations.observes for each in self._members)

    def observers(self, event: str) -> list[Interceptor]:
        """The running extensions that observe `event`, and the programs."""
        return self._subscribed("observes", event)

    def interceptors(self, event: str, tool: str = "") -> list[Interceptor]:
        """The extensions that intercept `event`, and may for `tool`, the highest priority first, and then the
        programs. An extension that has ended is among them if it wanted the event to be blocked then."""
        found = self._subscribed("intercepts", event, tool)
        # An extension that calls a tool is not asked about that call: it may wait for the result.
        return [each for each in found if each is not caller.get()] if tool else found

    def ask_about(self, *events: str) -> bool:
        """Return whether somebody intercepts one of these events, or may yet register that."""
        return not self._settled() or any(map(self.interceptors, events))

    def _subscribed(self, kind: Literal["observes", "intercepts"], event: str, tool: str = "") -> list[Interceptor]:
        found = self._found.get((kind, event, tool))
        if found is None:
            connections = [
                member.connection
                for member in self._members
                if member.connection is not None
                and (own := member.registrations)
                and event in (own.observes if kind == "observes" else own.intercepts)
                and (not tool or may_intercept(own.permissions, event, tool))
            ]
            if kind == "intercepts":
                connections.sort(key=lambda each: -each.intercept_options.get(event, USUAL).priority)
            more: Sequence[Interceptor] = ()
            if self._programs is not None:
                programs = self._programs
                more = programs.observers(event) if kind == "observes" else programs.interceptors(event, tool)
            found = self._found[kind, event, tool] = [*connections, *more]
        return found

    def changed(self) -> None:
        """Names or subscriptions have changed."""
        self._found.clear()

    def notify_programs(self, name: str, **members: str) -> None:
        """Send an event to the programs alone."""
        for each in () if self._programs is None else self._programs.observers(name):
            each.send(frames.Event(name, extra=members))

    def renew_programs(self) -> None:
        """Find the programs, again. Raises `ConfigError`; those from before then stay."""
        before, self._programs = self._programs, self._find()
        self._found.clear()
        if before is not None:
            spawn(before.close(), "end programs that observe")

    async def close(self) -> None:
        """End the programs."""
        if self._programs is not None:
            await self._programs.close()
