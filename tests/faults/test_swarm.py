"""Members of the swarm outlive the screen, kill -9 and a full disk, and lose nothing."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command import Zot
from full_disk import zot_on_full_disk
from pty_screen import PtyScreen
from repository import Repository
from waiting import PATIENCE, wait_until

from zot_agent.host.options import HostOptions
from zot_agent.swarm.member import Member, MemberState
from zot_agent.swarm.swarm import Swarm
from zot_core.sessions.file import load
from zot_provider.testing import Call, ScriptedServer, Turn


@pytest.fixture
def swarm(zot: Zot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Swarm]:
    """The swarm of `zot`, whose project is a repository. All members have ended after the test."""
    for name, value in (*zot.env.items(), ("GIT_CONFIG_GLOBAL", os.devnull), ("GIT_CONFIG_NOSYSTEM", "1")):
        monkeypatch.setenv(name, value)
        zot.env[name] = value
    Repository(zot.cwd)
    swarm = Swarm()
    yield swarm
    for each in swarm.members()[0]:
        if each.active:
            swarm.kill(each.id)


def until(swarm: Swarm, id: str, *states: MemberState) -> Member:
    """Wait until a member is in one of these states, and its process has ended."""
    wait_until(lambda: swarm.find(id).state in states and not swarm.folder(id).alive)
    return swarm.find(id)


def test_a_screen_that_is_killed_leaves_its_agents_at_work(zot: Zot, swarm: Swarm, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "mkfifo pipe; cat pipe; echo done > made.txt"})]), "All made.")
    command = [sys.executable, "-m", "zot_agent", *zot.at(server)]
    with PtyScreen(command, environment={**zot.env, "TERM": "xterm-256color"}, cwd=str(zot.cwd)) as pty:
        pty.wait_for("ask, or / for commands")
        pty.type("/swarm new wait for it\r")
        pty.wait_for("works on the branch zot/wait-for-it")
        os.killpg(pty.process.pid, signal.SIGKILL)
        pty.process.wait()
    pipe = Path(swarm.find("wait-for-it").cwd) / "pipe"
    wait_until(pipe.exists)
    assert swarm.find("wait-for-it").state == "working"
    pipe.write_text("on")
    assert until(swarm, "wait-for-it", "done").answer == "All made."
    assert (pipe.parent / "made.txt").read_text() == "done\n"


@pytest.mark.parametrize("seed", range(4))
def test_kill_at_any_moment_loses_no_message_and_no_row_and_reads_nothing_twice(
    zot: Zot, swarm: Swarm, server: ScriptedServer, seed: int
) -> None:
    chance, sent = random.Random(seed), ["the task"]
    writes = [Turn(f"step {n}", calls=[Call("write", {"path": f"{n}.txt", "content": "x"})]) for n in range(30)]
    server.add(*writes[: chance.randrange(4, 9)], *["All done."] * 40)
    options = HostOptions(
        provider="openai", model="scripted", base_url=server.base_url("openai-chat"), permission_mode="yolo",
        cwd=str(zot.cwd),
    )  # fmt: skip
    swarm.new("the task", options, name="one")
    for number in range(3):
        time.sleep(chance.random() * 0.15)
        if (pid := swarm.find("one").pid) and swarm.folder("one").alive:
            os.kill(pid, signal.SIGKILL)
        rows = Path(session).read_bytes() if os.path.exists(session := swarm.find("one").session) else b""
        until(swarm, "one", "interrupted", "done")
        swarm.send("one", f"message {number}")
        sent.append(f"message {number}")
        assert not rows or Path(session).read_bytes().startswith(rows)
    if swarm.find("one").state == "interrupted":
        swarm.resume("one")
    wait_until(lambda: not swarm.folder("one").alive)
    assert until(swarm, "one", "done").answer == "All done."
    assert swarm.folder("one").waiting() == []
    messages = load(swarm.find("one").session).messages
    said = "\n".join(each.text for each in messages if each.role == "user" and not each.hidden)
    assert sorted(said.split("\n")) == sorted(sent)


def test_a_member_whose_session_is_empty_yet_works_on_in_another(
    zot: Zot, swarm: Swarm, server: ScriptedServer
) -> None:
    server.add("First.", "Second.")
    options = HostOptions(
        provider="openai", model="scripted", base_url=server.base_url("openai-chat"), cwd=str(zot.cwd)
    )
    swarm.new("the task", options, name="one")
    Path(until(swarm, "one", "done").session).write_bytes(b"")  # as a kill before the first row leaves it
    swarm.send("one", "go on")
    assert until(swarm, "one", "done").answer == "Second."


def test_a_start_that_is_interrupted_leaves_nothing(
    zot: Zot, swarm: Swarm, server: ScriptedServer, tmp_path: Path
) -> None:
    held, begun, modules = tmp_path / "held", tmp_path / "begun", tmp_path / "modules"
    os.mkfifo(held)
    modules.mkdir()
    hold = f"import sys\nif 'work' in sys.orig_argv:\n    open({str(begun)!r}, 'w')\n    open({str(held)!r}).read()\n"
    (modules / "sitecustomize.py").write_text(hold)  # the process of a member waits until the test lets it work
    process = zot.start("swarm", "new", *zot.at(server), "go", env=zot.env | {"PYTHONPATH": str(modules)})
    wait_until(begun.exists)
    process.send_signal(signal.SIGINT)
    done = zot.finish(process)
    assert (done.code, done.line()) == (130, "stopped")
    held.write_text("")
    assert os.listdir(swarm.root) == []
    assert zot.shell("git branch --list 'zot/*'; git worktree list | wc -l").out.split() == ["1"]
    assert server.requests == []


def limited(zot: Zot, limit: int, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run zot on a disk with a limit."""
    command = [sys.executable, *zot_on_full_disk(limit), *arguments]
    return subprocess.run(
        command, cwd=zot.cwd, env=zot.env, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_a_disk_without_room_starts_nothing_and_leaves_nothing(zot: Zot, swarm: Swarm, server: ScriptedServer) -> None:
    done = limited(zot, 500, "swarm", "new", *zot.at(server), "go")
    assert done.returncode == 1
    assert done.stderr.startswith("zot: ")
    assert done.stderr.count("\n") == 1
    assert os.listdir(swarm.root) == []
    assert zot.shell("git branch --list 'zot/*'; git worktree list | wc -l").out.split() == ["1"]
    assert server.requests == []


def test_a_disk_that_fills_up_fails_the_work_which_can_be_resumed(
    zot: Zot, swarm: Swarm, server: ScriptedServer, accepted: Callable[[str, dict[str, object]], None]
) -> None:
    steps = [Turn(calls=[Call("bash", {"command": f"printf '%0400d' {number}"})]) for number in range(9)]
    server.add(*steps, "There is room.")
    assert limited(zot, 3000, "swarm", "new", *zot.at(server), "--permission-mode", "yolo", "go").returncode == 0
    failed = until(swarm, "go", "failed")
    assert "free some space" in failed.error
    before = len(server.requests)
    swarm.resume("go")
    until(swarm, "go", "done")
    for request in server.requests[before:]:
        accepted(request.wire, request.body)
