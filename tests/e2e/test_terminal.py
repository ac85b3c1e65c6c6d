"""On a real pseudo-terminal: what the person sees, and what the terminal's Ctrl+C does."""

import json
import os
import select
import subprocess
import sys
import time

import pytest
from command import Zot
from waiting import PATIENCE, wait_until

from zot_provider.testing import Call, Fault, ScriptedServer, Turn

TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "zot_agent", *sys.argv[1:]])
"""


class Terminal:
    """A `zot` that a terminal controls."""

    def __init__(self, zot: Zot, *arguments: str) -> None:
        self.seen = ""
        self._master, slave = os.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", TAKE_TERMINAL, *arguments],
            **{"stdin": slave, "stdout": slave, "stderr": slave, "cwd": zot.cwd, "env": zot.env},
            start_new_session=True,
        )
        os.close(slave)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *exc: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def read(self, until: str = "\0", seconds: float = PATIENCE) -> None:
        """Take in what is printed, up to `until` or the end."""
        end = time.monotonic() + seconds
        while until not in self.seen:
            assert time.monotonic() < end, self.seen
            if not select.select([self._master], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(self._master, 65536)
            except OSError:  # the last process has closed it
                return
            self.seen += data.decode().replace("\r\n", "\n")

    def hang_up(self) -> int:
        """Close the terminal's window; the exit code."""
        os.close(self._master)
        self._master = os.open(os.devnull, os.O_RDONLY)
        return self._process.wait(PATIENCE)

    def type(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def code(self) -> int:
        """The exit code, once everything was read."""
        self.read()
        return self._process.wait(PATIENCE)


UNSAFE = (
    "a\x1b]0;owned\x07b\x1b[2J\x1b[Hc\x1b[31mred\x1b[0m\x9b1Ad\a\te\x1bPq\x1b\\f\n"
    "user\u202enimda\u202c zero\u200bwidth \u2066tag\U000e0041 \x9d0;owned\x9c\x85\x90q\x9c family 👩\u200d👧\n"
)
SAFE = "abcredd\tef\nuser�nimda� zerowidth �tag  family 👩\u200d👧\n"


@pytest.mark.parametrize("chunk", [1, 7, 1000])
@pytest.mark.parametrize("mode", ["-p", "--stream"])
def test_a_model_cannot_command_or_deceive_the_terminal(
    zot: Zot, server: ScriptedServer, mode: str, chunk: int
) -> None:
    server.add(Turn(UNSAFE, chunk=chunk))
    with Terminal(zot, *zot.at(server), "--no-session", mode, "x") as terminal:
        assert terminal.code() == 0
    assert terminal.seen == SAFE


@pytest.mark.parametrize("mode", ["-p", "--stream"])
def test_a_pipe_gets_what_the_model_wrote(zot: Zot, server: ScriptedServer, mode: str) -> None:
    server.add(Turn(UNSAFE, chunk=1))
    assert zot.ask(server, "--no-session", mode, "x").out == UNSAFE


def test_json_on_a_terminal_commands_nothing_and_says_the_same(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(UNSAFE))
    with Terminal(zot, *zot.at(server), "--no-session", "--json", "x") as terminal:
        assert terminal.code() == 0
    assert terminal.seen.replace("\n", "").isprintable()
    events = [json.loads(line) for line in terminal.seen.splitlines()]
    assert "".join(event["delta"] for event in events if event["type"] == "text_delta") == UNSAFE


def test_a_terminal_loads_what_makes_text_safe_and_no_screen(zot: Zot, server: ScriptedServer) -> None:
    watch = (
        "import sys; from zot_agent.entry import main; code = main(); "
        "print('loaded', *[name for name in sys.modules if name.startswith(('zot_tui', 'urwid'))])"
    )
    command = [sys.executable, "-c", watch, *zot.at(server), "--no-session", "-p", "x"]
    loaded = []
    for text in ("plain\nwords", "été"):
        server.add(text)
        master, slave = os.openpty()
        streams = {"stdin": subprocess.DEVNULL, "stdout": slave, "stderr": subprocess.PIPE}
        subprocess.run(command, **streams, env=zot.env, cwd=zot.cwd, timeout=PATIENCE, check=True)
        os.close(slave)
        loaded.append(os.read(master, 65536).decode().rpartition("loaded")[2].split())
        os.close(master)
    assert loaded[0] == []
    assert "zot_tui.text.sanitize" in loaded[1]
    assert all(
        name.split(".")[1:] in ([], ["color"], ["deferred"], ["lazy"]) or name.startswith("zot_tui.text")
        for name in loaded[1]
    )


@pytest.mark.parametrize("mode", ["-p", "--stream"])
def test_a_person_sees_what_the_tools_do(zot: Zot, server: ScriptedServer, mode: str) -> None:
    wide = {"command": "printf '\x1b]0;owned\x07' >&2; echo wrong; exit 3\n# " + "x" * 500}
    calls = [Call("bash", wide), Call("read", {"path": "nowhere.txt"}), Call("ls", {})]
    server.add(Turn("I look.", calls=calls), "Done.")
    zot.env["COLUMNS"] = "40"
    with Terminal(zot, *zot.at(server), mode, "x") as terminal:
        assert terminal.code() == 0
    lines = terminal.seen.splitlines()
    said = ["I look."] if mode == "--stream" else []
    assert [line for line in lines if not line.startswith("\x1b[2m")] == [*said, "Done."]
    dim = [line.removeprefix("\x1b[2m").removesuffix("\x1b[0m") for line in lines if line.startswith("\x1b[2m")]
    assert dim[0].startswith("bash printf '' >&2; echo wrong")
    assert dim[0].endswith("…")
    assert max(map(len, dim)) < 40
    assert dim[1:4] == ["read nowhere.txt", "ls", "  failed: exit 3: wrong"]
    assert dim[4].startswith("  failed: ")
    assert len(dim) == 5


def test_the_doctor_fits_the_terminal(zot: Zot) -> None:
    with ScriptedServer(key="another") as server:
        zot.env = zot.keyless_env | {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": server.base_url("openai-chat")}
        with Terminal(zot, "doctor") as terminal:
            assert terminal.code() == 1
    lines = terminal.seen.splitlines()
    assert "OPENAI_API_KEY is set, but the server answered 401" in terminal.seen
    assert any(line.startswith(" " * 22) for line in lines)
    assert all(len(line) <= 80 or "/" in line for line in lines), lines
    assert "ok  terminal          " in terminal.seen


def test_json_is_for_programs_and_says_nothing_besides(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "true"})]), "Done.")
    with Terminal(zot, *zot.at(server), "--json", "x") as terminal:
        assert terminal.code() == 0
    assert all(line.startswith("{") for line in terminal.seen.splitlines())


def test_control_c_before_the_answer(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(fault=Fault(stall=30.0)))
    with Terminal(zot, *zot.at(server), "-p", "x") as terminal:
        server.wait_for(1, PATIENCE)
        terminal.type(b"\x03")
        assert terminal.code() == 130
        assert terminal.seen == "^C"
    assert zot.said() == [("user", "x")]


def test_control_c_twice_in_a_tool(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("I wait.", calls=[Call("bash", {"command": "echo here > mark; sleep 63 & sleep 63"})]))
    with Terminal(zot, *zot.at(server), "--stream", "x") as terminal:
        terminal.read("I wait.")
        wait_until((zot.cwd / "mark").exists)
        terminal.type(b"\x03")
        time.sleep(0.02)
        terminal.type(b"\x03")
        assert terminal.code() == 130
        shown = terminal.seen.replace("^C", "")
        assert shown == "I wait.\n\x1b[2mbash echo here > mark; sleep 63 & sleep 63\x1b[0m\n"
    assert [role for role, _ in zot.said()] == ["user", "assistant", "tool"]


def test_the_end_of_the_terminal_ends_the_run_and_its_children(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("so long", calls=[Call("bash", {"command": "echo $$ > pid; sleep 64"})]))
    with Terminal(zot, *zot.at(server), "--stream", "x") as terminal:
        wait_until(lambda: (zot.cwd / "pid").exists() and (zot.cwd / "pid").read_text())
        assert terminal.hang_up() == 129
    assert [role for role, _ in zot.said()] == ["user", "assistant", "tool"]
    assert not os.path.exists(f"/proc/{(zot.cwd / 'pid').read_text().strip()}")
