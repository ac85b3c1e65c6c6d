"""`Peer`: a client of a real `zot rpc` at the other end of two pipes."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from forked import start
from json_schema import RPC_SCHEMA
from waiting import PATIENCE

from zot_provider.testing import ScriptedServer


class Peer:
    """A client: it sends lines, and looks at what comes back in the order in which it came."""

    def __init__(self, server: ScriptedServer, cwd: Path, *flags: str, listens: bool = True, **env: str) -> None:
        """Start the process. Without `listens`, nothing is read before `listen` is called."""
        command = [sys.executable, "-m", "zot_agent", "rpc", "--provider", "openai", "--model", "scripted"]
        command += ["--base-url", server.base_url("openai-chat"), *flags]
        self.process = start(
            command,
            cwd=cwd,
            env=os.environ | {"OPENAI_API_KEY": "sk-test-0123456789"} | env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.seen: list[dict[str, Any]] = []
        self.raw: list[str] = []
        self.torn = b""  # the end of what it said, where it was killed in the middle of a line
        self._reader = threading.Thread(target=self._read)
        if listens:
            self.listen()

    def listen(self) -> None:
        """Begin to read."""
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if not line.endswith(b"\n"):
                self.torn = line
                break
            self.raw.append(line.decode())
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, type: str, **fields: Any) -> None:
        """Send a command."""
        self.write(json.dumps({"type": type, **fields}).encode() + b"\n")

    def next(self) -> dict[str, Any]:
        """The next line."""
        line = self.lines.get(timeout=PATIENCE)
        assert line is not None, f"the process has ended: {self.finish()}"
        assert RPC_SCHEMA.faults(line, "FromServer") == [], line
        self.seen.append(line)
        return line

    def until(self, fits: str | Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """The next lines up to the one of a type, or the one that fits."""
        found: list[dict[str, Any]] = []
        while True:
            found.append(self.next())
            if found[-1]["type"] == fits if isinstance(fits, str) else fits(found[-1]):
                return found

    def begin(self, *, at: str = "text_delta", message: str = "go") -> None:
        """Send a prompt and wait until it is under way."""
        self.send("prompt", message=message)
        self.until(at)

    def of(self, type: str) -> list[dict[str, Any]]:
        """The lines of a type that were seen so far."""
        return [line for line in self.seen if line["type"] == type]

    def call(self, type: str, **fields: Any) -> dict[str, Any]:
        """Send a command; its response. What comes before it counts as seen."""
        id = f"call-{len(self.seen)}-{type}"
        self.send(type, id=id, **fields)
        return self.until(lambda line: line.get("id") == id and line["type"] == "response")[-1]

    def data(self, type: str, **fields: Any) -> Any:
        """The data of a response, which must be a success."""
        response = self.call(type, **fields)
        assert response["success"], response
        return response.get("data")

    def error(self, type: str, **fields: Any) -> str:
        """The error of a response, which must be one."""
        response = self.call(type, **fields)
        assert response["success"] is False, response
        assert "data" not in response
        return str(response["error"])

    def finish(self) -> tuple[int, str]:
        """Close the pipe to the process and wait for its end; exit code and standard error."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        self._reader.join()
        assert code < 0 or not self.torn, "it ended in the middle of a line"
        while (line := self.lines.get_nowait()) is not None:
            self.seen.append(line)
        return code, self.process.stderr.read().decode()

    def kill(self) -> None:
        """Leave nothing behind."""
        self.process.kill()
        self.process.wait()
        if self._reader.ident is not None:
            self._reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


class StartPeer(Protocol):
    """Starts a process with more flags and variables."""

    def __call__(self, *flags: str, listens: bool = True, **env: str) -> Peer: ...
