"""`Zot`: the `zot` command in a process, with a home and a project folder of its own; `Finished`: its result."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from forked import Process, start
from json_schema import Schema
from waiting import PATIENCE

import zot_core
from zot_provider.testing import ScriptedServer

EVENTS = Schema(Path(zot_core.__file__).parent / "events.schema.json")
KEY = "sk-test-0123456789-secret"
PROVIDERS = {
    "anthropic": "anthropic-messages",
    "openai": "openai-chat",
    "openai-responses": "openai-responses",
    "google": "gemini",
    "amazon-bedrock": "bedrock-converse",
}


class Finished:
    """What a process left behind."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code, self.raw, self.err = code, out, err.decode("utf-8", "replace")
        assert "Traceback" not in self.err, self.err
        assert KEY not in self.out + self.err

    @property
    def out(self) -> str:
        return self.raw.decode()

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Standard output as lines of JSON."""
        assert self.out.endswith("\n")
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def events(self) -> list[dict[str, Any]]:
        """Standard output as lines of JSON, each an event as the schema says."""
        events = self.objects
        assert [fault for event in events for fault in EVENTS.faults(event)] == []
        return events

    @property
    def result(self) -> tuple[int, str, str]:
        """The exit code, standard output and standard error."""
        return self.code, self.out, self.err

    def line(self) -> str:
        """Standard error, which must be a single line."""
        assert self.err.startswith("zot: ")
        assert self.err.count("\n") == 1, self.err
        assert self.err.endswith("\n")
        assert not re.search(r"\b[A-Z][A-Za-z]+Error\b", self.err), self.err
        return self.err[5:-1]


class Zot:
    """Runs `zot` in a project directory, with an environment that holds nothing else."""

    command = (sys.executable, "-m", "zot_agent")

    def __init__(self, root: Path) -> None:
        self.home = root / "zot-home"
        self.cwd = root / "project"
        self.cwd.mkdir()
        (root / "home").mkdir()
        self.env = {
            **os.environ,
            "HOME": str(root / "home"),
            "ZOT_HOME": str(self.home),
            "ZOT_PERMISSION_MODE": "yolo",  # so that the screen does not ask for it
            "ANTHROPIC_API_KEY": KEY,
            "OPENAI_API_KEY": KEY,
            "GEMINI_API_KEY": KEY,
            "AWS_BEARER_TOKEN_BEDROCK": KEY,
        }

    @property
    def keyless_env(self) -> dict[str, str]:
        """The environment without the keys of providers."""
        return {name: value for name, value in self.env.items() if value != KEY}

    def run(
        self, *arguments: str | bytes, stdin: bytes | int | None = None, timeout: float = PATIENCE, **options: Any
    ) -> Finished:
        """Run to the end. `stdin` is the text piped in, or a file descriptor; nothing by default."""
        feed = stdin if isinstance(stdin, bytes) else None
        source = subprocess.DEVNULL if stdin is None else stdin if feed is None else subprocess.PIPE
        with self.start(*arguments, stdin=source, **options) as process:
            return self.finish(process, feed or b"", timeout)

    def shell(self, script: str, *arguments: str, **options: Any) -> Finished:
        """Run a script for bash in which `zot` is this zot; the exit code is that of zot where it ends a pipe."""
        function = 'zot() { "$PYTHON" -m zot_agent "$@"; }; set -o pipefail; '
        env = self.env | {"PYTHON": sys.executable}
        options = {"cwd": self.cwd, "env": env, "stdin": subprocess.DEVNULL, "timeout": PATIENCE, **options}
        command = ["bash", "-c", function + script, "bash", *arguments]
        done = subprocess.run(command, capture_output=True, check=False, **options)
        return Finished(done.returncode, done.stdout, done.stderr)

    def ask(
        self, server: ScriptedServer, *arguments: str | bytes, provider: str = "openai", **options: Any
    ) -> Finished:
        """Run against a scripted server."""
        return self.run(*self.at(server, provider), *arguments, **options)

    def at(self, server: ScriptedServer, provider: str = "openai") -> tuple[str, ...]:
        """The arguments that name the server."""
        return ("--provider", provider, "--model", "scripted", "--base-url", server.base_url(PROVIDERS[provider]))

    def start(self, *arguments: str | bytes, **options: Any) -> Process:
        """Start, and return at once."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return start([*self.command, *arguments], **{"cwd": self.cwd, "env": self.env, **streams, **options})

    def finish(self, process: Process, feed: bytes = b"", timeout: float = PATIENCE) -> Finished:
        """Wait for a process that was started, and feed it meanwhile."""
        try:
            out, err = process.communicate(feed, timeout=timeout)
        finally:
            process.kill()
        return Finished(process.returncode, out or b"", err or b"")

    @property
    def sessions(self) -> list[Path]:
        """The session files, oldest first."""
        found = sorted(self.home.glob("sessions/*/*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
        assert all(KEY.encode() not in path.read_bytes() for path in found)
        return found

    @property
    def session(self) -> Path:
        """The only session file."""
        (path,) = self.sessions
        return path

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the only session."""
        return [json.loads(line) for line in self.session.read_text("utf-8").splitlines()]

    def said(self) -> list[tuple[str, str]]:
        """Role and text of the messages of the only session."""
        messages = [row["message"] for row in self.rows() if row["type"] == "message"]
        return [
            (message["role"], "".join(block.get("text", "") for block in message["content"])) for message in messages
        ]
