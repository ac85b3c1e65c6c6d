"""`zot rpc`: reads commands from standard input and writes responses and events to standard output, as JSON lines."""

import asyncio
import os
from collections.abc import Sequence

from zot_agent.host.host import Host
from zot_agent.lines.reader import LineReader
from zot_agent.rpc.limits import DEFAULT_LIMITS, RpcLimits
from zot_agent.rpc.service import RpcService
from zot_agent.rpc.writer import ClientWriter
from zot_agent.signals import on_end_signals
from zot_agent.standard_error import print_error
from zot_core.aio import spawn
from zot_core.machine.posix import missing_posix
from zot_ext.protocol.splitter import Oversized
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock

TOKEN = "ZOTCORE_RPC_TOKEN"
"""The environment variable with the secret that a client must send; no secret is needed if it is unset or empty."""


async def run(
    host: Host, prompt: str = "", images: Sequence[ImageBlock] = (), *, limits: RpcLimits = DEFAULT_LIMITS
) -> int:
    """Serve the client until it closes standard input, and return the exit code.

    Work that runs or waits then is finished: 0. When the client closes standard output (a pipe or a socket), which also
    happens when its process ends, everything stops at once: 0 as well. No token or a wrong one gives 1, a client that
    stops reading 1, a signal 128 plus its number. Raises `ConfigError` on Windows.
    """
    if problem := missing_posix("clients on pipes"):
        raise ConfigError(problem)
    for note in host.notes:
        print_error(note)
    return await _Process(host, limits, os.environ.pop(TOKEN, "")).serve()


class _Process:
    """Connects the service to the streams and signals of this process, and decides its exit code."""

    def __init__(self, host: Host, limits: RpcLimits, token: str) -> None:
        self._host, self._limits = host, limits
        self._code: int | None = None
        self._over = asyncio.Event()
        self._writer = ClientWriter(limits, self._disconnected, moved=self._read_on)
        self._service = RpcService(host, self._writer, limits, token=token, no_token=self._without_token)
        host.conversation.actions = host.conversation.actions.replace(quit=self._quit)
        self._reader = LineReader(0, limits.line_bytes, self._receive, self._finish)

    async def serve(self) -> int:
        """Serve until there is nothing more to do, and return the exit code."""
        on_end_signals(self._signalled)  # never removed: the process ends after this
        try:
            await self._over.wait()
            await self._host.conversation.idle()
            await self._writer.drain()
        finally:
            self._writer.close()
        return self._code or 0

    def _receive(self, line: bytes | Oversized) -> None:
        self._service.receive(line)
        if self._writer.waiting >= self._limits.read_pause_bytes:
            self._reader.pause()

    def _read_on(self) -> None:
        if self._writer.waiting < self._limits.read_pause_bytes:
            self._reader.resume()

    def _finish(self) -> None:
        self._writer.set_stall_limit(self._limits.flush_seconds)
        self._service.permissions.close()
        self._service.dialogs.close()
        spawn(self._finish_commands(), "the last answers")

    def _quit(self) -> None:
        """End the process for an extension, as the end of standard input does."""
        self._reader.close()
        self._finish()

    async def _finish_commands(self) -> None:
        await self._service.answered()
        self._end(0)

    def _end(self, code: int) -> None:
        if self._code is None:
            self._code = code
            self._reader.close()
            self._over.set()

    def _without_token(self) -> None:
        self._writer.set_stall_limit(self._limits.signal_flush_seconds)
        self._service.stop()
        self._end(1)

    def _disconnected(self, why: str) -> None:
        self._service.stop()
        self._end(1 if why else 0)
        if why and self._code in (0, 1):
            self._code = 1
            print_error(f"cannot write to standard output: {why}")

    def _signalled(self, number: int) -> None:
        self._writer.set_stall_limit(self._limits.signal_flush_seconds)
        self._service.stop()
        self._end(128 + number)
