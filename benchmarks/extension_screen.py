"""Extensions on the screen: the host's CPU for an overlay that moves and for widgets that change, and a key's way."""

import re
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from environment import Environment, Figure
from extensions import extension
from screen import PROMPT
from screen import open_screen as start
from terminal import Terminal

SECONDS, KEYS, WIDGETS = 5.0, 100, 20

OVERLAY = """
import itertools
count = itertools.count()
pressed = "-"
panel = ext.panel("moving", "Moving", "", mode="overlay", width=80, height=24)

@panel.on_render
def lines():
    number = next(count) if %(ticks)s else 0
    rows = []
    for row in range(22):
        cells = [chr(97 + (number + row + at) %% 26) * 10 for at in range(7)]
        rows.append([{"text": each, "style": ("accent", "text", "success")[at %% 3]} for at, each in enumerate(cells)])
    return [f"frame {number:06} key <{pressed}>", *rows]

@panel.on_key
def key(press):
    global pressed
    pressed = press.text

@ext.command("moving", "shows the overlay")
def show(_):
    return panel.open()
"""

TICKS = """
@panel.on_tick(1 / 30)
def tick():
    pass
"""

CHANGING = """
import itertools, threading, time

def change():
    for number in itertools.count():
        for widget in range(%(widgets)s):
            ext.widgets.set(f"w{widget}", f"widget {widget} {number:06}", place="above_editor")
        if not %(ticks)s:
            return
        time.sleep(0.1)

@ext.command("widgets", "shows them")
def show(_):
    threading.Thread(target=change, daemon=True).start()
"""


def measure(environment: Environment) -> Iterator[Figure]:
    """CPU figures are those of the process of zot alone, less nothing: an idle screen takes none."""
    still, moving = {"ticks": False, "widgets": WIDGETS}, {"ticks": True, "widgets": WIDGETS}
    overlay = _extension(environment, "moving", OVERLAY % moving + TICKS)
    with _shown(environment, overlay, command="/moving") as terminal:
        shown, seconds = frames(terminal)
        share = seconds / shown * 30 * environment.scale * 100
        yield Figure("an overlay of 80x24 at 30 frames/s", share, "% of a core", 8, f"{shown / SECONDS:.0f} frames/s")
    quiet = _extension(environment, "quiet", OVERLAY % still)
    with _shown(environment, quiet, command="/moving") as terminal:
        took = sorted(_key(terminal, number) for number in range(KEYS))
        yield Figure("a key to an overlay and back, p50", statistics.median(took) * environment.scale * 1000, "ms", 4)
    many = _extension(environment, "many-widgets", CHANGING % moving)
    with _shown(environment, many, command="/widgets") as terminal:
        share = _cpu(terminal) / SECONDS * environment.scale * 100
        yield Figure(f"{WIDGETS} widgets that change ten times a second", share, "% of a core", 5)
    calm = _extension(environment, "calm", CHANGING % still)
    with _shown(environment, quiet, calm, command="/widgets") as terminal:
        terminal.type("/moving\r")
        terminal.wait_for("frame")
        terminal.watch(2)
        share = _cpu(terminal) / SECONDS * 100
        yield Figure("the same, all of it standing still", share, "% of a core", 0.2)


def _extension(environment: Environment, name: str, body: str) -> Path:
    return extension(environment, f"screen-{name}", body, groups=("widgets", "panels2", "commands"))


def _shown(environment: Environment, *folders: Path, command: str) -> Terminal:
    """A screen on which a command of an extension has shown something."""
    terminal = start(environment, *(word for folder in folders for word in ("--ext", str(folder))))
    terminal.wait_for(PROMPT)
    terminal.watch(3)
    terminal.type(f"{command}\r")
    terminal.wait_for("frame" if command == "/moving" else "widget 0")
    terminal.watch(1)
    return terminal


def _cpu(terminal: Terminal) -> float:
    before = terminal.cpu()
    terminal.watch(SECONDS)
    return terminal.cpu() - before


def frames(terminal: Terminal) -> tuple[int, float]:
    """Frames that the screen shows in `SECONDS`, and the CPU for them."""
    before, seen, end = terminal.cpu(), set[bytes](), time.monotonic() + SECONDS
    while time.monotonic() < end:
        seen.update(re.findall(rb"frame (\d{6})", terminal.read(0.1)))
    return len(seen), terminal.cpu() - before


def _key(terminal: Terminal, number: int) -> float:
    """Seconds from a key to the redraw that shows what the extension made of it."""
    letter = "øþ"[number % 2]
    terminal.watch(0.03)
    terminal.forget()
    begin = time.monotonic()
    terminal.type(letter)
    return terminal.wait_for(letter) - begin
