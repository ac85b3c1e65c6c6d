"""kill -9 at random moments of random runs: what was reported is on disk, and the conversation goes on."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from command import Zot
from pty_screen import PtyScreen
from rpc_peer import Peer
from waiting import PATIENCE

from zot_core import Runtime
from zot_core.sessions.file import load
from zot_provider.messages import TextBlock, ToolResultBlock
from zot_provider.testing import Call, ScriptedServer, Turn

KILLS = 20
WORDS = ("one", "two", "drei — §", 'a "quoted" \\ word', "line\nbreak")


def script(chance: random.Random) -> list[Turn]:
    """Some turns with text and calls, side by side or one after the other, then an answer."""

    def call() -> Call:
        return chance.choice(
            (
                Call("read", {"path": chance.choice(("a.txt", "b.txt", "none.txt"))}),
                Call("ls", {"path": "."}),
                Call("write", {"path": f"{chance.randrange(9)}.txt", "content": chance.choice(WORDS)}),
            )
        )

    turns = []
    for number in range(chance.randrange(2, 6)):
        calls = [call() for _ in range(chance.randrange(1, 5))]
        if chance.random() < 0.5:
            calls.append(Call("bash", {"command": f"echo {number}; sleep 0.0{chance.randrange(3)}"}))
        text = " ".join(chance.choices(WORDS, k=chance.randrange(6)))
        turns.append(Turn(text, calls=calls, chunk=8, delay=chance.choice((0.0, 0.001, 0.004))))
    return [*turns, Turn("the end", delay=0.01, chunk=3)]


def killed(process: "subprocess.Popen[bytes]", chance: random.Random) -> list[dict[str, Any]]:
    """Kill a process once it has told a random number of events, a moment later; all that it told."""
    limit = Timer(20.0, process.kill)
    limit.start()
    lines = [process.stdout.readline() for _ in range(chance.randrange(1, 80))]
    time.sleep(chance.choice((0.0, 0.0, chance.random() * 0.02)))
    process.send_signal(signal.SIGKILL)
    told = b"".join([*lines, process.stdout.read()])
    process.communicate(timeout=PATIENCE)
    limit.cancel()
    return [json.loads(line) for line in told[: told.rfind(b"\n") + 1].splitlines()]


def stored(path: Path) -> list[tuple[str, Any]]:
    """What a session holds, in the words of the events that report it."""
    found: list[tuple[str, Any]] = []
    for message in load(str(path)).messages:
        if message.role == "tool":
            for block in message.content:
                assert isinstance(block, ToolResultBlock)
                text = "".join(each.text for each in block.content if isinstance(each, TextBlock))
                found.append(("tool_result", (block.call_id, block.is_error, text)))
            continue
        if (message.text and not message.hidden) or message.role == "assistant":
            found.append((f"{message.role}_message", message.text))
        found += [("tool_call", call.id) for call in message.tool_calls]
    return found


def reported(event: dict[str, Any]) -> tuple[str, Any] | None:
    content = "".join(block.get("text", "") for block in event.get("content", ()))
    match event["type"]:
        case "tool_result":
            return "tool_result", (event["id"], event["is_error"], content)
        case "tool_call":
            return "tool_call", event["id"]
        case "user_message" | "assistant_message":
            return event["type"], content
    return None


async def ask_again(path: Path, server: ScriptedServer, providers: dict[str, str]) -> None:
    """Go on with the conversation of a file over every wire, without changing the file."""
    messages = load(str(path)).messages
    for provider, wire in providers.items():
        url = server.base_url(wire)
        async with Runtime(
            "scripted", provider=provider, api_key=server.key or "", base_url=url, messages=messages
        ) as runtime:
            assert str(await runtime.ask("what next?")) == "understood"


@pytest.mark.parametrize("seed", range(KILLS))
async def test_a_killed_run_loses_nothing_it_told_of_and_the_conversation_goes_on(
    zot: Zot,
    server: ScriptedServer,
    providers: dict[str, str],
    accepted: Callable[[str, dict[str, Any]], None],
    seed: int,
) -> None:
    chance = random.Random(seed)
    provider = list(providers)[seed % len(providers)]
    server.add(*script(chance))
    events = killed(zot.start(*zot.at(server, provider), "--json", "do it"), chance)
    told = [report for event in events if (report := reported(event))]
    before = zot.session.read_bytes()
    there = stored(zot.session)
    assert told
    assert there[: len(told)] == told

    with ScriptedServer(["understood"] * len(providers) + ["resumed"], key=server.key) as other:
        await ask_again(zot.session, other, providers)
        assert zot.ask(other, "-p", "-c", "go on", provider=provider).result == (0, "resumed\n", "")
        assert len(other.requests) == len(providers) + 1
    assert zot.session.read_bytes().startswith(before)
    assert stored(zot.session) == [*there, ("user_message", "go on"), ("assistant_message", "resumed")]
    for request in (*server.requests, *other.requests):
        accepted(request.wire, request.body)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_terminal_that_is_closed_while_zot_ends_loses_nothing_that_a_command_has_changed(
    number: int, zot: Zot, server: ScriptedServer, tmp_path: Path
) -> None:
    program, removed, gate = tmp_path / "bin" / "git", zot.cwd / "removed", tmp_path / "gate"
    program.parent.mkdir()
    waits = f"*diff-files*) while [ ! -e {removed} ] && [ ! -e {gate} ]; do sleep 0.1; done"
    program.write_text(f'#!/bin/sh\ncase $* in {waits};; esac\nexec {shutil.which("git")} "$@"\n')
    program.chmod(0o700)
    zot.env["PATH"] = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    removed.write_text("before")
    server.add(Turn(calls=[Call("bash", {"command": "rm removed"})]), "that was all")
    environment = {**zot.env, "TERM": "xterm"}
    with PtyScreen([*zot.command, *zot.at(server)], environment=environment, cwd=str(zot.cwd)) as pty:
        pty.wait_for("›")
        pty.type("go\r")
        pty.wait_for("that was all")
        pty.signal(signal.SIGHUP)
        pty.wait_until(lambda: b"\x1b[?1049l" in pty.received)
        pty.signal(number)  # a shell sends it, and then the system, once the shell has ended
        gate.touch()
        assert pty.wait_end() == 129
    peer = Peer(server, zot.cwd, "-c", **zot.env)
    try:
        peer.data("session.undo")
    finally:
        peer.kill()
    assert removed.read_text() == "before"
