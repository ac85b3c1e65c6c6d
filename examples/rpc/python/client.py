"""Asks `zot rpc` a question and prints the answer as it is written. The standard library is all it needs.

uv run examples/rpc/python/client.py "what does this project do?" --provider anthropic

Ctrl+C stops the agent. The exit code is 0 for an answer, 1 for a failure and 130 for an answer that was stopped.
"""

import json
import queue
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What text of a model must not do to a terminal."""


class Zot:
    """A `zot rpc` process: commands in, events out."""

    def __init__(self, *flags: str) -> None:
        self.process = subprocess.Popen(
            ["zot", "rpc", *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,  # a Ctrl+C is ours alone: we say what it means
        )
        self.incoming: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()  # a signal handler may put into it
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        """Runs in a thread: reading must not wait for writing, nor the other way round."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.incoming.put(json.loads(line))
        self.incoming.put({"type": "gone"})

    def send(self, **command: Any) -> None:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended, which the reader tells
            print(json.dumps(command), file=self.process.stdin, flush=True)

    def close(self) -> None:
        """The end of its input is the end of it."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()


def ask(zot: Zot, question: str) -> int:
    """Print the answer; the exit code."""
    code = 0
    signal.signal(signal.SIGINT, lambda *_: zot.incoming.put({"type": "ctrl_c"}))
    zot.send(id="1", type="prompt", message=question)
    while True:
        event = zot.incoming.get()
        match event["type"]:
            case "ctrl_c":  # what runs is stopped, and its events go on up to `done`
                code = 130
                zot.send(type="abort")
            case "text_delta":
                print(CONTROLS.sub("", event["delta"]), end="", flush=True)
            case "tool_call":
                print(f"\n[{event['name']}]", file=sys.stderr)
            case "response" if not event["success"]:
                print(f"refused: {event['error']}", file=sys.stderr)
                return 1
            case "error":
                print(f"\nerror: {event['message']}", file=sys.stderr)
                code = code or 1
            case "gone":
                print("\nerror: zot rpc has ended", file=sys.stderr)
                return 1
            case "done":
                print()
                return code


def main() -> int:
    if len(sys.argv) < 2:
        print('usage: client.py "question" [flags of zot rpc]', file=sys.stderr)
        return 2
    try:
        zot = Zot(*sys.argv[2:])
    except OSError as error:  # zot is not installed, or not on the PATH
        print(f"error: cannot start zot: {error.strerror}", file=sys.stderr)
        return 1
    try:
        return ask(zot, sys.argv[1])
    finally:
        zot.close()


if __name__ == "__main__":
    sys.exit(main())
