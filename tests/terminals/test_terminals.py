"""zot in kitty, xterm and alacritty, on a virtual X server: keys, overlays, the mouse, pastes, images, what is left.

`make terminals` runs these. What the terminals send is read from the trace of an extension, since nothing reads text in
their windows. Graphics are drawn in software.
"""

import contextlib
import json
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command import KEY, Zot
from waiting import PATIENCE, wait_until

from zot_provider.testing import Call, ScriptedServer, Turn

EXTENSIONS = Path(__file__).parents[2] / "examples" / "extensions"
TERMINALS = {
    "xterm": ["xterm", "-tn", "xterm-256color", "-geometry", "100x30", "-e"],
    "kitty": ["kitty", "--config", "NONE", "-o", "remember_window_size=no", "-o", "confirm_os_window_close=0"],
    "alacritty": ["alacritty", "-o", 'cursor.style="Block"', "-e"],
}
REPEAT_DELAY = 60_000
"""Milliseconds after which a key that is down repeats itself, at most 65535. On a busy machine the key of
`xdotool key` is down for longer than the second after which the X server would repeat it."""
LAUNCH = """#!/bin/sh
stty -a > before
"$@"
stty -a > after
read -r line
echo "$line" > typed
"""


@pytest.fixture
def pixels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder where the X server keeps what it shows."""
    return tmp_path_factory.mktemp("pixels")


@pytest.fixture
def display(pixels: Path) -> Iterator[str]:
    """The number of an X server of its own."""
    reads, writes = os.pipe()
    command = ["Xvfb", "-displayfd", str(writes), "-screen", "0", "1200x800x24", "-nolisten", "tcp"]
    command += ["-fbdir", str(pixels), "-ardelay", str(REPEAT_DELAY)]
    with subprocess.Popen(command, pass_fds=[writes], stderr=subprocess.DEVNULL) as server:
        os.close(writes)
        with os.fdopen(reads) as number:
            yield f":{number.readline().strip()}"
        server.terminate()


class Window:
    """A terminal with zot in it, and what the extension `overlay-test` has heard."""

    def __init__(self, display: str, folder: Path, server: ScriptedServer, zot: Zot) -> None:
        self.environment = {**os.environ, "DISPLAY": display}
        self.folder = folder
        self.server = server
        self.zot = zot
        self.left: Callable[[], None] = lambda: None
        """Called once zot has ended and the window is still there."""

    def do(self, *words: str) -> None:
        """Have `xdotool` do something in the window, which is the only one."""
        subprocess.run(["xdotool", *words], env=self.environment, check=True, timeout=PATIENCE, capture_output=True)

    def point_at_the_middle(self) -> None:
        """Move the mouse there, within the window: kitty knows no place of a mouse that has only come in."""
        for place in (("5", "5"), ("--polar", "0", "0")):
            self.do("search", "--onlyvisible", "--name", ".", "mousemove", "--window", "%1", *place)

    def frames(self, kind: str) -> list[dict[str, object]]:
        """The frames of a kind that the extension got or sent."""
        try:
            lines = (self.folder / "trace").read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []
        frames = [json.loads(line)["frame"] for line in lines if line.endswith("}")]
        return [frame for frame in frames if frame["type"] == kind]

    def hears(self, kind: str, /, **members: object) -> bool:
        """Whether it has got such a frame."""
        return any(members.items() <= frame.items() for frame in self.frames(kind))


@contextlib.contextmanager
def opened(name: str, display: str, tmp_path: Path, *answers: str | Turn) -> Iterator[Window]:
    """Zot in a terminal, with an extension. In the end it is closed, and has left nothing behind."""
    zot = Zot(tmp_path)
    folder = Path(zot.cwd)
    launch = folder / "launch"
    launch.write_text(LAUNCH)
    launch.chmod(0o755)
    environment = {**zot.env, "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1", "XDG_RUNTIME_DIR": str(tmp_path)}
    examples = ("--ext", str(EXTENSIONS / "overlay-test"), "--ext-trace", str(folder / "trace"))
    with ScriptedServer(answers, key=KEY) as server:
        window = Window(display, folder, server, zot)
        program = [str(launch), sys.executable, "-m", "zot_agent", *zot.at(server), *examples]
        with (
            subprocess.Popen([*TERMINALS[name], *program], env=environment, cwd=folder) as terminal,
            contextlib.ExitStack() as end,
        ):
            end.callback(terminal.kill)
            wait_until(lambda: window.frames("ready") != [])
            window.do("search", "--sync", "--onlyvisible", "--name", ".", "windowfocus", "--sync")
            yield window
            window.do("key", "ctrl+d")
            wait_until((folder / "after").exists)
            window.left()
            window.do("type", "--delay", "20", "ok")
            window.do("key", "Return")
            wait_until((folder / "typed").exists)
            terminal.wait(PATIENCE)
    assert (folder / "after").read_text() == (folder / "before").read_text()
    assert (folder / "typed").read_text() == "ok\n"


NEEDED = ("Xvfb", "xkbcomp", "xdotool", "xclip")


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.needs(name, *NEEDED)) for name in TERMINALS])
def test_keys_pastes_and_the_mouse_arrive_and_nothing_is_left_behind(name: str, display: str, tmp_path: Path) -> None:
    with opened(name, display, tmp_path) as window:
        window.do("type", "--delay", "20", "/overlay stack")
        window.do("key", "Return")
        wait_until(lambda: window.hears("panel_focus", panel_id="stack3", focused=True))
        for key, members in {
            "ctrl+alt+k": {"key": "k", "mods": ["ctrl", "alt"]},
            "ctrl+Right": {"key": "right", "mods": ["ctrl"]},
            "shift+F5": {"key": "f5", "mods": ["shift"]},
            "alt+x": {"key": "x", "mods": ["alt"]},
            "Prior": {"key": "pageup"},
        }.items():
            window.do("key", key)
            wait_until(lambda wanted=members: window.hears("panel_key", **wanted))
        if name == "kitty":  # the others do not report keys that are let go
            window.do("keydown", "w", "keydown", "w")
            wait_until(lambda: window.hears("panel_key", text="w", kind="repeat"))
            window.do("keyup", "w")
            wait_until(lambda: window.hears("panel_key", text="w", kind="release"))
        window.do("key", "shift+Tab")
        wait_until(lambda: window.hears("panel_focus", panel_id="stack2", focused=True))
        subprocess.run(["xclip", "-selection", "primary"], input=b"ab", env=window.environment, check=True)
        window.do("key", "shift+Insert")
        wait_until(lambda: window.hears("panel_key", key="rune", text="b"))
        window.point_at_the_middle()
        window.do("click", "1")  # in the middle, where the lowest of them is
        wait_until(lambda: window.hears("panel_mouse", panel_id="stack1", action="press", button=1))
        wait_until(lambda: window.hears("panel_focus", panel_id="stack1", focused=True))
        for panel in ("stack1", "stack2", "stack3"):
            window.do("key", "Escape")
            wait_until(lambda closed=panel: window.hears("panel_close", panel_id=closed))


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.needs(name, *NEEDED)) for name in TERMINALS])
def test_the_wheel_changes_nothing_in_the_editor(name: str, display: str, tmp_path: Path) -> None:
    with opened(name, display, tmp_path, "one", "two") as window:
        window.do("type", "--delay", "20", "first")
        window.do("key", "Return")
        wait_until(lambda: window.zot.sessions and ("assistant", "one") in window.zot.said())
        window.point_at_the_middle()
        window.do("click", "--repeat", "3", "--delay", "50", "4")
        window.do("type", "--delay", "20", "second")
        window.do("key", "Return")
        wait_until(lambda: len(window.server.requests) == 2)
        *_, last = window.server.requests[-1].body["messages"]
        assert "second" in (last["content"], last["content"][0])


def png(size: int) -> bytes:
    """An image whose lower left half is pink and the rest black."""
    rows = b"".join(b"\0" + b"\xff\0\xff" * (at + 1) + b"\0\0\0" * (size - at - 1) for at in range(size))
    parts = {b"IHDR": struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0), b"IDAT": zlib.compress(rows), b"IEND": b""}
    chunks = (struct.pack(">I", len(data)) + kind + data for kind, data in parts.items())
    ends = (struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts.items())
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk + end for chunk, end in zip(chunks, ends, strict=True))


def pink(pixels: Path) -> list[int]:
    """How many pixels of each row of the screen are pink, without rows that have none.

    The file is a window dump of X: https://gitlab.freedesktop.org/xorg/proto/xorgproto, `XWDFile.h`.
    """
    data = (pixels / "Xvfb_screen0").read_bytes()
    header = struct.unpack(">25I", data[:100])
    begin, height, size = header[0] + header[19] * 12, header[5], header[12]
    rows = (data[begin + at * size : begin + (at + 1) * size] for at in range(height))
    # Blue, green, red and a byte that counts nothing; graphics in software round them.
    colors = (zip(row[::4], row[1::4], row[2::4], strict=True) for row in rows)
    counts = (sum(blue > 250 and green < 5 and red > 250 for blue, green, red in row) for row in colors)
    return [count for count in counts if count > 4]


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.needs(name, *NEEDED)) for name in TERMINALS])
def test_an_image_is_drawn_and_nothing_of_it_is_left_behind(
    name: str, display: str, pixels: Path, tmp_path: Path
) -> None:
    answers = Turn(calls=[Call("read", {"path": "pink.png"})]), "A triangle."
    with opened(name, display, tmp_path, *answers) as window:
        (window.folder / "pink.png").write_bytes(png(200))
        assert pink(pixels) == []
        window.do("type", "--delay", "20", "look")
        window.do("key", "Return")
        wait_until(lambda: len(pink(pixels)) > 50)
        window.left = lambda: wait_until(lambda: pink(pixels) == [])
