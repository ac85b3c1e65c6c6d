"""`Bus` and `Resources`: the groups `bus` and `resources`."""

from __future__ import annotations

from zot_ext.calls.caller import Calls
from zot_ext.protocol.events import BUS, channel_problem
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from zot_ext.protocol.from_host import Event

    Handler = TypeVar("Handler", bound=Callable[..., object])


class BusMessage(Record):
    """A message of another extension: its channel, its data (any JSON value), and the name of the sender."""

    channel: str
    data: Any
    sender: str


class Bus:
    """`ext.bus`."""

    def __init__(self, call: Callable[..., dict[str, Any]], on: Callable[[str], Callable[[Any], Any]]) -> None:
        self._call, self._on = call, on

    def on(self, pattern: str) -> Callable[[Handler], Handler]:
        """Register a handler for the channels that `pattern` covers, as in `plan.*`. It takes a `BusMessage`.

        Messages come in the order in which they were sent. Raises `ValueError` for a pattern that no channel can have.
        """
        if problem := channel_problem(pattern, pattern=True):
            raise ValueError(f"{pattern!r} {problem}")

        def register(handler: Handler) -> Handler:
            @self._on(BUS + pattern)
            def receive(event: Event) -> object:
                fields = event.extra
                return handler(
                    BusMessage(str(fields.get("channel", "")), fields.get("data"), str(fields.get("from", "")))
                )

            return handler

        return register

    def emit(self, channel: str, data: object = None, *, to: str = "") -> int:
        """Send a message to the other extensions that want the channel, or to the one called `to`; return to how many.
        `data` is any JSON value of 256 KiB at most. It does not wait for them."""
        return int(self._call("bus.emit", channel=channel, data=data, to=to or None)["receivers"])


class Resources(Calls):
    """`ext.resources`."""

    def set(self, *, skills: Sequence[str] = (), prompts: Sequence[str] = (), themes: Sequence[str] = ()) -> None:
        """Say what the extension brings from now on, in place of what it said before. Paths as in the manifest."""
        self._call("resources.set", skills=list(skills), prompts=list(prompts), themes=list(themes))
