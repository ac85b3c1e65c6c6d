"""The chat screen in a terminal of 120 by 40: first paint, streaming, keys meanwhile, memory, a very long session."""

import json
import random
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import session
from environment import Environment, Figure
from model_server import ModelServer
from terminal import Terminal

PROMPT = "commands"
"""A word of the empty editor."""

KEY = "ø"
"""A letter that nothing else here writes."""

SEARCH_KEY = "\x1bOR"  # F3

END = "ENDOFANSWER"
TIME = "2026-11-21T20:29:25.586Z"

REDRAW = """
import asyncio, sys, time
from zot_tui.app import App
from zot_tui.testing.memory import MemoryScreen
from zot_tui.widgets.transcript.cells import AnswerCell
from zot_tui.widgets.transcript.transcript import Transcript

async def main():
    transcript = Transcript()
    transcript.append(*(AnswerCell(f"answer {n}\\n\\n- one\\n- two\\n", finished=True) for n in range(10_000)))
    live = AnswerCell()
    transcript.append(live)
    times = []
    async with App(transcript, screen=MemoryScreen(120, 40)) as app:
        for n in range(1500):
            live.append(f"word{n} and {'`more`' if n % 7 else 'so on.'}" + ("\\n\\n" if n % 60 == 59 else " "))
            begin = time.perf_counter()
            app.draw()
            times.append(time.perf_counter() - begin)
        pages = []
        for n in range(200):
            transcript.page(-1)
            begin = time.perf_counter()
            app.draw()
            pages.append(time.perf_counter() - begin)
        app.exit()
    for each in (times, pages):
        each.sort()
        print(each[len(each) * 95 // 100])

asyncio.run(main())
"""


CHANGE = """
import asyncio, statistics, time
from zot_core.display import DiffDisplay
from zot_tui.app import App
from zot_tui.testing.memory import MemoryScreen
from zot_tui.widgets.dialogs.questions import Pages
from zot_tui.widgets.transcript.blocks import render_block
from zot_tui.widgets.transcript.cells import AnswerCell
from zot_tui.widgets.transcript.tool_cell import ToolCell
from zot_tui.widgets.transcript.transcript import Transcript

def changed(lines):
    rows = [f"{'-+'[n // 10 % 2]}    total{n // 20} = compute({n % 20}, 'text', limit=rate{n})" for n in range(lines)]
    return DiffDisplay("a.py", "\\n".join(rows), [(1, 1)])

def edited(lines):
    cell = ToolCell("edit", "a.py")
    cell.finish("ok", [changed(lines)])
    return cell

async def frames(root, moves):
    taken = []
    async with App(root, screen=MemoryScreen(120, 40)) as app:
        for move in moves:
            await asyncio.sleep(0)
            begin = time.process_time()
            move()
            app.draw()
            taken.append(time.process_time() - begin)
        app.exit()
    return sorted(taken)

async def main():
    live, usual = AnswerCell(), Transcript()
    usual.append(*(edited(10) for _ in range(20)), live)
    words = (f"word{n} `more` " + "\\n\\n" * (n % 60 == 59) for n in range(1000))
    found = await frames(usual, [lambda word=word: live.append(word) for word in words])
    print(statistics.median(found))
    large, pages = Transcript(), Pages("Changes", lambda: render_block(changed(20_000)).chunks)
    large.append(edited(20_000))
    large.toggle_all_expanded()
    for root, page in ((large, lambda: large.page(-1)), (pages, lambda: pages.page(1))):
        found = await frames(root, [page] * 100)
        print(found[len(found) * 95 // 100])

asyncio.run(main())
"""


class Paced(ModelServer):
    """Answers with markdown, `rate` deltas a second; `END` is the last."""

    def __init__(self, deltas: int, rate: float) -> None:
        super().__init__(0)
        pieces = [*_pieces(deltas), f"\n\n{END}"]
        events: list[dict[str, object]] = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
        events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        data = [b"data: " + json.dumps(event).encode() + b"\n\n" for event in events] + [b"data: [DONE]\n\n"]
        self._chunks = [b"%x\r\n%s\r\n" % (len(each), each) for each in data] + [b"0\r\n\r\n"]
        self._rate = rate

    @property
    def _writes(self) -> Iterator[bytes]:
        begin = time.monotonic()
        for number, chunk in enumerate(self._chunks):
            time.sleep(max(begin + number / self._rate - time.monotonic(), 0))
            yield chunk

    @_writes.setter
    def _writes(self, _: object) -> None:
        """What `ModelServer` prepares is not sent."""


def _pieces(count: int) -> Iterator[str]:
    """Deltas of an answer: prose, lists, and a piece of code of 30 lines now and then."""
    made = 0
    chance = random.Random(2)
    while made < count:
        for line in range(12):
            for word in range(10):
                yield f" word{word}"
                made += 1
            yield "\n\n" if line % 4 == 3 else "\n- " if line % 4 == 2 else "."
        yield "\n\n```python\n"
        for line in range(30):
            for piece in (f"    value{line}", " =", f" compute({chance.randrange(1000)},", ' "text")', "\n"):
                yield piece
                made += 1
        yield "```\n\n"


def measure(environment: Environment) -> Iterator[Figure]:
    """Ratios to `python -I -c pass`, normalised seconds and milliseconds, megabytes."""
    yield from _first_paint(environment)
    yield from _idle(environment)
    yield from _streaming(environment)
    yield from _keys(environment)
    redraw, page = (float(each) for each in environment.run([environment.python, "-c", REDRAW]).stdout.split())
    yield Figure("screen, a redraw of 10,000 blocks, p95", redraw * 1000 * environment.scale, "ms", 5)
    yield Figure("screen, a page turned for the first time, p95", page * 1000 * environment.scale, "ms", 10)
    frame, *scrolled = map(float, environment.run([environment.python, "-c", CHANGE]).stdout.split())
    yield Figure("screen, a frame with changes and code", frame * 1000 * environment.scale, "ms", 2)
    for where, taken in zip(("conversation", "dialog"), scrolled, strict=True):
        name = f"screen, a page of a change of 20,000 lines in a {where}, p95"
        yield Figure(name, taken * 1000 * environment.scale, "ms", 30)
    yield from _long_session(environment)


def open_screen(environment: Environment, *arguments: str) -> Terminal:
    """zot on a terminal, with a home of its own: no draft of the run before."""
    home = environment.folder / "screen-home"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    command = [environment.zot, *arguments, "--cwd", str(environment.folder / "work")]
    return Terminal(command, environment.variables | {"ZOT_HOME": str(home), "HOME": str(home)})


def _at(server: ModelServer) -> tuple[str, ...]:
    return "--provider", "openai", "--model", "gpt-5.1", "--base-url", server.base_url


def _first_paint(environment: Environment) -> Iterator[Figure]:
    bare, painted, echoed = [], [], []
    for _ in range(16):
        bare.append(environment.timed([environment.python, "-I", "-c", "pass"]))
        begin = time.monotonic()
        with open_screen(environment) as terminal:
            painted.append(terminal.wait_for(PROMPT) - begin)
            terminal.forget()
            terminal.type(KEY)
            echoed.append(terminal.wait_for(KEY) - begin)
    base = statistics.median(bare[1:])
    yield Figure("screen, exec to the prompt", statistics.median(painted[1:]) / base, "x pass")
    yield Figure("screen, exec to a key's echo", statistics.median(echoed[1:]) / base, "x pass", 11.5)


def _idle(environment: Environment) -> Iterator[Figure]:
    with open_screen(environment) as terminal:
        terminal.wait_for(PROMPT)
        terminal.watch(3)
        before, written = terminal.cpu(), terminal.written
        terminal.watch(5)
        note = f"{terminal.written - written} bytes written"
        yield Figure("screen, idle", (terminal.cpu() - before) / 5 * 100, "% of a core", 0.2, note)
        yield Figure("screen, idle, memory", terminal.memory(), "MB", 80)


def _streaming(environment: Environment) -> Iterator[Figure]:
    """CPU of answers. That of a rate begins with the answer: what a first request loads counts elsewhere."""
    for deltas, rate in ((5000, 500), (1500, 100)):
        seconds = deltas / rate
        with open_screen(environment, *_at(Paced(deltas, rate))) as terminal:
            terminal.wait_for(PROMPT)
            terminal.watch(2)
            before = terminal.cpu()
            terminal.type("go\r")
            terminal.wait_for("word9")
            begin, begun = time.monotonic(), terminal.cpu()
            terminal.wait_for(END, seconds * 4 + 30)
            if rate == 500:
                yield Figure(
                    "screen, 5,000 deltas at 500/s", (terminal.cpu() - before) * environment.scale, "s CPU", 1.5
                )
                yield Figure("screen, after 5,000 deltas, memory", terminal.memory(), "MB", 100)
            else:
                share = (terminal.cpu() - begun) / (time.monotonic() - begin) * environment.scale
                yield Figure("screen, 100 deltas/s", share * 100, "% of a core", 3)


def _keys(environment: Environment) -> Iterator[Figure]:
    """Milliseconds from a key to its echo while an answer streams into a conversation of 10,000 messages."""
    sys.setswitchinterval(0.0002)  # the server is a thread here: what waits for it would be counted as zot's
    path = environment.folder / "ten-thousand.jsonl"
    _write_conversation(path, 10_000)
    with open_screen(environment, "--session", str(path), *_at(Paced(12_000, 1000))) as terminal:
        terminal.wait_for(PROMPT)
        terminal.watch(2)
        terminal.type("go\r")
        terminal.wait_for("word1")
        echoes = []
        for _ in range(200):
            terminal.watch(0.025)
            terminal.forget()
            begin = time.monotonic()
            terminal.type(KEY)
            echoes.append((terminal.wait_for(KEY) - begin) * 1000 * environment.scale)
            terminal.type("\x7f")
        echoes.sort()
        yield Figure("screen, a key's echo at 1,000 deltas/s, p50", echoes[len(echoes) // 2], "ms")
        yield Figure("screen, a key's echo at 1,000 deltas/s, p99", echoes[len(echoes) * 99 // 100], "ms", 5)
    path.unlink()


def _write_conversation(path: Path, messages: int) -> None:
    meta = {"id": "many", "cwd": "/p", "model": "gpt-5.1", "provider": "openai", "started": TIME, "version": "0.1"}
    with path.open("w") as file:
        file.write(json.dumps({"type": "meta", "meta": meta}, separators=(",", ":")) + "\n")
        for number in range(messages):
            role = "assistant" if number % 2 else "user"
            text = f"message {number}: a few words, *some* `code`, and a list\n\n- one\n- two"
            message = {"role": role, "content": [{"type": "text", "text": text}], "time": TIME}
            file.write(json.dumps({"type": "message", "message": message}, separators=(",", ":")) + "\n")


def _long_session(environment: Environment) -> Iterator[Figure]:
    path = environment.folder / "long.jsonl"
    session.write(path)
    opened, memory = [], []
    for _ in range(3):
        begin = time.monotonic()
        with open_screen(environment, "--session", str(path), "--model", "gpt-5.1") as terminal:
            terminal.wait_for(PROMPT)
            terminal.forget()
            terminal.type(KEY)
            opened.append((terminal.wait_for(KEY) - begin) * environment.scale)
            terminal.watch(1)
            memory.append(terminal.memory("VmHWM"))
    yield Figure("screen, a session of 100 MB, to a key's echo", statistics.median(opened), "s", 1)
    yield Figure("screen, a session of 100 MB, peak memory", max(memory), "MB", 150)
    yield from _search(environment, path)
    path.unlink()


def _search(environment: Environment, path: Path) -> Iterator[Figure]:
    """Seconds from a word to a hit, and until all hits are counted."""
    found: dict[str, list[float]] = {"alpha": [], "go": []}
    counted, memory = [], []
    for _ in range(3):
        with open_screen(environment, "--session", str(path), "--model", "gpt-5.1") as terminal:
            terminal.wait_for(PROMPT)
            terminal.watch(2)
            for word, times in found.items():
                terminal.forget()
                terminal.type(SEARCH_KEY)
                terminal.wait_for("older")
                terminal.forget()
                begin = time.monotonic()
                terminal.type(word)
                times.append((terminal.wait_for("1 of ") - begin) * environment.scale)
                if word == "alpha":
                    counted.append((terminal.wait_for_match(r"of \d{3},\d{3}\x1b") - begin) * environment.scale)
                terminal.type("\x1b")
                terminal.watch(1)
            memory.append(terminal.memory("VmHWM"))
    first, only = (statistics.median(times) for times in found.values())
    yield Figure("screen, a search in 100 MB, the first of many hits", first, "s", 0.3)
    yield Figure("screen, a search in 100 MB, the only hit, at the beginning", only, "s", 0.3)
    yield Figure("screen, a search in 100 MB, all of 800,000 hits", statistics.median(counted), "s", 2)
    yield Figure("screen, a search in 100 MB, peak memory", max(memory), "MB", 150)
