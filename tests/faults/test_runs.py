"""Durable runs whose processes are killed, disks that fill up, and processes that want the same run: nothing is lost,
and every effect happens exactly as often as the session says. `make kills` tries more moments."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from command import KEY, Zot
from extension_folder import write_extension
from full_disk import zot_on_full_disk
from go_zot import check_accepted
from waiting import PATIENCE, wait_until

from zot_core import read_run
from zot_core.sessions.file import load
from zot_provider.messages import TextBlock, ToolResultBlock
from zot_provider.testing import Call, Received, ScriptedServer, Turn

STEPS = 5


def effect(mark: str) -> Call:
    return Call("bash", {"command": f"echo {mark} >> effects"}, f"call_{mark}")


def model(chance: random.Random | None = None) -> Any:
    """A model with some calls in each step, one of them with an effect that a second one would show."""

    def answer(request: Received) -> Turn:
        step = sum(1 for message in request.body["messages"] if message["role"] == "assistant")
        if step >= STEPS:
            return Turn("all done")
        calls = [effect(f"{step}a"), Call("read", {"path": "a.txt"}, f"call_{step}r"), effect(f"{step}b")]
        return Turn(f"step {step}", calls=calls, delay=chance.choice((0.0, 0.002)) if chance else 0.0)

    return answer


@pytest.fixture
def server() -> Any:
    with ScriptedServer(key=KEY) as running:
        yield running


def effects(zot: Zot, session: Path | None = None) -> Counter[str]:
    """The marks of the effects in the directory of a session, by default that of the project."""
    file = (zot.cwd if session is None else Path(load(str(session)).meta.cwd)) / "effects"
    return Counter(file.read_text().split() if file.exists() else ())


def check(zot: Zot, path: Path) -> list[str]:
    """Check that each call has one result, and its effect as often as that says, and that the Go zot can read the
    session; return the marks of the calls with an unknown outcome."""
    check_accepted(path.read_bytes())
    results: dict[str, str] = {}
    for message in load(str(path)).messages:
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                assert block.call_id not in results
                results[block.call_id] = "".join(each.text for each in block.content if isinstance(each, TextBlock))
    assert results.keys() == {f"call_{step}{each}" for step in range(STEPS) for each in "arb"}
    found, unknown = effects(zot, path), []
    for id, text in results.items():
        mark = id.removeprefix("call_")
        if mark.endswith("r"):
            assert "alpha" in text
        elif text.startswith("unknown: "):
            unknown.append(mark)
            assert found[mark] <= 1
        else:
            assert (found[mark], "[exit 0]" in text) == (1, True), (mark, text)
    assert found.keys() <= {id.removeprefix("call_") for id in results}
    return unknown


def test_a_run_that_is_killed_again_and_again_ends_with_every_effect_as_recorded(
    zot: Zot, server: ScriptedServer, kill_seed: int
) -> None:
    chance = random.Random(kill_seed)
    server.add(*[model(chance)] * 400)
    kills = 0
    while True:
        process = zot.start("run", "--id", "fix", "--json", *zot.at(server), "do it")
        assert process.stdout is not None
        for _ in range(chance.randrange(1, 60)):
            if not process.stdout.readline():
                break
        time.sleep(chance.choice((0.0, chance.random() * 0.01)))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL
        kills += 1
        assert kills < 100
    record = read_run(str(zot.session))
    assert record is not None
    assert record.state == "done"
    check(zot, zot.session)
    assert zot.run("run", "--id", "fix", "do it").out == "all done\n"


def test_many_runs_in_one_process_that_is_killed_again_and_again_end_with_every_effect_as_recorded(
    zot: Zot, server: ScriptedServer, many_seed: int
) -> None:
    chance, names = random.Random(many_seed), [f"run-{number}" for number in range(4)]
    server.add(*[model(chance)] * 2000)
    for name in names:
        (zot.cwd / name).mkdir()
        (zot.cwd / name / "a.txt").write_text("alpha\n")
        begun = zot.start("run", "--id", name, "--json", "--cwd", name, *zot.at(server), "do it")
        assert begun.stdout is not None
        begun.stdout.readline()
        begun.kill()
        begun.communicate(timeout=PATIENCE)
    for _ in range(3):
        process = zot.start("runs", "resume", "--all", "--jobs", str(chance.choice((2, 4))))
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.3 + chance.random() * 0.5)
        process.kill()
        process.communicate(timeout=PATIENCE)
    for name in names:  # follows what has got a process of its own, which has survived
        ended = zot.run("run", "--id", name)
        assert ended.code == 0, ended.err
    assert len(zot.sessions) == len(names)
    for path in zot.sessions:
        check(zot, path)


def test_nothing_of_it_is_imported_in_other_runs(zot: Zot, server: ScriptedServer) -> None:
    server.add(*[model()] * 20)
    done = zot.run("-p", *zot.at(server), "do it", env=zot.env | {"PYTHONPROFILEIMPORTTIME": "1"})
    assert done.out == "all done\n"
    assert " zot_core.runtime.runtime\n" in done.err
    assert re.findall(r"\b(?:zot_agent\.runs|zot_agent\.host\.detached|zot_core\.runtime\.durable).*", done.err) == []


def test_of_processes_that_want_one_run_one_works_and_the_others_follow_it(zot: Zot, server: ScriptedServer) -> None:
    server.add(*[model()] * 100)
    many = [zot.start("run", "--id", "fix", *zot.at(server), "do it") for _ in range(3)]
    told = [zot.finish(each) for each in many]
    assert [each.code for each in told] == [0, 0, 0], [each.err for each in told]
    assert all(each.out.rstrip().endswith(("all done", "- done")) for each in told)
    assert check(zot, zot.session) == []
    assert len(server.requests) == STEPS + 1


def test_of_two_processes_that_continue_all_runs_each_run_has_one(zot: Zot, server: ScriptedServer) -> None:
    server.add(*[model()] * 100)
    process = zot.start("run", "--id", "fix", "--json", *zot.at(server), "do it")
    assert process.stdout is not None
    while b'"tool_result"' not in process.stdout.readline():
        pass
    process.kill()
    process.communicate(timeout=PATIENCE)
    both = [zot.start("runs", "resume", "--all") for _ in range(2)]
    told = [zot.finish(each) for each in both]
    assert [each.code for each in told] == [0, 0]
    assert "run fix is done" in told[0].out + told[1].out
    check(zot, zot.session)


@pytest.mark.parametrize("limit", [600, 1500, 2100, 3900])
def test_a_full_disk_stops_a_run_which_continues_once_there_is_space(
    zot: Zot, server: ScriptedServer, limit: int
) -> None:
    server.add(*[model()] * 60)
    run = ["run", "--id", "fix", *zot.at(server), "do it"]
    command = [sys.executable, *zot_on_full_disk(limit, may_be_raised=True), *run]
    full = subprocess.run(
        command, cwd=zot.cwd, env=zot.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE
    )
    assert full.returncode == 1, full.stderr
    assert re.search(r"cannot write session .*: (the disk is full|File too large); free some space", full.stderr)
    done = zot.run("run", "--id", "fix", *zot.at(server), "do it")
    assert done.result[:2] == (0, "all done\n"), done.err
    assert all(count == 1 for count in effects(zot).values())
    check(zot, next(path for path in zot.sessions if b'"all done"' in path.read_bytes()))


def test_a_run_that_an_older_zot_began_continues(zot: Zot, server: ScriptedServer) -> None:
    server.add(*[model()] * 20)
    folder, session = zot.home / "runs" / "old", zot.home / "sessions" / "0123" / "20260101-000000-abcdabcd.jsonl"
    folder.mkdir(parents=True)
    session.parent.mkdir(parents=True)
    (folder / "session").write_text(f"{session}\n")
    options = {"provider": "openai", "model": "scripted", "base_url": server.base_url("openai-chat")}
    meta = {
        "id": "abcdabcd-0000-4000-8000-000000000000",
        "cwd": str(zot.cwd),
        "model": "",
        "provider": "",
        "started": "",
    }
    rows: list[dict[str, Any]] = [{"type": "meta", "meta": meta}]
    rows.append({"type": "run", "run": {"id": "old", "task": "do it", "options": options, "unknown": [1]}})
    session.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    assert zot.run("runs", "resume", "old").result == (0, "all done\n", "")
    assert check(zot, session) == []


EXTENSION = """
@ext.tool
def act(mark: str) -> str:
    with open("EFFECTS", "a") as file:
        file.write(mark + "\\n")
    return "did " + mark

@ext.tool(read_only=True)
def look() -> str:
    return "seen"
"""


def test_calls_of_extensions_that_had_not_begun_run_in_the_next_process(zot: Zot, server: ScriptedServer) -> None:
    write_extension(zot.cwd / "ext", EXTENSION.replace("EFFECTS", str(zot.cwd / "effects")))
    calls = [Call("look", {}, "c0"), effect("1"), Call("act", {"mark": "2"}, "c2"), Call("act", {"mark": "3"}, "c3")]
    server.add(Turn(calls=calls), "all done", "all done")
    assert zot.run("run", "--id", "fix", "--ext", "ext", *zot.at(server), "do it").result == (0, "all done\n", "")
    rows = zot.session.read_bytes().splitlines(keepends=True)
    begun = [row for row in rows if b'"tool_begin"' in row]
    assert [json.loads(row)["call_id"] for row in begun] == ["call_1", "c2", "c3"]
    zot.session.write_bytes(b"".join(rows[: rows.index(begun[1]) + 1]))
    (zot.cwd / "effects").write_text("1\n2\n")
    elsewhere = zot.run("runs", "resume", "fix", cwd=zot.home)
    assert elsewhere.result == (0, "all done\n", "")
    assert effects(zot) == {"1": 1, "2": 1, "3": 1}
    [results] = [message for message in load(str(zot.session)).messages if message.role == "tool"]
    texts = ["".join(each.text for each in block.content if isinstance(each, TextBlock)) for block in results.content
             if isinstance(block, ToolResultBlock)]  # fmt: skip
    assert [text.partition(":")[0] for text in texts][2:] == ["unknown", "did 3"]


def test_the_log_of_a_detached_run_that_is_killed_ends_where_it_was(zot: Zot, server: ScriptedServer) -> None:
    os.mkfifo(zot.cwd / "gate")
    server.add(Turn("first", calls=[Call("bash", {"command": "echo began >> effects; cat gate"}, "c1")]), "all done")
    zot.run("run", "--detach", "--id", "fix", *zot.at(server), "do it")
    follower = zot.start("runs", "attach", "fix")
    wait_until(lambda: effects(zot))
    os.kill(json.loads(zot.run("runs", "show", "fix", "--json").out)["pid"], signal.SIGKILL)
    told = zot.finish(follower)
    assert (told.code, "zot: run fix was interrupted; zot runs resume fix continues it" in told.err) == (1, True)
    assert told.out.splitlines()[1:3] == ["> do it", "first"]
    assert zot.run("runs", "resume", "fix").result == (0, "all done\n", "")
    assert effects(zot)["began"] == 1
    os.close(os.open(zot.cwd / "gate", os.O_RDWR))  # ends the command, which has survived
