"""`ServiceOutput`: what a service writes to. `ClientWriter`: the one client on standard output."""

from collections.abc import Callable
from typing import Protocol

from zot_agent.lines.writer import LineWriter, Stuck, WriterLimits
from zot_agent.rpc.limits import RpcLimits


class CommandSender(Protocol):
    """Who sent a command, where several clients may."""

    def respond(self, line: str) -> None:
        """Take the response to it."""
        ...


class ServiceOutput(Protocol):
    """Where a service writes its lines, which are JSON without a break: to one client, or to several."""

    def respond(self, line: str, asker: CommandSender | None) -> None:
        """Write the response to a command soon, to `asker`, who sent it."""
        ...

    def tell(self, line: str) -> None:
        """Write an event soon, to every client."""
        ...

    async def room(self) -> None:
        """Return once there is room for more."""
        ...


class ClientWriter(LineWriter):
    """Writes to a client that may be slow, within `RpcLimits`.

    `gone` is called once: with an empty text when nobody reads any more, else with why nothing more can be written.
    """

    def __init__(
        self, limits: RpcLimits, gone: Callable[[str], None], *, moved: Callable[[], None], descriptor: int = 1
    ) -> None:
        def stuck(how: Stuck) -> None:
            gone(
                f"the client has read nothing for {how.seconds:g} s"
                if how.seconds
                else f"the client does not read: {how.bytes} bytes wait for it"
            )

        def lost(error: OSError) -> None:
            gone("" if isinstance(error, BrokenPipeError | ConnectionResetError) else str(error.strerror))

        bounds = WriterLimits(full_bytes=limits.pause, most_bytes=limits.most, stall_seconds=limits.stall)
        super().__init__(descriptor, bounds, stuck=stuck, lost=lost, moved=moved, watch=True)

    def tell(self, line: str) -> None:
        """Write a line soon."""
        self.write(f"{line}\n".encode("utf-8", "replace"))

    def respond(self, line: str, asker: CommandSender | None = None) -> None:
        """Write a line soon; there is one client."""
        self.tell(line)
