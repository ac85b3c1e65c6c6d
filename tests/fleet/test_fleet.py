"""Runs of a fleet: through a real Temporal, a real Postgres and workers that are processes."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from contextlib import suppress
from typing import Any

from command import Finished, Zot
from fleet_runs import (
    check,
    fork_servers,
    messages_of,
    model,
    record_of,
    rows_of,
    run_processes,
    states_of,
    wait_for_runs,
)
from fleet_servers import Postgres, Temporal, Workers, submit_many
from full_disk import zot_on_full_disk
from ports import free_port
from waiting import PATIENCE, wait_until

from zot_provider.testing import Call, Received, ScriptedServer, Turn


def submit(zot: Zot, server: ScriptedServer, id: str, *options: str, task: str = "") -> Finished:
    words = ("run", "--fleet", "--detach", "--id", id, *options, *zot.at(server), task or id)
    done = zot.run(*words, timeout=PATIENCE)
    assert done.code == 0, done.err
    return done


def show(zot: Zot, id: str) -> dict[str, Any]:
    done = zot.run("runs", "show", id, "--fleet", "--json", timeout=PATIENCE)
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def listed(zot: Zot) -> dict[str, dict[str, Any]]:
    done = zot.run("runs", "list", "--fleet", "--json", timeout=PATIENCE)
    assert done.code == 0, done.err
    return {run["id"]: run for run in json.loads(done.out)["runs"]}


def ended(zot: Zot, database: Postgres, id: str, state: str) -> dict[str, Any]:
    """Wait until the engine knows that a run is in this state."""
    wait_for_runs(database, [id], state)
    wait_until(lambda: states_of(zot).get(id) == state, f"{id} is {state}", pause=0.1)
    return show(zot, id)


def test_a_run_is_taken_by_a_worker_and_can_be_seen(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres
) -> None:
    server.add(*[model(3)] * 10)
    port = free_port()
    workers.start("--sandbox", "off", "--metrics", f"127.0.0.1:{port}")
    id = f"seen-{os.urandom(3).hex()}"
    done = zot.run("run", "--fleet", "--id", id, *zot.at(server), id, timeout=PATIENCE)
    assert done.result == (0, "all done\n", "")
    assert zot.run("run", "--fleet", "--id", id, *zot.at(server), id, timeout=PATIENCE).out == "all done\n"
    other = zot.run("run", "--fleet", "--id", id, *zot.at(server), "another task", timeout=PATIENCE)
    assert (other.code, other.line()) == (2, f"run {id} has another task; choose another --id")
    assert (listed(zot)[id]["state"], listed(zot)[id]["steps"]) == ("done", 4)
    log = zot.run("runs", "logs", id, "--fleet", timeout=PATIENCE).out
    assert f"* bash echo {id}/1 >> effects" in log
    assert check(database, id, 3, Counter((zot.cwd / "effects").read_text().split())) == 0
    metrics = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE).read().decode()
    assert "zot_attempts_ended_total{" in metrics
    assert 'state="done"' in metrics
    assert len(server.requests) == 4


def test_messages_answers_and_stops_reach_a_run(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres
) -> None:
    mode = ("--permission-mode", "ask")
    asks = f"asks-{os.urandom(3).hex()}"
    server.add(Turn("first", calls=[Call("bash", {"command": "echo asked >> effects"}, "c1")]), "all done")
    submit(zot, server, asks, *mode)
    assert show(zot, asks)["state"] == "queued"
    following = zot.start("runs", "logs", asks, "-f", "--fleet")
    workers.start()
    assert "echo asked" in ended(zot, database, asks, "waiting")["question"]["call"]
    assert not (zot.cwd / "effects").exists()
    followed = zot.finish(following)
    assert (followed.code, followed.line()) == (
        3, f"run {asks} waits: bash echo asked >> effects (it redirects input or output); answer with "
        f"zot runs answer {asks} yes|no --fleet"
    )  # fmt: skip
    assert "* bash echo asked >> effects" in followed.out.splitlines()
    key = zot.run("runs", "steer", asks, "and be quick", "--fleet", timeout=PATIENCE).out.strip()
    assert zot.run("runs", "answer", asks, "yes", "--fleet", timeout=PATIENCE).code == 0
    wait_for_runs(database, [asks], "done")
    assert (zot.cwd / "effects").read_text() == "asked\n"
    assert key.startswith("steer-")
    shown = [each.text for each in messages_of(rows_of(database, asks)) if each.role == "user" and not each.hidden]
    assert shown == [asks, "and be quick"]

    stops = f"stops-{os.urandom(3).hex()}"
    server.add(Turn("long", calls=[Call("bash", {"command": "echo begun >> effects; sleep 600"}, "c1")]))
    submit(zot, server, stops)
    wait_until(lambda: "begun" in (zot.cwd / "effects").read_text(), "the command has begun")
    assert show(zot, stops)["owner"]
    assert zot.run("runs", "cancel", stops, "--fleet", timeout=PATIENCE).code == 0
    assert ended(zot, database, stops, "cancelled")["owner"] == ""
    assert record_of(database, stops).state == "cancelled"


def test_runs_whose_workers_are_killed_are_taken_over_and_nothing_happens_twice(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres, fleet_kills: tuple[int, int]
) -> None:
    runs, kills = fleet_kills
    chance, steps = random.Random(runs), 10 if runs > 20 else 4
    delay = 0.06 if runs > 20 else 0.02  # before each event; the runs must not end before the last kill
    server.add(*[model(steps, delay=delay)] * (runs * (steps + 1) * 4))
    prefix = os.urandom(3).hex()
    ids = [f"kill-{prefix}-{number}" for number in range(runs)]
    for _ in range(2):
        workers.start()
    submit_many(zot, zot.at(server), ids, short=runs <= 20)
    killed = 0
    while killed < kills:
        before = len(server.requests)
        wait_until(lambda before=before: len(server.requests) >= before + chance.randrange(2, 8), "a model call", 120)  # type: ignore[misc]
        if runs > 20 and chance.random() < 0.2:  # it believes that it has its runs when another worker has them
            freeze(chance.choice(workers.running), 15)
        elif chance.random() < 0.5:  # a worker, or its whole machine
            workers.kill(chance.choice(workers.running), all_of_it=chance.random() < 0.5)
            workers.start()
        elif victims := run_processes(workers) + fork_servers(workers):
            with suppress(ProcessLookupError):
                os.kill(chance.choice(victims), signal.SIGKILL)
        killed += 1
    wait_for_runs(database, ids, "done", seconds=120 + 10 * kills)
    effects = Counter((zot.cwd / "effects").read_text().split())
    unknown = sum(check(database, id, steps, effects) for id in ids)
    assert unknown <= kills * 8
    assert set(effects) <= {f"{id}/{step}" for id in ids for step in range(steps)}


def test_a_frozen_worker_that_wakes_up_does_not_end_the_run_that_another_one_has(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres
) -> None:
    id = f"frozen-{os.urandom(3).hex()}"
    server.add(*[model(4, delay=0.4)] * 40)
    first = workers.start()
    submit_many(zot, zot.at(server), [id], short=True)
    wait_until(lambda: len(server.requests) >= 1, "the run has begun")
    workers.start()
    freeze(first, 8)
    wait_for_runs(database, [id], "done")
    check(database, id, 4, Counter((zot.cwd / "effects").read_text().split()))
    assert workers.text().count(f"run {id} has begun here") >= 2


def freeze(worker: "subprocess.Popen[bytes]", seconds: float) -> None:
    """Stop a worker with its processes for so long, and let them continue."""
    os.killpg(worker.pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.killpg(worker.pid, signal.SIGCONT)


def test_a_run_that_kills_every_process_which_takes_it_is_parked_and_says_so(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres
) -> None:
    id = f"poison-{os.urandom(3).hex()}"

    def poison(request: Received) -> Turn:
        for each in run_processes(workers):
            os.kill(each, signal.SIGKILL)
        return Turn("too late")

    server.add(*[poison] * 3, "all done")
    workers.start()
    submit(zot, server, id)
    wait_until(lambda: f"{id} is parked here" in workers.text(), "it is parked")
    attached = zot.run("runs", "attach", id, "--fleet", timeout=PATIENCE)
    assert attached.line() == (
        f"run {id} is parked: 3 processes have ended without progress; zot runs retry {id} --fleet tries it again"
    )
    assert zot.run("runs", "retry", id, "--fleet", timeout=PATIENCE).code == 0
    wait_for_runs(database, [id], "done")


def test_a_run_leaves_a_worker_whose_disk_is_full_and_ends_elsewhere(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres
) -> None:
    id = f"full-{os.urandom(3).hex()}"
    server.add(*[model(8)] * 60)
    full = workers.start(program=zot_on_full_disk(3000, may_be_raised=True))
    submit_many(zot, zot.at(server), [id], short=True)
    wait_until(lambda: f"run {id} is interrupted here: cannot write session" in workers.text(), "it has left")
    workers.kill(full, all_of_it=True)
    workers.start(machine="other")
    wait_for_runs(database, [id], "done")
    check(database, id, 8, Counter((zot.cwd / "effects").read_text().split()))


def test_runs_survive_both_servers_being_started_again(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres, engine: Temporal
) -> None:
    ids = [f"away-{os.urandom(3).hex()}" for _ in range(3)]
    server.add(*[model(6, delay=0.3)] * 60)
    for _ in range(2):
        workers.start()
    submit_many(zot, zot.at(server), ids, short=True)
    wait_until(lambda: len(server.requests) >= 4, "the runs have begun")
    engine.kill()
    database.kill()
    time.sleep(1)
    database.start()
    engine.start()
    wait_for_runs(database, ids, "done", seconds=PATIENCE)
    effects = Counter((zot.cwd / "effects").read_text().split())
    assert sum(check(database, id, 6, effects) for id in ids) <= 3


def test_a_worker_without_its_servers_says_so_in_a_line(zot: Zot) -> None:
    away = zot.run("worker", "--address", "127.0.0.1:1", timeout=PATIENCE)
    assert (away.code, away.line()) == (
        1,
        "Temporal does not answer at 127.0.0.1:1; zot fleet dev starts a server, --address names another",
    )
    wrong = zot.run("worker", "--store", "postgresql://zot@127.0.0.1:1/none", timeout=PATIENCE)
    assert (wrong.code, wrong.line()) == (
        1,
        'the store of the fleet does not answer: connection to server at "127.0.0.1", port 1 failed: Connection refused'
        "; --store or ZOT_FLEET_STORE names another",
    )
    none = zot.run("worker", "--store", "", env=zot.env | {"ZOT_FLEET_STORE": ""}, timeout=PATIENCE)
    assert none.line().startswith("a fleet needs a store for its runs: set ZOT_FLEET_STORE to postgresql://")
    elsewhere = zot.run("worker", "--namespace", "mine", timeout=PATIENCE)
    assert (elsewhere.code, elsewhere.err) == (
        1,
        "zot: Temporal does not take the worker: Worker validation failed: Namespace mine was not found or otherwise"
        " could not be described\n",
    )


def test_a_run_that_the_engine_did_not_get_says_how_to_give_it(zot: Zot, server: ScriptedServer) -> None:
    id = f"kept-{os.urandom(3).hex()}"
    done = zot.run("run", "--fleet", "--id", id, "--address", "127.0.0.1:1", *zot.at(server), id, timeout=PATIENCE)
    assert (done.code, done.err.splitlines()) == (
        1,
        [
            "zot: Temporal does not answer at 127.0.0.1:1; zot fleet dev starts a server, --address names another",
            f"zot: run {id} was not given to the fleet; the same command with --id {id} gives it",
        ],
    )


def test_control_c_while_a_run_is_submitted_says_whether_the_fleet_has_it(
    zot: Zot, server: ScriptedServer, database: Postgres
) -> None:
    given, kept = (f"{name}-{os.urandom(3).hex()}" for name in ("given", "kept"))
    process = zot.start("run", "--fleet", "--id", given, *zot.at(server), given)
    wait_until(lambda: given in states_of(zot), "the engine has it", pause=0.2)
    process.send_signal(signal.SIGINT)
    stopped = zot.finish(process)
    assert (stopped.code, stopped.line()) == (130, "no longer following; the run continues")
    with socket.create_server(("127.0.0.1", 0)) as silent:  # Temporal, which does not answer
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        process = zot.start("run", "--fleet", "--id", kept, "--address", address, *zot.at(server), kept)
        submitted = f"SELECT submissions FROM zot_run WHERE id = '{kept}'"
        wait_until(lambda: (found := database.execute(submitted)) and found[0][0], "it is in the store")
        process.send_signal(signal.SIGINT)
        stopped = zot.finish(process)
    assert (stopped.code, stopped.line()) == (
        130, f"run {kept} was not given to the fleet; the same command with --id {kept} gives it"
    )  # fmt: skip


def test_without_the_extra_a_line_says_what_to_install(zot: Zot, server: ScriptedServer) -> None:
    script = (
        "import sys\nsys.modules['temporalio'] = sys.modules['psycopg'] = None\n"
        "from zot_agent.entry import main\nsys.exit(main())\n"
    )
    for words in (["worker"], ["fleet", "dev"], ["run", "--fleet", *zot.at(server), "x"], ["runs", "list", "--fleet"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *words], cwd=zot.cwd, env=zot.env, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 2, done
        assert done.stderr.endswith("uv tool install 'zot-agent[fleet]'\n")
        assert done.stderr.startswith("zot: fleets need more packages (")


def test_nothing_of_it_is_imported_in_other_runs(zot: Zot, server: ScriptedServer) -> None:
    server.add("all done")
    env = zot.env | {"PYTHONPROFILEIMPORTTIME": "1"}
    done = zot.run("run", "--id", "plain", *zot.at(server), "do it", env=env)
    assert done.out == "all done\n"
    lines = [line.rpartition("|")[2].strip() for line in done.err.splitlines()]
    assert "zot_core.runtime.durable" in lines
    assert [line for line in lines if line.startswith(("temporalio", "psycopg", "zot_agent.fleet."))] == [
        "zot_agent.fleet.addresses"
    ]


EARLY = """
import asyncio, os, signal
from zot_agent.fleet.extra import run_and_leave

class Policy(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self):
        os.kill(os.getpid(), signal.SIGINT)
        return super().new_event_loop()

async def work():
    return 0

asyncio.set_event_loop_policy(Policy())
run_and_leave(work())
"""


def test_control_c_before_anything_is_begun_is_no_traceback() -> None:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", EARLY]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (130, "zot: stopped\n")
