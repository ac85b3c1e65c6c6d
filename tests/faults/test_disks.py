"""Disks that take no more, and files that others hold: one line, the right exit code, nothing lost."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from command import Zot
from full_disk import zot_on_full_disk
from waiting import PATIENCE

from zot_core.errors import SessionError
from zot_core.sessions.file import SessionFile, StoredSession, load
from zot_core.sessions.rows import Meta
from zot_provider.messages import Message
from zot_provider.testing import Call, ScriptedServer, Turn

# The second is what the system says of a file that is as large as it may be.
FULL = "zot: cannot write session {}: (the disk is full|File too large); free some space\n"

STEPS = [
    Turn("I write", calls=[Call("bash", {"command": f"printf '%0200d' {number}"}), Call("ls", {"path": "."})])
    for number in range(4)
]


def limited(zot: Zot, server: ScriptedServer, limit: int, *arguments: str) -> tuple[int, str, str]:
    """Run zot on a disk on which no file may be larger than `limit` bytes."""
    base = ["--provider", "openai", "--model", "scripted", "--base-url", server.base_url("openai-chat"), *arguments]
    done = subprocess.run(
        [sys.executable, *zot_on_full_disk(limit), *base],
        cwd=zot.cwd,
        env=zot.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def messages(path: Path) -> list[Message]:
    return load(str(path)).messages


@pytest.mark.parametrize("limit", [420, 700, 1200, 1900, 2600])
def test_a_disk_that_fills_up_ends_the_run_with_one_line_and_the_conversation_so_far_goes_on(
    zot: Zot, server: ScriptedServer, accepted: Callable[[str, dict[str, Any]], None], limit: int
) -> None:
    server.add(*STEPS, Turn("never"))
    code, out, err = limited(zot, server, limit, "--json", "go")
    assert code == 1
    assert re.fullmatch(FULL.format(zot.session), err)
    events = [json.loads(line) for line in out.splitlines()]
    assert [event["type"] for event in events[-2:]] == ["error", "done"]
    told = [event["id"] for event in events if event["type"] == "tool_result"]
    kept = [block for message in messages(zot.session) if message.role == "tool" for block in message.content]
    assert [block.call_id for block in kept] == told  # type: ignore[union-attr]
    assert zot.session.stat().st_size == limit

    with ScriptedServer(["there is room again"], key=server.key) as other:
        assert zot.ask(other, "-p", "-c", "go on").result == (0, "there is room again\n", "")
        accepted("openai-chat", other.requests[0].body)
    assert [message.text for message in messages(zot.session)][-2:] == ["go on", "there is room again"]


def test_a_disk_with_no_room_for_a_first_message_leaves_no_file_and_asks_nobody(
    zot: Zot, server: ScriptedServer
) -> None:
    code, out, err = limited(zot, server, 10, "-p", "go")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "the disk is full; free some space" in err
    assert list(zot.home.rglob("*.jsonl")) == []
    assert server.requests == []


def test_a_full_disk_does_not_harm_a_session_that_is_gone_on_with(zot: Zot, server: ScriptedServer) -> None:
    server.add("first", "third")
    assert zot.ask(server, "-p", "one").result == (0, "first\n", "")
    before = zot.session.read_bytes()
    code, out, err = limited(zot, server, len(before), "-p", "-c", "two")
    assert (code, out) == (1, "")
    assert re.fullmatch(FULL.format(zot.session), err)
    assert zot.session.read_bytes() == before
    assert zot.ask(server, "-p", "-c", "three").result == (0, "third\n", "")
    assert [message.text for message in messages(zot.session)] == ["one", "first", "three", "third"]


def test_a_session_is_never_a_device() -> None:
    meta = Meta("id", "/p", "scripted", "openai", "then")
    with pytest.raises(SessionError, match="cannot write session /dev/full: not a regular file"):
        SessionFile("/dev/full", meta, resume=StoredSession(meta))


@pytest.mark.parametrize("place", ["folder of all", "folder of this project"])
def test_a_file_in_place_of_the_folder_of_sessions_is_told(zot: Zot, server: ScriptedServer, place: str) -> None:
    if place == "folder of all":
        zot.home.mkdir()
        (zot.home / "sessions").write_text("a file")
    else:
        server.add("ok")
        zot.ask(server, "-p", "hi")
        folder = zot.session.parent
        zot.session.unlink()
        folder.rmdir()
        folder.write_text("a file")
    code, out, err = zot.ask(server, "-p", "hello").result
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("zot: cannot ")
    assert "session" in err


def test_a_folder_in_which_nothing_can_be_made_is_told(zot: Zot, server: ScriptedServer) -> None:
    zot.env["ZOT_HOME"] = "/proc/zot"  # nobody, root included, can make anything there
    code, out, err = zot.ask(server, "-p", "hello").result
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("zot: cannot create the folder of session /proc/zot/")


def test_processes_that_want_a_session_in_use_are_told_and_cost_the_first_one_nothing(
    zot: Zot, server: ScriptedServer
) -> None:
    told = Event()
    server.add(STEPS[0], lambda _: STEPS[1] if told.wait(PATIENCE) else Turn("nobody came"), *STEPS[2:], "the end")
    first = zot.start(*zot.at(server), "-p", "go")
    server.wait_for(2, PATIENCE)
    for _ in range(2):
        code, out, err = zot.ask(server, "-p", "-c", "me too").result
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert "is in use by another zot; close that one first, or fork it (--fork)" in err
    told.set()
    out, err = first.communicate(timeout=PATIENCE)
    assert (first.returncode, out, err) == (0, b"the end\n", b"")
    said = messages(zot.session)
    assert [message.role for message in said] == ["user", *["assistant", "tool"] * len(STEPS), "assistant"]
    assert len(server.requests) == len(STEPS) + 1
    server.add("now it is my turn")
    assert zot.ask(server, "-p", "-c", "me too").result == (0, "now it is my turn\n", "")
