"""What a terminal of kitty's kind holds while an app runs, by a small reading of the protocol that shares nothing with
the code that writes it: transmissions, placements, and that deletions leave nothing behind."""

import os
import re
import signal
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO

import pytest
from PIL import Image
from pty_screen import PtyScreen
from zot_forks import FORKED

PLACEHOLDER = "\U0010eeee"
MARKS = [0x305, 0x30D, 0x30E, 0x310, 0x312, 0x33D, 0x33E, 0x33F, 0x346, 0x34A, 0x34B, 0x34C, 0x350, 0x351, 0x352, 0x357]
MARKS += [0x35B, *range(0x363, 0x370), *range(0x483, 0x488)]  # the first of rowcolumn-diacritics.txt

# Shows images: `a` adds one, `e` expands them, `t` changes what is behind them, `s` hands the terminal over, `c`
# takes them away, `x` fails, `q` ends it.
PROGRAM = """
import asyncio, base64, io, subprocess
from dataclasses import dataclass
from PIL import Image
from zot_tui import App, CellStyle, NoteCell, ToolCell, Transcript, builtin, parse_theme

@dataclass
class Shown:
    data: str
    mime_type: str = "image/png"
    source: str = "a.png"
    kind: str = "image"

def image(number):
    sink = io.BytesIO()
    Image.new("RGBA", (150, 150), (20 * number, 0, 90, 128)).save(sink, "PNG")
    return Shown(base64.b64encode(sink.getvalue()).decode())

themes = [builtin("dark"), parse_theme('{"name": "ink", "colors": {"background": "#101020"}}').over(builtin("dark"))]
transcript = Transcript()
look = CellStyle(gallery=lambda: app.gallery())

def press(key):
    match str(key):
        case "a":
            cell = ToolCell("read", "", look)
            cell.finish("ok", [image(len(transcript.cells))])
            transcript.append(cell)
        case "e":
            transcript.toggle_all_expanded()
        case "t":
            themes.reverse()
            app.theme = themes[0]
        case "s":
            with app.suspended():
                subprocess.run(["echo", "another program"])
        case "c":
            transcript.clear()
            app.gallery().clear()
            transcript.append(NoteCell("cleared"))
        case "x":
            raise ValueError("broken on purpose")
        case "q":
            app.exit()
        case _:
            return False
    return True

async def main():
    global app
    transcript.press = press
    app = App(transcript, theme=themes[0])
    transcript.outdated.connect(app.redraw)
    transcript.append(NoteCell("ready"))
    async with app:
        await app.wait()

asyncio.run(main())
"""


@dataclass
class Terminal:
    """The images on its alternate screen: columns and rows of each by its number. AssertionError for a command that
    the protocol does not allow, or that has no sense here."""

    images: dict[int, tuple[int, int]] = field(default_factory=dict)
    sent: int = 0
    alternate: bool = False
    loading: tuple[dict[str, str], list[str]] | None = None

    def feed(self, data: bytes) -> "Terminal":
        for found in re.finditer(rb"\x1b_G([^\x1b;]*);?([^\x1b]*)\x1b\\|\x1b\[\?1049([hl])", data):
            if found[3]:
                assert not self.images, "images are left on a screen that is left"
                self.alternate = found[3] == b"h"
            else:
                assert self.alternate, "an image on the screen of the shell"
                self._command(dict(each.split("=") for each in found[1].decode().split(",")), found[2].decode())
        return self

    def _command(self, keys: dict[str, str], payload: str) -> None:
        assert keys.pop("q") == "2", "it would be answered"
        if self.loading is not None:
            assert keys.keys() == {"m"}, "only more of the same image may come"
        elif keys["a"] == "d":
            assert keys.keys() == {"a", "d", "i"}
            assert keys["d"] == "I", "the data would stay"
            assert self.images.pop(int(keys["i"])), "what is deleted is there"
            return
        else:
            assert (keys["a"], keys["U"], keys["f"]) == ("T", "1", "100")
            self.loading = keys, []
        assert len(payload) <= 4096
        self.loading[1].append(payload)
        if keys["m"] == "1":
            assert len(payload) % 4 == 0
            return
        (first, pieces), self.loading = self.loading, None
        number, columns, rows = (int(first[key]) for key in "icr")
        assert 0 < number < 1 << 24
        assert number not in self.images, "it has one of that number"
        size = Image.open(BytesIO(b64decode("".join(pieces), validate=True))).size
        assert size[0] % columns == size[1] % rows == 0
        self.images[number] = columns, rows
        self.sent += 1


def shown(pty: PtyScreen) -> dict[int, int]:
    """How many cells there are of each image, all of which the terminal has."""
    terminal = Terminal().feed(bytes(pty.received))
    found: dict[int, int] = {}
    for y, line in enumerate(pty.screen().splitlines()):
        if PLACEHOLDER not in line:
            continue
        for x in range(60):
            cell = pty.style_at(x, y)
            if cell.data.startswith(PLACEHOLDER):
                number = int(cell.fg, 16)
                if number not in terminal.images or len(cell.data) < 3:
                    return {}  # what was read ends within a frame
                row, column = (MARKS.index(ord(mark)) for mark in cell.data[1:])
                columns, rows = terminal.images[number]
                assert row < rows
                assert column < columns
                found[number] = found.get(number, 0) + 1
    return found


def until(pty: PtyScreen, holds: Callable[[dict[int, int], Terminal], bool]) -> dict[int, int]:
    pty.wait_until(lambda: holds(shown(pty), Terminal().feed(bytes(pty.received))))
    return shown(pty)


def running() -> PtyScreen:
    environment = {**os.environ, "TERM": "xterm-ghostty"}
    pty = PtyScreen([*FORKED, PROGRAM], columns=60, rows=24, environment=environment)
    pty.wait_for("ready")
    return pty


def ended_by_a_key(pty: PtyScreen) -> None:
    pty.type("q")
    assert pty.wait_end() == 0


def ended_by_a_signal(pty: PtyScreen) -> None:
    pty.signal(signal.SIGTERM)
    assert pty.wait_end() == 0


def ended_by_a_failure(pty: PtyScreen) -> None:
    pty.type("x")
    assert pty.wait_end() == 1


@pytest.mark.parametrize("end", [ended_by_a_key, ended_by_a_signal, ended_by_a_failure])
def test_the_terminal_has_the_images_that_are_shown_and_none_at_the_end(end: Callable[[PtyScreen], None]) -> None:
    with running() as pty:
        pty.type("a")
        (first,) = until(pty, lambda cells, _: list(cells.values()) == [19 * 10])
        pty.type("a")
        assert first in until(pty, lambda cells, _: len(cells) == 2)
        pty.resize(30, 20)
        until(pty, lambda cells, _: len(cells) == 2)
        end(pty)
        terminal = Terminal().feed(bytes(pty.received))
        assert (terminal.images, terminal.loading, terminal.alternate) == ({}, None, False)


def test_whatever_happens_to_the_screen_the_terminal_has_the_images_that_are_on_it() -> None:
    with running() as pty:
        pty.type("aa")
        until(pty, lambda cells, _: len(cells) == 2)
        sent = Terminal().feed(bytes(pty.received)).sent
        for happens in ("t", "\x0c", "s", "\x1a"):  # a theme, Ctrl+L, another program, Ctrl+Z
            pty.type(happens)
            until(pty, lambda cells, terminal: terminal.sent == sent + 2 and len(cells) == 2)  # noqa: B023  used at once
            sent += 2
        pty.type("e")
        until(pty, lambda cells, _: len(cells) in (1, 2))
        pty.type("c")
        pty.wait_for("cleared")
        assert Terminal().feed(bytes(pty.received)).images == {}
        pty.type("a")
        until(pty, lambda cells, terminal: len(cells) == len(terminal.images) == 1)
        ended_by_a_key(pty)
        assert Terminal().feed(bytes(pty.received)).images == {}


def test_two_apps_in_one_window_do_not_take_each_others_numbers() -> None:
    with running() as one, running() as other:
        for pty in (one, other):
            pty.type("aa")
            until(pty, lambda cells, _: len(cells) == 2)
        assert not shown(one).keys() & shown(other).keys()
        for pty in (one, other):
            ended_by_a_key(pty)
