"""Runs that the engine begins at times, and not more often than it is told to."""

import json
import os
import re
from typing import Any

from command import Zot
from fleet_runs import begin, record_of, wait_for_runs
from fleet_servers import Postgres, Workers, submit_many
from waiting import PATIENCE, wait_until

from zot_provider.testing import Call, Received, ScriptedServer, Turn


def one_step(request: Received) -> Turn:
    """An answer with one effect, then the last one."""
    if any(message["role"] == "assistant" for message in request.body["messages"]):
        return Turn("all done")
    return Turn(calls=[Call("bash", {"command": "echo effect >> effects"}, "c1")])


def listed(zot: Zot) -> list[dict[str, Any]]:
    done = zot.run("runs", "list", "--fleet", "--json", timeout=PATIENCE)
    assert done.code == 0, done.err
    found: list[dict[str, Any]] = json.loads(done.out)["runs"]
    return found


def test_a_schedule_begins_runs_like_the_one_that_was_given_with_it(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres
) -> None:
    name = f"nightly-{os.urandom(3).hex()}"
    server.add(*[one_step] * 10)
    words = ("run", "--fleet", "--id", name, *zot.at(server), "--schedule")
    wrong = zot.run(*words, "every night", name, timeout=PATIENCE)
    assert wrong.code == 2
    assert "--schedule 'every night': " in wrong.line()
    assert zot.run(*words, "0 3 * * 1-5", name, timeout=PATIENCE).result == (0, "", "")
    again = zot.run(*words, "0 4 * * *", name, timeout=PATIENCE)
    assert (again.code, again.line()) == (
        2, f"there is a schedule {name}; remove it with zot fleet unschedule {name}"
    )  # fmt: skip
    row = wait_until(
        lambda: [each for each in zot.run("fleet", "schedules", timeout=PATIENCE).out.splitlines() if name in each],
        "the schedule is listed",
    )
    assert "T03:00:00" in row[0]
    workers.start("--sandbox", "off")
    begin(zot, name)

    named = f"SELECT id FROM zot_run WHERE id LIKE '{name}-%'"
    ((id,),) = wait_until(lambda: database.execute(named), "a run of the schedule is there", pause=0.1)
    wait_for_runs(database, [id], "done")
    run = next(run for run in listed(zot) if run["id"] == id)
    assert (zot.cwd / "effects").read_text() == "effect\n"
    assert record_of(database, run["id"]).task == name
    assert record_of(database, name).steps == 0
    assert zot.run("fleet", "unschedule", name, timeout=PATIENCE).result == (0, "", "")
    gone = zot.run("fleet", "unschedule", name, timeout=PATIENCE)
    assert (gone.code, gone.line()) == (2, f"no schedule {name}; zot fleet schedules lists them")


def test_a_schedule_needs_a_name(zot: Zot, server: ScriptedServer) -> None:
    done = zot.run("run", "--fleet", "--schedule", "0 3 * * *", *zot.at(server), "task", timeout=PATIENCE)
    assert (done.code, done.line()) == (2, "--schedule needs --id, the name of its runs")


def test_workers_begin_so_many_runs_a_minute(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres
) -> None:
    ids = [f"{os.urandom(3).hex()}-{number}" for number in range(16)]
    server.add(*[one_step] * 40)
    submit_many(zot, zot.at(server), ids)
    workers.start("--sandbox", "off", "--per-minute", "30", "--concurrency", "16")
    wait_until(lambda: any(record_of(database, id).state == "done" for id in ids), "one is done", 300, pause=0.1)
    assert "queued" in {run["state"] for run in listed(zot) if run["id"] in ids}  # though there is room for all


def test_a_run_of_high_priority_begins_before_those_that_came_earlier(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres
) -> None:
    name = os.urandom(3).hex()
    first, low, high = f"first-{name}", [f"low-{name}-{number}" for number in range(3)], f"high-{name}"
    server.add(Turn(calls=[Call("bash", {"command": "while [ ! -e go ]; do sleep 0.1; done"}, "c1")]))
    server.add(*["all done"] * 5)
    workers.start("--sandbox", "off", "--concurrency", "1")
    for id, priority in {first: "3", **dict.fromkeys(low, "5"), high: "1"}.items():
        words = ("run", "--fleet", "--detach", "--id", id, "--priority", priority)
        assert zot.run(*words, *zot.at(server), id, timeout=PATIENCE).code == 0
        if id == first:
            wait_until(lambda: len(server.requests) == 1, "the worker has something to do")
    for id in (*low, high):  # the answer comes from its workflow, which has asked for a worker before that
        done = zot.run("runs", "show", id, "--fleet", "--json", timeout=PATIENCE)
        assert json.loads(done.out)["state"] == "queued", done.err
    (zot.cwd / "go").touch()
    wait_for_runs(database, [first, *low, high], "done")
    begun = dict.fromkeys(re.findall(r"run (\S+) has begun here", workers.text()))  # a busy machine may begin one again
    assert [*begun][:2] == [first, high]
