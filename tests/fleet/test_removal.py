"""Runs that are over are removed, with everything that is kept for them."""

import os

from command import Zot
from fleet_runs import states_of, wait_for_runs
from fleet_servers import Postgres, Workers
from waiting import PATIENCE, wait_until

from zot_provider.testing import Call, ScriptedServer, Turn


def submit(zot: Zot, server: ScriptedServer, id: str, *options: str) -> None:
    words = ("run", "--fleet", "--detach", "--id", id, *options, *zot.at(server), id)
    assert zot.run(*words, timeout=PATIENCE).code == 0


def test_a_run_is_removed_once_it_is_over(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres
) -> None:
    id = f"over-{os.urandom(3).hex()}"
    server.add(Turn(calls=[Call("bash", {"command": "expr asked"}, "c1")]), "all done", "all done")
    submit(zot, server, id, "--permission-mode", "ask")
    workers.start()
    wait_for_runs(database, [id], "waiting")
    wait_until(lambda: states_of(zot)[id] == "waiting", "it waits")
    words = ("runs", "remove", id, "--fleet")
    refused = zot.run(*words, timeout=PATIENCE)
    assert (refused.code, refused.line()) == (
        2, f"run {id} is not over; zot runs cancel {id} --fleet ends it first"
    )  # fmt: skip
    assert zot.run("runs", "answer", id, "yes", "--fleet", timeout=PATIENCE).code == 0
    wait_for_runs(database, [id], "done")
    wait_until(lambda: states_of(zot)[id] == "done", "it is done")
    assert not (workers.folder / id).exists()
    assert zot.run(*words, timeout=PATIENCE).result == (0, f"removed {id}\n", "")
    for table in ("zot_run WHERE id", "zot_row WHERE run", "zot_blob WHERE run"):
        assert database.execute(f"SELECT count(*) FROM {table} = '{id}'") == [(0,)]
    wait_until(lambda: id not in states_of(zot), "the engine has forgotten it")
    again = zot.run(*words, timeout=PATIENCE)
    assert (again.code, again.line()) == (2, f"no run {id} in the store")
    submit(zot, server, id)
    wait_for_runs(database, [id], "done")
    wait_until(lambda: states_of(zot).get(id) == "done", "a new run of that name is done")


def test_old_runs_are_removed_but_those_that_work_and_the_templates_of_schedules(
    zot: Zot, server: ScriptedServer, workers: Workers, database: Postgres
) -> None:
    done, waits, template, young = (f"{name}-{os.urandom(3).hex()}" for name in ("done", "waits", "nightly", "young"))
    server.add("all done", "all done", Turn(calls=[Call("bash", {"command": "expr asked"}, "c1")]))
    workers.start()
    for id in (done, young):
        submit(zot, server, id)
        wait_for_runs(database, [id], "done")
    wait_until(lambda: {states_of(zot)[id] for id in (done, young)} == {"done"}, "they are done")
    submit(zot, server, waits, "--permission-mode", "ask")
    wait_for_runs(database, [waits], "waiting")
    wait_until(lambda: states_of(zot)[waits] == "waiting", "it waits")
    words = ("run", "--fleet", "--id", template, "--schedule", "0 3 * * *", *zot.at(server), template)
    assert zot.run(*words, timeout=PATIENCE).code == 0
    in_use = zot.run("runs", "remove", template, "--fleet", timeout=PATIENCE)
    assert in_use.line() == (f"a schedule begins runs like {template}; zot fleet unschedule {template} ends that first")
    old = ", ".join(f"'{id}'" for id in (done, waits, template))
    database.execute(f"UPDATE zot_run SET changed = now() - interval '40 days' WHERE id IN ({old})")
    pruned = zot.run("fleet", "prune", timeout=PATIENCE)
    assert pruned.result == (0, f"removed {done}\n", "")
    there = {each[0] for each in database.execute("SELECT id FROM zot_run")}
    assert done not in there
    assert {waits, template, young} <= there
    assert zot.run("fleet", "prune", "--days", "0", timeout=PATIENCE).line() == "--days must be greater than 0, got 0"
    assert zot.run("fleet", "unschedule", template, timeout=PATIENCE).code == 0
    assert zot.run("runs", "remove", template, "--fleet", timeout=PATIENCE).code == 0
