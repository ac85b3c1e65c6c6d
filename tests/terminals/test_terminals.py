"""zot in kitty, xterm and alacritty, on a virtual X server: keys, overlays, the mouse, pastes, and what is left behind.

`make terminals` runs these. What the terminals send is read from the trace of an extension, since nothing reads their
windows. Graphics are drawn in software.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import KEY, Zot
from waiting import wait_until

from zot_provider.testing import ScriptedServer

EXTENSIONS = Path(__file__).parents[2] / "examples" / "extensions"
TERMINALS = {
    "xterm": ["xterm", "-geometry", "100x30", "-e"],
    "kitty": ["kitty", "--config", "NONE", "-o", "remember_window_size=no", "-o", "confirm_os_window_close=0"],
    "alacritty": ["alacritty", "-o", 'cursor.style="Block"', "-e"],
}
LAUNCH = """#!/bin/sh
stty -a > before
"$@"
stty -a > after
read -r line
echo "$line" > typed
"""


@pytest.fixture(scope="module")
def display(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The number of an X server of its own."""
    reads, writes = os.pipe()
    command = ["Xvfb", "-displayfd", str(writes), "-screen", "0", "1200x800x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writes], stderr=subprocess.DEVNULL) as server:
        os.close(writes)
        with os.fdopen(reads) as number:
            yield f":{number.readline().strip()}"
        server.terminate()


class Window:
    """A terminal with zot in it, and what the extension `overlay-test` has heard."""

    def __init__(self, display: str, folder: Path) -> None:
        self.environment = {**os.environ, "DISPLAY": display}
        self.folder = folder

    def do(self, *words: str) -> None:
        """Have `xdotool` do something in the window, which is the only one."""
        subprocess.run(["xdotool", *words], env=self.environment, check=True, timeout=30, capture_output=True)

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


NEEDED = ("Xvfb", "xkbcomp", "xdotool", "xclip")


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.needs(name, *NEEDED)) for name in TERMINALS])
def test_keys_pastes_and_the_mouse_arrive_and_nothing_is_left_behind(name: str, display: str, tmp_path: Path) -> None:
    zot = Zot(tmp_path)
    folder = Path(zot.cwd)
    launch = folder / "launch"
    launch.write_text(LAUNCH)
    launch.chmod(0o755)
    window = Window(display, folder)
    environment = {**zot.env, "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1", "XDG_RUNTIME_DIR": str(tmp_path)}
    examples = ("--ext", str(EXTENSIONS / "overlay-test"), "--ext-trace", str(folder / "trace"))
    with ScriptedServer(key=KEY) as server:
        program = [str(launch), sys.executable, "-m", "zot_agent", *zot.at(server), *examples]
        with (
            subprocess.Popen([*TERMINALS[name], *program], env=environment, cwd=folder) as terminal,
            contextlib.ExitStack() as end,
        ):
            end.callback(terminal.kill)
            wait_until(lambda: window.frames("ready") != [])
            window.do("search", "--sync", "--onlyvisible", "--name", ".", "windowfocus", "--sync")
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
                window.do("keydown", "w")
                wait_until(lambda: window.hears("panel_key", text="w", kind="repeat"))
                window.do("keyup", "w")
                wait_until(lambda: window.hears("panel_key", text="w", kind="release"))
            window.do("key", "shift+Tab")
            wait_until(lambda: window.hears("panel_focus", panel_id="stack2", focused=True))
            subprocess.run(["/usr/bin/xclip", "-selection", "primary"], input=b"ab", env=window.environment, check=True)
            window.do("key", "shift+Insert")
            wait_until(lambda: window.hears("panel_key", key="rune", text="b"))
            window.do("search", "--onlyvisible", "--name", ".", "mousemove", "--window", "%1", "--polar", "0", "0")
            window.do("click", "1")  # in the middle, where the lowest of them is
            wait_until(lambda: window.hears("panel_mouse", panel_id="stack1", action="press", button=1))
            wait_until(lambda: window.hears("panel_focus", panel_id="stack1", focused=True))
            for panel in ("stack1", "stack2", "stack3"):
                window.do("key", "Escape")
                wait_until(lambda closed=panel: window.hears("panel_close", panel_id=closed))
            window.do("key", "ctrl+d")
            wait_until((folder / "after").exists)
            window.do("type", "--delay", "20", "ok")
            window.do("key", "Return")
            wait_until((folder / "typed").exists)
            terminal.wait(30)
    assert (folder / "after").read_text() == (folder / "before").read_text()
    assert (folder / "typed").read_text() == "ok\n"
