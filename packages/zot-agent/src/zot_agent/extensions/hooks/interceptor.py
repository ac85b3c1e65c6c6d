"""The members that hooks use of an extension, or of any other program that observes and intercepts events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from zot_agent.extensions.calls.intercept_options import InterceptOptions
    from zot_ext.protocol.from_extension import EventInterceptResponse
    from zot_ext.protocol.from_host import Event, EventIntercept


class Interceptor(Protocol):
    """A program that is asked about events, and notified of them."""

    @property
    def name(self) -> str: ...

    @property
    def intercept_options(self) -> Mapping[str, InterceptOptions]:
        """How it wants to be asked, by event."""
        ...

    @property
    def granted(self) -> Collection[str]:
        """The groups of the protocol that it may use."""
        ...

    def log(self, text: str) -> None: ...

    def unanswered(self, text: str) -> None:
        """Tell the person that a question has no answer, and that its subject is allowed."""
        ...

    async def request(
        self, frame: EventIntercept, reply: type[EventInterceptResponse], seconds: float, /
    ) -> EventInterceptResponse:
        """Ask it. Raises `TimedOut`, `ExtensionEnded`, and `FrameError` for a question that cannot be encoded and for
        an invalid answer."""
        ...

    def send(self, frame: Event, /, *, droppable: bool = False) -> None:
        """Notify it; with `droppable` it need not get the frame if it does not read."""
        ...


class MorePrograms(Protocol):
    """Programs that observe and intercept beside the extensions, and are asked after them."""

    def observers(self, event: str, /) -> Sequence[Interceptor]: ...

    def interceptors(self, event: str, /, tool: str = "") -> Sequence[Interceptor]: ...

    async def close(self) -> None:
        """End them, within their limits."""
        ...
