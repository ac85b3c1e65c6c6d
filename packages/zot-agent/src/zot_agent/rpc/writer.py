"""`ServiceOutput`: where a service writes. `ClientWriter`: the output to the one client on standard output."""

from collections.abc import Callable
from typing import Protocol

from zot_agent.lines.writer import LineWriter, Stuck, WriterLimits
from zot_agent.rpc.limits import RpcLimits


class CommandSender(Protocol):
    """The sender of a command, where there may be several clients."""

    @property
    def over(self) -> bool:
        """Whether it takes lines no longer."""

    def respond(self, line: str) -> None:
        """Accept the response to its command, or another line for it alone."""


class ServiceOutput(Protocol):
    """Where a service writes its lines, to one client or to several. A line is what `line_text` has made of JSON."""

    def respond(self, line: str, sender: CommandSender | None) -> None:
        """Queue the response to a command of `sender`."""

    def publish(self, line: str) -> None:
        """Queue an event for every client."""

    async def room(self) -> None:
        """Return once there is room for more."""


class ClientWriter(LineWriter):
    """Writes to one client, which may be slow, within `RpcLimits`.

    `disconnected` is called once: with an empty text if the client has closed its end, otherwise with the reason why
    nothing more can be written.
    """

    def __init__(
        self, limits: RpcLimits, disconnected: Callable[[str], None], *, moved: Callable[[], None], descriptor: int = 1
    ) -> None:
        def stuck(how: Stuck) -> None:
            disconnected(
                f"the client has read nothing for {how.seconds:g} s"
                if how.seconds
                else f"the client does not read: {how.bytes} bytes wait for it"
            )

        def lost(error: OSError) -> None:
            disconnected("" if isinstance(error, BrokenPipeError | ConnectionResetError) else str(error.strerror))

        bounds = WriterLimits(
            full_bytes=limits.pause_bytes, max_bytes=limits.max_bytes, stall_seconds=limits.stall_seconds
        )
        super().__init__(descriptor, bounds, stuck=stuck, lost=lost, moved=moved, watch=True)

    def publish(self, line: str) -> None:
        """Queue an event, or another line."""
        self.write(f"{line}\n".encode())

    def respond(self, line: str, sender: CommandSender | None = None) -> None:
        """Queue a response; with one client the sender is known."""
        self.publish(line)
