"""Extensions that do their worst while `zot` shows them on a real terminal: no key is lost, and the editor stays."""

import contextlib
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from command import Zot
from extension_folder import write_extension
from pty_screen import PtyScreen

from zot_provider.testing import Call, ScriptedServer, Turn

READY = "ask, or / for commands"


@contextlib.contextmanager
def on_screen(zot: Zot, server: ScriptedServer, folder: Path, **variables: str) -> Iterator[PtyScreen]:
    """`zot` with an extension, which has registered its commands."""
    environment = {**zot.env, "TERM": "xterm-256color", **variables}
    command = [*zot.command, *zot.at(server), "--ext", str(folder)]
    with PtyScreen(command, columns=80, rows=24, environment=environment, cwd=str(zot.cwd)) as pty:
        pty.wait_for(READY)
        pty.type("/pid\r")
        pty.wait_until(lambda: re.search(r"\bpid \d", pty.screen()), what="the answer")
        pty.type("\x1b")  # the note goes
        pty.wait_until(lambda: "pid " not in pty.screen())
        yield pty


PID = """
import os
import threading
import time
from pathlib import Path

@ext.command("pid")
def pid(_):
    Path("pid").write_text(str(os.getpid()))
    return f"pid {os.getpid()}"
"""

CROWD = """
@ext.command("crowd")
def crowd(_):
    threading.Thread(target=flood, daemon=True).start()

def flood():
    refused = 0
    for n in range(1000):
        place = ("above_editor", "below_editor", "top_left", "bottom_right", "status", "header")[n % 6]
        try:
            ext.widgets.set(f"w{n}", f"widget {n} " + "x" * (1_000_000 if n % 25 == 5 else 10), place=place)
        except HostError:
            refused += 1
    ext.widgets.set("w0", f"{refused} refused", place="above_editor", priority=9)
    while True:
        ext.widgets.set("w1", f"widget 1 {time.monotonic()}", place="below_editor")
"""


def test_a_thousand_widgets_lines_of_a_megabyte_and_a_flood_leave_the_editor_its_place(
    zot: Zot, server: ScriptedServer, tmp_path: Path
) -> None:
    folder = write_extension(tmp_path / "crowd", PID + CROWD, more="capabilities=('widgets',)")
    with on_screen(zot, server, folder) as pty:
        pty.type("/crowd\r")
        for character in "typed in the crowd":
            pty.type(character)
            pty.read(0.05)
        pty.wait_for("950 refused")
        pty.wait_for("› typed in the crowd")
        rows = pty.screen().splitlines()
        assert next(at for at, row in enumerate(rows) if row.startswith("› typed")) >= 3
        pty.resize(20, 6)
        pty.wait_until(lambda: "› typed in the" in pty.screen() and "widget " not in pty.screen(), what="20 by 6")
        pty.resize(80, 24)
        pty.wait_for("950 refused")
        os.kill(int((folder / "pid").read_text()), signal.SIGKILL)
        pty.wait_until(lambda: "widget " not in pty.screen() and "refused" not in pty.screen(), what="no widget")
        pty.type(" and after it")
        pty.wait_for("› typed in the crowd and after it")


LATE = """
@ext.renderer("tool_call", "bash")
def call(asked):
    while not Path(str(asked.width)).exists():
        time.sleep(0.01)
    return ["\\x1b[5;5H\\x1b[2J" + f"for {asked.width} " * 20, "\\x1b]0;hacked\\x07second"]
"""


def test_a_renderer_that_answers_late_for_another_width_with_cursor_moves_changes_nothing_else(
    zot: Zot, server: ScriptedServer, tmp_path: Path
) -> None:
    folder = write_extension(tmp_path / "late", PID + LATE)
    server.add(Turn(calls=[Call("bash", {"command": "echo one"})]), "Done.")
    with on_screen(zot, server, folder, ZOT_EXT_PATIENCE="60") as pty:
        pty.type("go\r")
        pty.wait_for("● bash echo one")
        pty.wait_for("Done.")
        pty.type("typed")
        (folder / "78").touch()
        pty.wait_for("● for 78 for 78")
        pty.resize(60, 24)  # the answer for the width from before is clipped
        pty.wait_until(lambda: max(map(len, pty.screen().splitlines())) <= 60 and "● for 78" in pty.screen())
        pty.resize(50, 24)
        pty.read(0.2)
        pty.resize(70, 24)
        for width in (58, 48):  # for which nobody waits any more
            (folder / str(width)).touch()
        pty.type(" on")
        pty.wait_for("› typed on")
        (folder / "68").touch()
        pty.wait_for("● for 68 for 68")
        assert not {"for 58", "for 48", "for 78"} & {row[2:8] for row in pty.screen().splitlines()}
        rows = pty.screen().splitlines()
        assert max(map(len, rows)) <= 70
        assert rows[-2].startswith("› typed on")
        assert "hacked" not in pty.screen() + pty.title


KEYS = """
@ext.command("bind")
def bind(_):
    said = []
    for key in ("ctrl+c", "ctrl+d", "esc", "enter", "f9"):
        try:
            ext.keys.bind(key, "pid")
        except HostError as error:
            said.append(f"{error.code} {key}")
    return ", ".join(said)
"""


def test_a_shortcut_on_ctrl_c_is_refused_and_ctrl_c_ends_zot(zot: Zot, server: ScriptedServer, tmp_path: Path) -> None:
    folder = write_extension(tmp_path / "keys", PID + KEYS, more="capabilities=('keys',)")
    with on_screen(zot, server, folder) as pty:
        pty.type("/bind\r")
        pty.wait_for("invalid ctrl+c, invalid ctrl+d, invalid esc, invalid enter")
        pty.type("\x1b[20~")  # F9
        pty.wait_for("pid ")
        pty.type("\x03")
        pty.wait_for("press ctrl+c again to quit")
        pty.type("\x03")
        assert pty.wait_end() == 0


TEN = """
heard = []
ANCHORS = ("center", "top_left", "bottom_right")
panels = [ext.panel(f"p{n}", f"P{n}", mode="overlay", anchor=ANCHORS[n % 3]) for n in range(10)]

for each in panels:
    each.on_render(lambda: ["".join(heard)[-16:]])
    each.on_key(lambda press: heard.append(press.text))
    each.on_tick(0.03)(lambda: None)

@ext.command("ten")
def ten(_):
    for each in panels:
        each.show()
"""


def test_no_key_is_lost_in_a_storm_of_sizes_and_a_program_that_hangs_gives_the_keys_back(
    zot: Zot, server: ScriptedServer, tmp_path: Path
) -> None:
    folder = write_extension(tmp_path / "ten", PID + TEN, more="capabilities=('panels2',)")
    typed = "abcdefghijklmnopqrstuvwxyz0123456789"
    with on_screen(zot, server, folder) as pty:
        pty.type("/ten\r")
        pty.wait_for(" P9 ")
        for step, character in enumerate(typed):
            pty.resize(20 + 13 * step % 100, 6 + 7 * step % 30)
            pty.type(character)
            pty.read(0.02)
        pty.resize(20, 6)
        pty.wait_for(typed[-16:])
        pty.resize(80, 24)
        pty.wait_for(typed[-16:])

        pid = int((folder / "pid").read_text())
        os.kill(pid, signal.SIGSTOP)
        for _ in range(10):  # an overlay each
            pty.type("\x1b")
            time.sleep(0.05)
        pty.wait_until(lambda: "╭" not in pty.screen(), what="no overlay")
        pty.type("typed")
        pty.wait_for("› typed")
        os.kill(pid, signal.SIGCONT)
        pty.type(" on")
        pty.wait_for("› typed on")
        pty.type("\x15/pid\r")
        pty.wait_for(f"pid {pid}")
        assert "╭" not in pty.screen()
