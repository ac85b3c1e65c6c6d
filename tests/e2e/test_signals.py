"""Ctrl+C and its relatives, at every moment of a run: the code is right, no child lives, the session goes on."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from command import Zot
from waiting import wait_until

from zot_provider.testing import Call, Fault, ScriptedServer, Turn


def alive(mark: str) -> list[str]:
    """Command lines of running processes that hold `mark`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if mark in words:
            found.append(words)
    return found


def resumed(zot: Zot, server: ScriptedServer) -> str:
    """What is sent when the session is gone on with."""
    server.add("resumed")
    done = zot.ask(server, "-p", "-c", "go on")
    assert (done.code, done.out, done.err) == (0, "resumed\n", "")
    return str(server.requests[-1].body["messages"])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_before_the_first_byte_of_an_answer(zot: Zot, server: ScriptedServer, number: int, code: int) -> None:
    server.add(Turn(fault=Fault(stall=30.0)))
    process = zot.start(*zot.at(server), "--json", "x")
    server.wait_for(1)
    process.send_signal(number)
    done = zot.finish(process)
    assert (done.code, done.err) == (code, "")
    assert done.events[-2:] == [{"type": "turn_end", "stop": "aborted"}, {"type": "done"}]
    server.wait_idle()
    assert server.requests[0].closed_early
    assert zot.said() == [("user", "x")]


def test_in_the_middle_of_an_answer(zot: Zot, server: ScriptedServer) -> None:
    told = "one two three four " * 5_000
    server.add(Turn(told, chunk=4, delay=0.2))
    process = zot.start(*zot.at(server), "--stream", "x")
    assert process.stdout.read(4) == b"one "
    process.send_signal(signal.SIGINT)
    done = zot.finish(process)
    assert (done.code, done.err) == (130, "")
    server.wait_idle()
    assert server.requests[0].closed_early
    role, text = zot.said()[1]
    assert role == "assistant"
    assert text
    assert told.startswith(text)
    assert text in resumed(zot, server)


@pytest.mark.parametrize(("times", "number", "code"), [(1, signal.SIGINT, 130), (2, signal.SIGTERM, 143)])
def test_inside_a_tool_with_children(zot: Zot, server: ScriptedServer, times: int, number: int, code: int) -> None:
    mark = f"61.0{os.getpid()}{times}"
    server.add(Turn(calls=[Call("bash", {"command": f"sleep {mark} & sleep {mark}"}), Call("bash", {"command": "ls"})]))
    process = zot.start(*zot.at(server), "-p", "x")
    wait_until(lambda: len([words for words in alive(mark) if words.startswith("sleep")]) == 2)
    for _ in range(times):
        process.send_signal(number)
        time.sleep(0.01)
    done = zot.finish(process)
    assert (done.code, done.out, done.err) == (code, "", "")
    assert alive(mark) == []
    assert [role for role, _ in zot.said()] == ["user", "assistant", "tool"]
    assert resumed(zot, server).count("aborted") == 2


def test_a_child_that_will_not_end_is_killed(zot: Zot, server: ScriptedServer) -> None:
    mark = f"62.0{os.getpid()}"
    command = f"trap '' INT TERM; sleep {mark}; sleep {mark}"
    server.add(Turn(calls=[Call("bash", {"command": command})]))
    process = zot.start(*zot.at(server), "-p", "x")
    wait_until(lambda: any(words.startswith("sleep") for words in alive(mark)))
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    assert zot.finish(process).code == 130
    assert alive(mark) == []


def test_while_standard_input_is_awaited(zot: Zot) -> None:
    process = zot.start("-p", "x", stdin=subprocess.PIPE)
    assert b"waiting for standard input" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    done = zot.finish(process)
    assert (done.code, done.out, done.err) == (130, "", "")
