"""10,000 sessions, 1 GB: the list of them, and a search of all their texts."""

import hashlib
import json
import os
import random
import statistics
from collections.abc import Iterator
from pathlib import Path

from environment import Environment, Figure

FILES = 10_000
TURNS = 20  # of some 5 KB
TIME = "2026-11-21T20:29:25.586Z"
WORDS = ("alpha", "return", "self.value", "=", "compute(index)\n\tif", '"quoted"', "and", "\\path\\", "é", "Database")

RUN = """
import sys, time
from zot_core.sessions.listing import list_sessions
from zot_core.sessions.search import search_sessions
from zot_core.sessions.store import SessionStore
store = SessionStore(sys.argv[1])
work = {"list": lambda: list_sessions(store), "search": lambda: search_sessions(store, ["rarely", "found"])}
work[sys.argv[2]]()
begin = time.process_time()
found = work[sys.argv[2]]()
print(time.process_time() - begin, len(found))
"""


def measure(environment: Environment) -> Iterator[Figure]:
    """Seconds and milliseconds of the second time in a process, normalised."""
    root = environment.folder / "stored"
    size = write(root)

    def run(work: str, found: int) -> float:
        seconds = []
        for _ in range(3):
            done = environment.run([environment.python, "-c", RUN, str(root), work]).stdout.split()
            assert int(done[1]) == found, done
            seconds.append(float(done[0]))
        return statistics.median(seconds) * environment.scale

    yield Figure("10,000 sessions, the newest 500 listed", run("list", 500) * 1000, "ms", 150)
    yield Figure("10,000 sessions, searched", run("search", 1), "s", 2, f"{size / 1e9:.2f} GB")


def write(root: Path) -> int:
    """Write the sessions, one of which has the words that are searched for. Returns the sum of their bytes."""
    chance = random.Random(1)
    text = " ".join(chance.choice(WORDS) for _ in range(40_000))
    size = 0

    def row(role: str, *content: dict[str, object]) -> bytes:
        message = {"role": role, "content": content, "time": TIME}
        entry = {"type": "message", "message": message, "id": f"{chance.getrandbits(64):016x}"}
        return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def part(length: int) -> dict[str, object]:
        start = chance.randrange(len(text) - length)
        return {"type": "text", "text": text[start : start + length]}

    def turn() -> bytes:
        call = {"type": "tool_call", "id": "c", "name": "read", "arguments": {"path": "a.py"}}
        result = {"type": "tool_result", "call_id": "c", "content": [part(3000)], "is_error": False}
        return row("user", part(300)) + row("assistant", call) + row("tool", result) + row("assistant", part(900))

    turns = [turn() for _ in range(500)]
    for number in range(FILES):
        cwd = f"/home/ada/project{number % 20}"
        folder = root / hashlib.sha256(cwd.encode()).hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        meta = {"id": f"{number:08x}-0", "cwd": cwd, "model": "m", "provider": "p", "started": TIME, "version": "0"}
        rows = [json.dumps({"type": "meta", "meta": meta}, separators=(",", ":")).encode() + b"\n"]
        rows += chance.choices(turns, k=TURNS)
        if number == 0:
            rows.append(row("user", {"type": "text", "text": "this is Rarely to be found"}))
        path = folder / f"20260101-000000-{number:08x}.jsonl"
        size += path.write_bytes(b"".join(rows))
        os.utime(path, (1.7e9 + number, 1.7e9 + number))
    return size
