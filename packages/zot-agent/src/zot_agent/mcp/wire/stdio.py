"""`stdio_transport`: a server as a child process.

Unlike the transport of `mcp` it limits the length of a line, leaves the process in the group of the extension, so that
the two end together, and says when the process has ended.
"""

import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import anyio
from anyio.abc import Process
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from zot_agent.mcp.config import McpServerConfig
from zot_agent.mcp.wire.lines import NotAMessage, read_messages
from zot_agent.mcp.wire.standard_error import StandardError

LINE_BYTES = 16 << 20
"""The longest line of a server."""
END_SECONDS = 1.0
"""From the end of its input to SIGTERM, and from there to SIGKILL."""
EXIT_SECONDS = 3.0
"""From the end of its output to its exit, which says more; a busy machine puts it off."""


class ServerLost(Exception):
    """The connection has ended; `str()` completes a sentence that begins "the server"."""


@contextlib.asynccontextmanager
async def stdio_transport(
    config: McpServerConfig, cwd: str, lost: Callable[[str], None], said: StandardError, log: Callable[[str], None]
) -> AsyncIterator[Any]:
    """Start the server and yield the streams that `mcp.Client` takes. `lost` is called once, with the reason, when the
    process ends or breaks the protocol, and `said` gets what it writes to standard error. Raises `ServerLost` if it
    cannot be started."""
    try:
        process = await anyio.open_process(
            [config.command, *config.args],
            env=get_default_environment() | dict(config.env),
            cwd=os.path.expanduser(config.cwd) if config.cwd else cwd or None,
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ServerLost(f"cannot be started: {config.command}: {why}") from None
    to_session, incoming = anyio.create_memory_object_stream[Any](0)
    outgoing, from_session = anyio.create_memory_object_stream[Any](0)
    silent, closing = anyio.Event(), anyio.Event()

    async def read() -> None:
        why, lines = "", Lines()
        async with to_session:
            try:
                while process.stdout is not None:
                    for line in lines.feed(await process.stdout.receive()):
                        await _pass_on(line, to_session, log)
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                return  # the session has ended first
            except (anyio.EndOfStream, OSError):
                pass
            except ServerLost as error:
                why = str(error)
            if not why:
                with anyio.move_on_after(EXIT_SECONDS):
                    await process.wait()
                    await silent.wait()
                why = _end_of(process, said)
            if not closing.is_set():
                lost(why)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        tasks.start_soon(_hear, process, said, silent)
        tasks.start_soon(_write, process, from_session)
        try:
            yield incoming, outgoing
        finally:
            closing.set()
            with anyio.CancelScope(shield=True):
                for stream in (incoming, outgoing):
                    await stream.aclose()
                await _end(process)
            tasks.cancel_scope.cancel()


async def _hear(process: Process, said: StandardError, silent: anyio.Event) -> None:
    """Read the standard error of a process, and set `silent` at its end."""
    try:
        while process.stderr is not None:
            said.feed(await process.stderr.receive())
    except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        silent.set()


async def _write(process: Process, from_session: Any) -> None:
    with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        async with from_session:
            async for message in from_session:
                line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                if process.stdin is not None:
                    await process.stdin.send(f"{line}\n".encode())


def _end_of(process: Process, said: StandardError) -> str:
    """Return how a process whose output has ended has ended itself, as the end of a sentence."""
    code = process.returncode
    if code is None:
        how = "has closed its output, but still runs"
    elif code < 0:
        how = f"was ended by {signal.Signals(-code).name}"
    else:
        how = f"has ended with exit code {code}"
    return f"{how}: {said.end}" if said.end else how


class Lines:
    """Splits bytes into lines of at most `LINE_BYTES`."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the complete lines. Raises `ServerLost` for a line that is too long."""
        *complete, rest = chunk.split(b"\n")
        for line in complete:
            self._add(line)
            whole, self._parts, self._size = b"".join(self._parts), [], 0
            yield whole
        self._add(rest)

    @property
    def rest(self) -> bytes:
        """The text after the last complete line."""
        return b"".join(self._parts)

    def _add(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        if self._size > LINE_BYTES:
            raise ServerLost(f"sent a line of more than {LINE_BYTES >> 20} MiB")


async def _pass_on(line: bytes, stream: Any, log: Callable[[str], None]) -> None:
    """Pass a message to the session; other lines are logged, because some servers print what they do."""
    if not line.strip():
        return
    try:
        messages = read_messages(line)
    except NotAMessage as problem:
        log(f"not a message, because {problem}: {line[:200]!r}")
        return
    for message in messages:
        await stream.send(SessionMessage(message))


async def _end(process: Process) -> None:
    """End the process: the end of its input, SIGTERM, SIGKILL."""
    if process.stdin is not None:
        with contextlib.suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await process.stdin.aclose()
    for number in (signal.SIGTERM, signal.SIGKILL, None):
        with anyio.move_on_after(END_SECONDS):
            await process.wait()
        if process.returncode is not None or number is None:
            break
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
    for stream in filter(None, (process.stdout, process.stderr)):
        with contextlib.suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await stream.aclose()
