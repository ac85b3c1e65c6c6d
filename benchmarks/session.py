"""A very long conversation: 100 MB of rows are opened, continued and forked, and a tree of many entries is drawn."""

import json
import random
import shutil
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from environment import Environment, Figure
from tool_server import ToolServer

SIZE = 100_000_000
ENTRIES = 100_000
TIME = "2026-11-21T20:29:25.586Z"
META = {"id": "long", "cwd": "/p", "model": "m", "provider": "openai", "started": TIME, "version": "0.1"}
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

FORK = """
import asyncio, sys, time
from zot_core import Runtime
from zot_provider.testing import ScriptedClient

async def main():
    async with Runtime("m", client=ScriptedClient(), session=sys.argv[1]) as rt:
        count, last = len(rt.messages), rt.messages[-1].id
        begin = time.perf_counter()
        await rt.branches.fork(last)
        print(time.perf_counter() - begin)
        assert rt.session.path != sys.argv[1] and len(rt.messages) == count

asyncio.run(main())
"""

TREE = """
import asyncio, sys, time
from types import SimpleNamespace
from zot_agent.ui.commands.session.tree_picker import TreePicker
from zot_core import Runtime
from zot_provider.testing import ScriptedClient

async def main():
    async with Runtime("m", client=ScriptedClient(), session=sys.argv[1]) as rt:
        chat = SimpleNamespace(
            host=SimpleNamespace(conversation=rt), app=SimpleNamespace(redraw=lambda: None)
        )
        begin = time.perf_counter()
        picker = TreePicker(chat)
        await picker.load()
        drawn = picker.render((120, 20)).text
        print(time.perf_counter() - begin)
        assert any(b"prompt 99" in row for row in drawn)
        picker.close(None)

asyncio.run(main())
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
    whole = _continued(environment, path, auto_compact_threshold="off")
    assert whole[0][1] > SIZE / 2, "the conversation was not sent"
    yield Figure("a session of 100 MB, continued, to the end of the body", whole[0][0], "s", 8)
    _, (at, size) = _continued(environment, path)  # the summary comes first
    assert size < SIZE / 1000, "the conversation was not compacted"
    yield Figure("the same, compacted before", at, "s", 10)
    yield _script(environment, "a session of 100 MB, forked", FORK, path, 0.5)
    path.unlink()
    yield _tree(environment)


def _continued(environment: Environment, path: Path, **settings: object) -> list[tuple[float, int]]:
    """Seconds, normalised, to the end of the requests of a run that continues a session, and their bytes."""
    server = ToolServer("bash", lambda _: {}, 0)
    home = environment.folder / f"session-home-{len(settings)}"
    home.mkdir()
    (home / "config.json").write_text(json.dumps(settings))
    copy = shutil.copy(path, home / "long.jsonl")
    command = [environment.zot, "-p", "and now?", "--session", copy, "--provider", "openai", "--model", "m"]
    command += ["--base-url", server.base_url, "--cwd", str(environment.folder / "work")]
    begin = time.monotonic()
    done = environment.run(command, ZOT_HOME=str(home))
    assert done.stdout == b"done\n", done.stderr.decode()
    shutil.rmtree(home)
    return [((at - begin) * environment.scale, size) for at, size in server.arrivals]


def _tree(environment: Environment) -> Figure:
    """The tree of a session with a prompt in every fifth entry."""
    path = environment.folder / "entries.jsonl"
    calls = [{"type": "tool_call", "id": "c", "name": "ls", "arguments": {"path": "."}}]
    results = [{"type": "tool_result", "call_id": "c", "content": [_text("a.py")], "is_error": False}]
    turn = (("assistant", calls), ("tool", results), ("assistant", calls), ("tool", results))
    with path.open("w") as file:
        file.write(_line({"type": "meta", "meta": META | {"id": "tree"}}))
        for number in range(0, ENTRIES, 5):
            said = (("user", [_text(f"prompt {number}")]), *turn)
            file.writelines(_message(role, content, number + at) for at, (role, content) in enumerate(said))
    return _script(environment, f"the tree of a session with {ENTRIES} entries, drawn", TREE, path, 0.3)


def _script(environment: Environment, name: str, script: str, path: Path, budget: float) -> Figure:
    """The median of the seconds that a script prints."""

    def run() -> float:
        done = environment.run([environment.python, "-c", script, str(path)])
        assert not done.returncode, done.stderr.decode()
        return float(done.stdout)

    return Figure(name, statistics.median(run() for _ in range(3)) * environment.scale, "s", budget)


def _text(text: str) -> dict[str, object]:
    return {"type": "text", "text": text}


def _message(role: str, content: Sequence[dict[str, object]], number: int) -> str:
    """A row as zot writes it."""
    message = {"role": role, "content": content, "time": TIME}
    return _line({"type": "message", "message": message, "id": f"{number:016x}"})


def _line(row: dict[str, object]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def write(path: Path) -> int:
    """Write a session of `SIZE` bytes; how many messages it holds. Two calls a turn, results of up to 6 KB."""
    chance = random.Random(1)
    text = " ".join(chance.choice(WORDS) for _ in range(6000))
    messages, written = 1, 0
    with path.open("wb") as file:

        def add(line: str) -> None:
            nonlocal written
            written += file.write(line.encode())

        def say(role: str, *content: dict[str, object]) -> None:
            add(_message(role, content, written))

        add(_line({"type": "meta", "meta": META}))
        say("user", _text("go"))
        while written < SIZE:
            start, end = chance.randrange(len(text) // 2), chance.randrange(100, 6000)
            edit = {"path": f"src/{messages}.py", "edits": [{"oldText": text[:300], "newText": text[300:700]}]}
            calls = (("read", {"path": f"src/{messages}.py"}, text[start : start + end]), ("edit", edit, "ok"))
            ids = [f"call_{messages}_{name}" for name, _, _ in calls]
            blocks = [
                {"type": "tool_call", "id": id, "name": name, "arguments": arguments}
                for id, (name, arguments, _) in zip(ids, calls, strict=True)
            ]
            say("assistant", _text("I look at it."), *blocks)
            results = [
                {"type": "tool_result", "call_id": id, "content": [_text(said)], "is_error": False}
                for id, (_, _, said) in zip(ids, calls, strict=True)
            ]
            say("tool", *results)
            add(
                _line(
                    {"type": "usage", "usage": {"input_tokens": written // 4}, "cumulative": {"input_tokens": written}}
                )
            )
            messages += 2
    return messages
