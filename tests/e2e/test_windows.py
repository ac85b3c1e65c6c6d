"""zot on a system without POSIX: what works there, and one line about what does not."""

import sys
from pathlib import Path

import pytest
from command import Zot
from pty_screen import PtyScreen

from zot_agent.version import __version__
from zot_provider.testing import Call, ScriptedServer, Turn

WINDOWS = str(Path(__file__).parents[1] / "support" / "windows.py")


@pytest.fixture
def windows(zot: Zot) -> Zot:
    zot.command = (sys.executable, WINDOWS)  # type: ignore[assignment]  # as long as that of its class
    return zot


def test_the_version_and_the_help_need_no_posix(windows: Zot) -> None:
    assert windows.run("--version").result == (0, f"zot {__version__}\n", "")
    assert windows.run("--help").out.startswith("usage: zot ")
    assert windows.run("ext", "--help").code == 0


def test_a_question_is_answered_and_the_session_continues(windows: Zot, server: ScriptedServer) -> None:
    (windows.cwd / "a.txt").write_text("an apple\n")
    server.add(Turn(calls=[Call("read", {"path": "a.txt"}), Call("bash", {"command": "ls"})]), "fruit", "again")
    done = windows.ask(server, "-p", "look")
    assert (done.code, done.out, done.err) == (0, "fruit\n", "")
    results = str(server.requests[1].body)
    assert "an apple" in results
    assert "commands need Linux or macOS and do not work on Windows; run zot in WSL" in results
    assert windows.ask(server, "-c", "-p", "more").result == (0, "again\n", "")


def test_the_program_of_an_extension_is_reported_in_one_line(windows: Zot, server: ScriptedServer) -> None:
    assert windows.run("ext", "new", "hello").code == 0
    server.add("ok")
    done = windows.ask(server, "--ext", "./hello", "-p", "hi")
    assert (done.code, done.out) == (0, "ok\n")
    assert done.err.endswith("programs of extensions need Linux or macOS and do not work on Windows; run zot in WSL\n")
    assert done.err.count("\n") == 1


def test_a_client_on_pipes_is_refused_in_one_line(windows: Zot, server: ScriptedServer) -> None:
    done = windows.run("rpc", *windows.at(server))
    assert (done.code, done.out) == (2, "")
    assert done.line() == "clients on pipes need Linux or macOS and do not work on Windows; run zot in WSL"


def test_the_chat_screen_is_refused_in_one_line(windows: Zot) -> None:
    with PtyScreen([*windows.command], environment=windows.env, cwd=str(windows.cwd), columns=140) as screen:
        assert screen.wait_end() == 2
        assert screen.screen() == (
            "zot: chat screens need Linux or macOS and do not work on Windows; run zot in WSL, or use zot -p "
            '"your question"'
        )
