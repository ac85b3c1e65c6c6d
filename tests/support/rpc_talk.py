"""`Talk`: the raw lines of `zot rpc`, for tests of the wire."""

import json
import queue
import subprocess
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any, TypeAlias

from waiting import PATIENCE

from zot_agent.operations.answers import Event

Command: TypeAlias = "dict[str, Any] | bytes"
"""A command, or bytes, which are sent unchanged."""


class Talk:
    """A process, started at once with `options` for `subprocess.Popen`; leaving the block kills it.

    A thread reads its whole output, without a limit. Every wait raises TimeoutError after `patience` seconds.
    """

    def __init__(self, argv: Sequence[str], *, patience: float = PATIENCE, **options: Any) -> None:
        self.patience = patience
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
        self._incoming: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._ended = False
        self._thread = threading.Thread(target=self._read, name="zot rpc", daemon=True)
        self._thread.start()

    def send(self, *commands: Command) -> None:
        """Write commands with one system call. Raises BrokenPipeError if the process has ended."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(map(_line, commands)))
        self.process.stdin.flush()

    def ask(self, command: dict[str, Any]) -> Event:
        """Send a command and return the next response, skipping the lines before it."""
        self.send(command)
        return self.until("response")[-1]

    def line(self) -> bytes | None:
        """Return the next line without its line end; None at the end of the output."""
        if self._ended:
            return None
        try:
            line = self._incoming.get(timeout=self.patience)
        except queue.Empty:
            raise TimeoutError(f"nothing came in {self.patience:g} s") from None
        self._ended = line is None
        return line

    def next(self) -> Event:
        """Return the next line as JSON. Raises EOFError at the end of the output."""
        line = self.line()
        if line is None:
            raise EOFError("zot rpc has ended its output")
        event: Event = json.loads(line)
        return event

    def until(self, type: str, count: int = 1, **fields: Any) -> list[Event]:
        """Return all lines up to the `count`th event of this type with these fields."""
        seen = []
        while count:
            seen.append(self.next())
            count -= seen[-1]["type"] == type and fields.items() <= seen[-1].items()
        return seen

    def rest(self) -> list[Event]:
        """Return all lines up to the end of the output."""
        found = []
        while (line := self.line()) is not None:
            found.append(json.loads(line))
        return found

    def finish(self) -> list[Event]:
        """Close its input, wait for its exit and return the rest of its output; sets `process.returncode`."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        rest = self.rest()
        self.process.wait(self.patience)
        return rest

    def close(self) -> None:
        """Kill the process if it still runs, and close the pipes."""
        self.process.kill()
        self.process.wait()
        self._thread.join(self.patience)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:  # unwritten input
                    continue

    def __enter__(self) -> "Talk":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._incoming.put(line.removesuffix(b"\n"))
        self._incoming.put(None)


def _line(command: Command) -> bytes:
    return command if isinstance(command, bytes) else json.dumps(command).encode() + b"\n"
