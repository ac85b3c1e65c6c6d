"""What goes wrong around a fleet: servers that stay away, clocks that jump, children that do not end."""

import os
import signal
import time
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from command import Zot
from fleet_runs import begin, check, model, record_of, run_processes, wait_for_runs
from fleet_servers import SHORT_WORKER, Postgres, Temporal, Workers, submit_many
from waiting import PATIENCE, wait_until

from zot_agent.fleet.engine.workflow import retry_policy
from zot_agent.fleet.limits import FleetLimits
from zot_provider.testing import Call, ScriptedServer, Turn

SHORT = ("-c", SHORT_WORKER)
TEN_MINUTES = 600.0


def effects(zot: Zot) -> Counter[str]:
    return Counter((zot.cwd / "effects").read_text().split())


def test_runs_survive_servers_that_are_away_for_longer_than_every_limit(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres, engine: Temporal
) -> None:
    ids = [f"long-{os.urandom(3).hex()}" for _ in range(3)]
    server.add(*[model(5, delay=0.2)] * 60)
    for _ in range(2):
        workers.start(program=SHORT)
    submit_many(zot, zot.at(server), ids, short=True)
    wait_until(lambda: len(server.requests) >= 4, "the runs have begun")
    engine.kill()
    database.kill()
    wait_until(lambda: not run_processes(workers), "each run has left its worker")
    time.sleep(11)  # the time is the fault: Temporal's client gives up a request after 10 s
    database.start()
    engine.start()
    wait_for_runs(database, ids, "done", seconds=PATIENCE)
    assert sum(check(database, id, 5, effects(zot)) for id in ids) <= 3


def test_the_usual_limits_outlast_servers_that_are_away_for_ten_minutes() -> None:
    limits = FleetLimits()
    policy = retry_policy(limits)
    assert policy.maximum_attempts == 0  # the engine tries again for ever
    assert policy.maximum_interval is not None
    assert policy.maximum_interval.total_seconds() < TEN_MINUTES
    assert limits.run_seconds > TEN_MINUTES
    assert limits.away_seconds < TEN_MINUTES  # by then a run has left its worker, which is free for others


@pytest.fixture
def clock(zot: Zot, tmp_path: Path, faketime: str) -> Path:
    """The file with the difference of the wall clock of every program that a test starts from now on."""
    file = tmp_path / "clock"
    file.write_text("+0")
    zot.env |= {
        "LD_PRELOAD": faketime,
        "FAKETIME_TIMESTAMP_FILE": str(file),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    return file


def jump(clock: Path, difference: str) -> None:
    """Set the wall clocks at once: no program may read half of it."""
    other = clock.with_suffix(".new")
    other.write_text(difference)
    other.replace(clock)


def test_a_worker_whose_clock_jumps_keeps_its_run(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres, clock: Path
) -> None:
    id = f"clock-{os.urandom(3).hex()}"
    server.add(*[model(8, delay=0.2)] * 40)
    workers.start()
    submit_many(zot, zot.at(server), [id], short=True, heartbeat_seconds=PATIENCE)
    for seen, difference in ((2, "+30h"), (4, "-50h"), (6, "+0")):
        wait_until(lambda seen=seen: len(server.requests) >= seen, "the run works")  # type: ignore[misc]
        jump(clock, difference)
    wait_for_runs(database, [id], "done")
    assert check(database, id, 8, effects(zot)) == 0
    assert len(server.requests) == 9  # nothing was done again
    assert workers.text().count(f"run {id} has begun here") == 1
    times = [line.split('"time":"')[1][:10] for line in rows_with_times(database, id)]
    assert len(set(times)) > 1  # the clock has jumped indeed


def test_a_schedule_names_its_runs_by_the_clock_of_the_engine(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres, clock: Path
) -> None:
    name = f"daily-{os.urandom(3).hex()}"
    server.add("all done")
    jump(clock, "+30h")
    words = ("run", "--fleet", "--id", name, "--schedule", "0 3 * * *", *zot.at(server), name)
    assert zot.run(*words, timeout=PATIENCE).result == (0, "", "")
    workers.start()
    before = datetime.now(UTC)
    begin(zot, name)
    named = f"SELECT id FROM zot_run WHERE id LIKE '{name}-%'"
    ((id,),) = wait_until(lambda: database.execute(named), "a run of the schedule is there", pause=0.1)
    wait_for_runs(database, [id], "done")
    begun = datetime.strptime(id.removeprefix(f"{name}-"), "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
    assert abs((begun - before).total_seconds()) < 300
    assert zot.run("fleet", "unschedule", name, timeout=PATIENCE).code == 0


def rows_with_times(database: Postgres, id: str) -> list[str]:
    found = database.execute(f"SELECT convert_from(data, 'UTF8') FROM zot_row WHERE run = '{id}' ORDER BY number")
    return [row for (row,) in found if '"time":"' in row]


def test_a_run_on_this_machine_is_continued_though_the_clock_has_jumped_back(
    zot: Zot, server: ScriptedServer, clock: Path
) -> None:
    server.add(*[model(3, delay=0.2)] * 20)
    jump(clock, "+30h")
    words = ("run", "--id", "late", *zot.at(server), "late")
    with zot.start(*words) as begun:
        wait_until(lambda: len(server.requests) >= 2, "the run works")
        begun.kill()
    jump(clock, "-30h")
    assert zot.run("runs", "list", timeout=PATIENCE).out.splitlines()[1].split()[:2] == ["late", "interrupted"]
    done = zot.run("runs", "resume", "--all", timeout=PATIENCE)
    assert (done.code, done.out) == (0, "run late is done\n"), done
    assert all(count == 1 for count in effects(zot).values())


def test_a_command_that_ends_for_no_signal_does_not_hold_the_end_of_its_run(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres
) -> None:
    id = f"child-{os.urandom(3).hex()}"
    stubborn = "trap '' TERM INT HUP; echo begun >> effects; while :; do sleep 1; done"
    # On a busy machine the engine may take the run for lost, and begin it again.
    server.add(*[Turn(calls=[Call("bash", {"command": stubborn}, f"c{number}")]) for number in range(20)])
    workers.start(program=SHORT)
    submit_many(zot, zot.at(server), [id], short=True)
    wait_until(lambda: (zot.cwd / "effects").exists() and run_processes(workers), "the command has begun")
    assert zot.run("runs", "cancel", id, "--fleet", timeout=PATIENCE).code == 0
    wait_for_runs(database, [id], "cancelled")
    wait_until(lambda: not run_processes(workers), "its process has ended")


def test_a_process_that_does_not_end_is_killed_and_its_run_is_cancelled(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres
) -> None:
    id = f"stuck-{os.urandom(3).hex()}"
    server.add(*[Turn("slow", delay=600)] * 20)
    workers.start(program=SHORT)
    submit_many(zot, zot.at(server), [id], short=True)
    processes = wait_until(lambda: run_processes(workers) if server.requests else None, "the run works")
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        assert zot.run("runs", "cancel", id, "--fleet", timeout=PATIENCE).code == 0
        wait_for_runs(database, [id], "cancelled")
        assert record_of(database, id).steps == 0
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
