"""A very long conversation: 100 MB of rows are opened and continued."""

import json
import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from environment import Environment, Figure
from tool_server import ToolServer

SIZE = 100_000_000
TIME = "2026-11-21T20:29:25.586Z"
WORDS = ("alpha", "return", "self.value", "=", "compute(index)\n\tif", '"quoted"', "and", "\\path\\", "é", "—", "")

LOAD = """
import sys, time
from zot_core.sessions.file import load
begin = time.perf_counter()
stored = load(sys.argv[1])
seconds = time.perf_counter() - begin
# Not ru_maxrss: a process inherits it from its parent.
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, len(stored.messages), peak)
"""


def measure(environment: Environment) -> Iterator[Figure]:
    """Seconds, normalised, and megabytes."""
    path = environment.folder / "long.jsonl"
    messages = write(path)

    def load() -> tuple[float, int, int]:
        seconds, count, peak = environment.run([environment.python, "-c", LOAD, str(path)]).stdout.split()
        return float(seconds), int(count), int(peak)

    loads = [load() for _ in range(3)]
    assert {count for _, count, _ in loads} == {messages}, "messages are missing"
    seconds = statistics.median(seconds for seconds, _, _ in loads)
    note = f"{messages} messages"
    yield Figure("a session of 100 MB, opened", seconds * environment.scale, "s", 2, note)
    yield Figure("a session of 100 MB, opened, peak memory", loads[0][2] / 1024, "MB", 300)
    server = ToolServer("bash", lambda _: {}, 0)
    command = [environment.zot, "-p", "and now?", "--session", str(path), "--provider", "openai", "--model", "m"]
    command += ["--base-url", server.base_url, "--cwd", str(environment.folder / "work")]
    begin = time.monotonic()
    done = environment.run(command)
    assert done.stdout == b"done\n", done.stderr.decode()
    arrived, size = server.arrivals[0]
    assert size > SIZE / 2, "the conversation was not sent"
    seconds = (arrived - begin) * environment.scale
    yield Figure("a session of 100 MB, continued, to the end of the body", seconds, "s", 8)
    path.unlink()


def write(path: Path) -> int:
    """Write a session of `SIZE` bytes; how many messages it holds. Two calls a turn, results of up to 6 KB."""
    chance = random.Random(1)
    text = " ".join(chance.choice(WORDS) for _ in range(6000))
    messages, written = 1, 0
    with path.open("wb") as file:

        def add(row: dict[str, object]) -> None:
            nonlocal written
            written += file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

        def say(role: str, *content: dict[str, object]) -> None:
            add({"type": "message", "message": {"role": role, "content": content, "time": TIME}})

        meta = {"id": "long", "cwd": "/p", "model": "m", "provider": "openai", "started": TIME, "version": "0.1"}
        add({"type": "meta", "meta": meta})
        say("user", {"type": "text", "text": "go"})
        while written < SIZE:
            start, end = chance.randrange(len(text) // 2), chance.randrange(100, 6000)
            edit = {"path": f"src/{messages}.py", "old": text[:300], "new": text[300:700]}
            calls = (("read", {"path": f"src/{messages}.py"}, text[start : start + end]), ("edit", edit, "ok"))
            ids = [f"call_{messages}_{name}" for name, _, _ in calls]
            blocks = [
                {"type": "tool_call", "id": id, "name": name, "arguments": arguments}
                for id, (name, arguments, _) in zip(ids, calls, strict=True)
            ]
            say("assistant", {"type": "text", "text": "I look at it."}, *blocks)
            for id, (_, _, said) in zip(ids, calls, strict=True):
                output = [{"type": "text", "text": said}]
                say("tool", {"type": "tool_result", "call_id": id, "content": output, "is_error": False})
            add({"type": "usage", "usage": {"input_tokens": 1}, "cumulative": {"input_tokens": messages}})
            messages += 2
    return messages
