"""The folder of runs: a name leads to one session, however many processes want it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

from zot_agent.config.paths import runs_root
from zot_agent.host.options import HostOptions
from zot_agent.runs.options import options_of, options_to_row
from zot_agent.runs.store import MAX_TRIES, RunLimit, RunStore, StoredRun, change
from zot_core.errors import SessionLocked, SessionNotFound
from zot_core.runtime.run_rows import RunRecord, run_row
from zot_core.sessions.file import SessionFile, load
from zot_provider.errors import ConfigError, UnknownName


def begun(runs: RunStore, id: str = "fix", task: str = "Fix it") -> StoredRun:
    return runs.create(id, task, os.getcwd(), HostOptions())[0]


@pytest.fixture
def runs() -> RunStore:
    return RunStore(limit=RunLimit(begin_seconds=0.2))


def test_a_run_is_made_once_and_found_by_its_name_or_the_beginning_of_it(runs: RunStore) -> None:
    run, made = runs.create("fix-it", "Fix it", os.getcwd(), HostOptions(model="m"))
    assert made
    assert (run.state, run.record.task, run.record.options) == (
        "interrupted",
        "Fix it",
        {"model": "m", "cwd": os.getcwd()},
    )
    assert runs.create("fix-it", "Something else", "/", HostOptions())[1] is False
    assert runs.find("fi").path == runs.find("fix-it").path == run.path
    begun(runs, "fix")
    assert runs.find("fix").id == "fix"
    assert {each.id for each in runs.all()} == {"fix", "fix-it"}
    assert load(run.path).meta.other["run"] == "fix-it"
    assert Path(run.folder).stat().st_mode & 0o777 == 0o700
    with pytest.raises(ConfigError, match="2 runs begin with 'f': fix, fix-it"):
        runs.find("f")
    with pytest.raises(UnknownName, match="zot runs list shows them"):
        runs.find("other")


@pytest.mark.parametrize("name", ["", "-x", "a/b", "../up", "a b", "x" * 65, "a\n"])
def test_a_name_that_could_lead_elsewhere_is_refused(runs: RunStore, name: str) -> None:
    with pytest.raises(ConfigError, match="is not the name of a run"):
        begun(runs, name)
    assert runs.all() == []


RACE = """
import os, sys
from zot_agent.host.options import HostOptions
from zot_agent.runs.store import RunStore
sys.stdin.readline()
run, made = RunStore().create("one", "Do it", os.getcwd(), HostOptions())
print(made, run.path, flush=True)
"""


def test_an_empty_name_finds_no_run_even_if_there_is_only_one(runs: RunStore) -> None:
    begun(runs)
    for find in (runs.find, runs.remove, lambda name: runs.find(name, lambda _: True)):
        with pytest.raises(UnknownName, match="unknown run ''"):
            find("")


def test_of_two_processes_one_makes_the_run_and_the_other_finds_it() -> None:
    both = [
        subprocess.Popen([sys.executable, "-c", RACE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    told = [process.communicate("go\n", timeout=PATIENCE)[0].split() for process in both]
    assert sorted(made for made, _ in told) == ["False", "True"]
    assert len({path for _, path in told}) == 1


def test_a_name_whose_process_ended_before_the_first_row_is_free(runs: RunStore, tmp_path: Path) -> None:
    folder = Path(runs_root(), "fix")
    folder.mkdir(parents=True)
    session = tmp_path / "zot-home" / "sessions" / "x" / "20261123-120000-abcdabcd.jsonl"
    (folder / "session").write_text(f"{session}\n")
    assert runs.all() == []
    run, made = runs.create("fix", "Fix it", os.getcwd(), HostOptions())
    assert (made, run.path, run.record.task) == (True, str(session), "Fix it")


def test_a_run_whose_session_was_deleted_is_left_out_and_said_so(runs: RunStore) -> None:
    os.unlink(begun(runs).path)
    assert runs.all() == []
    with pytest.raises(SessionNotFound, match="run fix has no session any more"):
        runs.find("fix")
    os.unlink(Path(runs_root(), "fix", "session"))
    with pytest.raises(SessionNotFound, match="zot run --id fix begins it"):
        runs.find("fix")


def test_a_run_that_a_process_has_runs_and_cannot_be_changed(runs: RunStore) -> None:
    path = begun(runs).path
    stored = load(path)
    session = SessionFile(path, stored.meta, resume=stored)
    assert (runs.find("fix").owned, runs.find("fix").state) == (True, "running")
    with pytest.raises(SessionLocked):
        change(runs.find("fix"), run_row({"state": "done"}), 0.05)
    session.close()
    change(runs.find("fix"), run_row({"state": "done"}))
    assert runs.find("fix").state == "done"


def test_a_run_is_parked_after_processes_without_progress(runs: RunStore) -> None:
    run = begun(runs)
    for number in range(MAX_TRIES):
        assert not runs.find("fix").parked, number
        change(run, run_row({"pid": 1}))
    assert runs.find("fix").parked


def test_a_folder_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(ConfigError, match="cannot write"):
        begun(RunStore(str(file)))
    assert RunStore(str(file)).all() == []


def test_options_survive_the_row_with_absolute_paths_and_without_keys() -> None:
    options = HostOptions(
        model="m", api_key="secret", cwd=".", extensions=["ext"], add_dirs=["/d"], tools=[], max_cost=1.5, trust=True
    )
    row = options_to_row(options)
    here = os.getcwd()
    assert row == {
        "model": "m", "cwd": here, "extensions": [os.path.join(here, "ext")], "add_dirs": ["/d"], "tools": [],
        "max_cost": 1.5, "trust": True,
    }  # fmt: skip
    again = options_of(RunRecord("x", "Do it", options=row), "/s.jsonl")
    assert (again.run, again.session, again.max_cost, again.api_key) == ("Do it", "/s.jsonl", 1.5, "")


def test_a_run_of_another_zot_is_refused_with_a_line() -> None:
    with pytest.raises(ConfigError, match="begun by zot 9 with the option warp, which this zot does not have"):
        options_of(RunRecord("x", "Do it", zot="9", options={"warp": 9}), "/s")
    with pytest.raises(ConfigError, match="begun by a newer zot"):
        options_of(RunRecord("x", "Do it", format=2), "/s")
