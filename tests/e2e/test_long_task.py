"""A long task: it is compacted, killed in the middle, resumed, taken back to an earlier prompt, forked, and undone."""

import signal
import sys
from collections.abc import Iterator

import pytest
from command import Zot
from go_zot import check_accepted
from pty_screen import PtyScreen
from rpc_peer import Peer
from waiting import wait_until

from zot_core.sessions.file import load
from zot_provider.testing import Call, ScriptedServer, Turn

READ = Turn("I read it.", calls=[Call("read", {"path": "notes.txt"}), Call("ls", {"path": "."})])
HANGS = Turn("I try it.", calls=[Call("read", {"path": "notes.txt"}), Call("bash", {"command": "sleep 20"})])
SCRIPT = (READ, "First done.", "Second done.", "Third done.", "## Goal\n\nThree steps.", HANGS)
WRITES = Turn("I write it.", calls=[Call("write", {"path": "made.txt", "content": "made\n"})])
RESUMED = ("Fourth done.", "The fourth step hung.", "Another fourth done.", "Forked and done.", WRITES, "Fifth done.")


@pytest.fixture
def project(zot: Zot) -> Zot:
    (zot.cwd / "notes.txt").write_text("remember the milk\n")
    return zot


def stuck(zot: Zot) -> bool:
    """Whether the first result of the call that hangs is on disk."""
    return zot.session.read_bytes().count(b'\n{"type":"tool_result"') == 2


def check_files(zot: Zot, server: ScriptedServer) -> None:
    """Check what the models read, and what is on disk: the session with two branches, and its fork, also with two."""
    resumed, summary, other, forked, *_ = (str(request.body) for request in server.requests[len(SCRIPT) :])
    for text in ("## Goal", "Third done.", "remember the milk", "tool call was aborted", "go on"):
        assert text in resumed
    assert "First done." not in resumed
    assert "tool call was aborted" not in summary
    assert "Fourth done." in summary
    for request in (other, forked):
        assert "The fourth step hung." in request
        assert "Fourth done." not in request
    assert not (zot.cwd / "made.txt").exists()
    assert len(zot.sessions) == 4
    metas = [load(str(path)).meta for path in zot.sessions]
    assert len({meta.session_id for meta in metas}) == 2
    assert sum(meta.hidden for meta in metas) == 2
    for path in zot.sessions:
        check_accepted(path.read_bytes())


def screen(zot: Zot, *arguments: str) -> PtyScreen:
    command = [sys.executable, "-m", "zot_agent", *arguments]
    pty = PtyScreen(command, environment={**zot.env, "TERM": "xterm-256color"}, cwd=str(zot.cwd))
    pty.wait_for("ask, or / for commands")
    return pty


def say(pty: PtyScreen, text: str, answer: str) -> None:
    pty.type(f"{text}\r")
    pty.wait_for(answer)
    pty.wait_until(lambda: "esc to stop" not in pty.screen(), what="the end of the run")


def test_on_the_screen(project: Zot, server: ScriptedServer) -> None:
    server.add(*SCRIPT)
    with screen(project, *project.at(server)) as pty:
        for step in ("First", "Second", "Third"):
            say(pty, f"do the {step.lower()} step", f"{step} done.")
        say(pty, "/compact", "Summary of the conversation")
        pty.type("do the fourth step\r")
        pty.wait_until(lambda: stuck(project), what="the first result")
        pty.signal(signal.SIGKILL)
        pty.wait_end()
    server.add(*RESUMED)
    with screen(project, *project.at(server), "-c") as pty:
        pty.wait_for("do the fourth step")
        say(pty, "go on", "Fourth done.")
        pty.type("/tree\r")
        pty.wait_for("Session tree")
        pty.type("\x1b[A\x13")  # up, Ctrl+S
        pty.wait_for("› do the fourth step")
        say(pty, " otherwise", "Another fourth done.")
        say(pty, "/clone", "a new session with the same conversation")
        say(pty, "and here?", "Forked and done.")
        say(pty, "do the fifth step", "Fifth done.")
        assert (project.cwd / "made.txt").read_text() == "made\n"
        pty.type("/undo\r")
        pty.wait_for("undone; restored made.txt")
        pty.wait_for("› do the fifth step")
        pty.type("\x15\x04")  # Ctrl+U, Ctrl+D
        assert pty.wait_end() == 0
    check_files(project, server)


@pytest.fixture
def rpc(project: Zot, server: ScriptedServer) -> Iterator["Sessions"]:
    sessions = Sessions(project, server)
    yield sessions
    for peer in sessions.peers:
        peer.kill()


class Sessions:
    """Processes of `zot rpc` that continue the last session."""

    def __init__(self, zot: Zot, server: ScriptedServer) -> None:
        self.zot, self.server = zot, server
        self.peers: list[Peer] = []

    def open(self) -> Peer:
        self.peers.append(Peer(self.server, self.zot.cwd, "-c", **self.zot.env))
        return self.peers[-1]


def ask(peer: Peer, text: str) -> None:
    peer.send("prompt", message=text)
    peer.until("done")


def test_over_rpc(rpc: Sessions, project: Zot, server: ScriptedServer) -> None:
    server.add(*SCRIPT)
    assert project.ask(server, "-p", "do the first step").out == "First done.\n"
    peer = rpc.open()
    for step in ("second", "third"):
        ask(peer, f"do the {step} step")
    peer.send("compact")
    peer.until("done")
    peer.send("prompt", message="do the fourth step")
    wait_until(lambda: stuck(project))
    peer.process.kill()
    peer.process.wait()

    server.add(*RESUMED)
    peer = rpc.open()
    ask(peer, "go on")
    entries = peer.data("session.tree")["entries"]
    prompt = next(entry for entry in entries if entry["text"] == "do the fourth step")
    assert (
        peer.data("session.navigate", entry=prompt["id"], position="before", summarise=True)["text"]
        == "do the fourth step"
    )
    ask(peer, "do the fourth step otherwise")
    old = peer.data("get_state")["session_id"]
    assert peer.data("session.fork")["session_id"] != old
    ask(peer, "and here?")
    ask(peer, "do the fifth step")
    assert (project.cwd / "made.txt").read_text() == "made\n"
    assert peer.data("session.undo")["text"] == "do the fifth step"
    assert peer.finish() == (0, "")
    check_files(project, server)
    shown = [path for path in project.sessions if not load(str(path)).meta.hidden]
    last = max(shown, key=lambda path: path.stat().st_mtime_ns)
    stays = last.read_bytes()
    server.add("still here")
    assert project.ask(server, "-p", "-c", "and now?").out == "still here\n"
    assert last.read_bytes().startswith(stays)
