"""`zot run` and `zot runs`, in this process and in those that they start."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import PATIENCE, wait_until

from zot_agent.cli import runs as verbs
from zot_agent.cli.runs import begin
from zot_agent.cli.runs.drive import DriveLimits, drive, drive_quietly
from zot_agent.config.paths import sessions_root
from zot_agent.host.options import HostOptions
from zot_agent.runs.control import ControlLimits, cancel
from zot_agent.runs.service import service
from zot_agent.runs.store import MAX_TRIES, RunStore, change
from zot_core.runtime.run_rows import run_row
from zot_core.sessions.file import SessionFile, load
from zot_provider.errors import ZotError
from zot_provider.testing import Call, Fault, Received, ScriptedServer, Turn


def work(request: Received) -> Turn:
    """A model that appends a line to a file in each of two steps, then ends."""
    made = sum(1 for message in request.body["messages"] if message.get("tool_calls"))
    call = Call("bash", {"command": f"echo {made} >> effects"})
    return Turn(f"step {made}", calls=[call]) if made < 2 else Turn("all done")


class Zot:
    """`zot run` and `zot runs`, against a scripted model."""

    def __init__(self, server: ScriptedServer, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd, self.server = capfd, server
        self.at = ("--provider", "openai", "--model", "scripted", "--base-url", server.base_url("openai-chat"))

    def run(self, *words: str, code: int = 0) -> str:
        return self._call(begin.run, [*self.at, *words], code)

    def runs(self, *words: str, code: int = 0) -> str:
        return self._call(verbs.run, words, code)

    def _call(self, what: object, words: object, code: int) -> str:
        assert callable(what)
        found = what(words)
        out, err = self._capfd.readouterr()
        assert found == code, (found, out, err)
        return out + err

    def state(self, id: str) -> str:
        return RunStore().find(id).state

    def wait(self, id: str, *states: str) -> None:
        wait_until(lambda: self.state(id) in states and not RunStore().find(id).owned, f"{id} is {states}")


@pytest.fixture
def zot(
    monkeypatch: pytest.MonkeyPatch, server: ScriptedServer, capfd: pytest.CaptureFixture[str], alone: Path
) -> Iterator[Zot]:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv("ZOT_PERMISSION_MODE", "yolo")
    with open(os.devnull) as nothing, monkeypatch.context() as patch:
        patch.setattr("sys.stdin", nothing)
        server.add(*[work] * 60)
        yield Zot(server, capfd)


def effects() -> list[str]:
    return Path("effects").read_text().split() if Path("effects").exists() else []


def test_a_run_answers_and_the_same_command_again_prints_its_answer(zot: Zot) -> None:
    assert zot.run("--id", "fix", "do", "it") == "all done\n"
    assert effects() == ["0", "1"]
    asked = len(zot.server.requests)
    assert zot.run("--id", "fix", "do", "it") == "all done\n"
    assert zot.run("--id", "fix", "--detach") == "fix\n"
    assert (effects(), len(zot.server.requests)) == (["0", "1"], asked)
    assert "run fix has another task, 'do it'; choose another --id" in zot.run("--id", "fix", "other", code=2)
    assert re.fullmatch(r"zot: run [0-9a-f]{8}\n", zot.run("do it").replace("all done\n", ""))


@pytest.mark.parametrize(
    ("flag", "named"),
    [
        ("--no-yolo", "permission mode ask"),
        ("--permission-mode=plan", "permission mode plan"),
        ("--sandbox=strict", "sandbox strict"),
        ("--tools=read", "tools ['read']"),
        ("--strict-extensions", "strict extensions True"),
        ("--cwd=..", "cwd "),
    ],
)
def test_an_option_that_would_not_count_in_a_run_that_exists_is_an_error(zot: Zot, flag: str, named: str) -> None:
    zot.run("--id", "fix", "--tools=bash", "--max-steps", "1", "do", "it", code=4)
    asked = len(zot.server.requests)
    for words in (["do", "it"], []):
        error = zot.run("--id", "fix", flag, "--max-steps", "9", *words, code=2)
        assert f"run fix was begun without {named}" in error
    assert len(zot.server.requests) == asked
    assert zot.run("--id", "fix", "--tools=bash", "--max-steps", "9", "do", "it").endswith("all done\n")


def test_a_run_that_is_over_is_removed_with_its_session(zot: Zot) -> None:
    zot.run("--id", "fix", "do", "it")
    run = RunStore().find("fix")
    assert zot.runs("remove", "fi") == "removed fix\n"
    assert not Path(run.path).exists()
    assert not Path(run.folder).exists()
    assert "unknown run 'fix'" in zot.runs("remove", "fix", code=2)
    zot.run("--id", "again", "do", "it")
    Path(RunStore().find("again").path).unlink()
    assert zot.runs("remove", "again") == "removed again\n"
    assert RunStore().all() == []


def test_runs_are_listed_shown_and_logged(zot: Zot) -> None:
    assert "no runs yet" in zot.runs("list")
    zot.run("--id", "fix", "do", "it", "x" * 80)
    assert re.search(r"fix  done   3      20.*  do it x+…", zot.runs("list"))
    [listed] = json.loads(zot.runs("list", "--json"))["runs"]
    shown = json.loads(zot.runs("show", "fix", "--json"))
    assert listed == shown
    assert (shown["state"], shown["steps"], shown["pid"], shown["question"]) == ("done", 3, None, None)
    text = zot.runs("show", "fix")
    assert re.search(r"^state      done$", text, re.M)
    assert re.search(r"^tokens     [0-9]+ in, [0-9]+ out$", text, re.M)
    log = zot.runs("logs", "fix")
    assert "* bash echo 1 >> effects" in log
    assert log.endswith("all done\n- done\n")
    assert zot.runs("logs", "-f", "fix") == zot.runs("attach", "fix") == log


def test_a_detached_run_works_by_itself_and_is_followed(zot: Zot) -> None:
    assert zot.run("--detach", "--id", "fix", "do it") == "fix\n"
    assert zot.runs("attach", "fix").endswith("all done\n- done\n")
    assert effects() == ["0", "1"]


def test_a_detached_run_that_cannot_begin_says_why(zot: Zot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setattr(zot, "at", ("--provider", "openai"))
    for words in (["--detach"], []):
        assert "OPENAI_API_KEY" in zot.run(*words, "--id", "fix", "do it", code=2)
        assert "no runs yet" in zot.runs("list")
    assert list(Path(sessions_root()).rglob("*.jsonl")) == []


def test_a_run_that_was_killed_is_interrupted_and_continues(zot: Zot) -> None:
    zot.run("--detach", "--id", "fix", "--max-steps", "9", "do it")
    zot.wait("fix", "done")
    run = RunStore().find("fix")
    rows = Path(run.path).read_bytes().splitlines(keepends=True)
    begun = next(at for at, row in enumerate(rows) if b'"tool_begin"' in row)
    Path(run.path).write_bytes(b"".join(rows[: begun + 1]))
    Path("effects").write_text("0\n")
    assert zot.state("fix") == "interrupted"
    assert "run fix was interrupted; zot runs resume fix continues it" in zot.runs("attach", "fix", code=1)
    assert zot.runs("resume", "fix") == "all done\n"
    assert effects() == ["0", "1"]
    assert "unknown: zot ended while this call ran" in zot.runs("logs", "fix")
    assert "run fix is done" in zot.runs("resume", "fix", code=2)


def test_all_interrupted_runs_continue_in_one_process_but_parked_ones(zot: Zot) -> None:
    options = HostOptions(provider="openai", model="scripted", base_url=zot.server.base_url("openai-chat"))
    for id in ("a", "b", "parked"):
        Path(id).mkdir()
        RunStore().create(id, "do it", id, options.replace(cwd=id))
    for _ in range(MAX_TRIES):
        change(RunStore().find("parked"), run_row({"pid": 1}))
    gone = RunStore().create("gone", "do it", "gone", options.replace(cwd="gone"))[0]
    told = zot.runs("resume", "--all", "--jobs", "2")
    assert "run a is done" in told
    assert "run b is done" in told
    assert "run parked is parked: 3 processes have ended without progress" in told
    assert "run gone was not continued: " in told
    assert (zot.state("parked"), zot.state(gone.id)) == ("interrupted", "interrupted")
    assert [Path(id, "effects").read_text() for id in ("a", "b")] == ["0\n1\n"] * 2
    assert "parked after 3 processes" in zot.runs("show", "parked")
    Path("gone").mkdir()
    assert zot.runs("resume", "parked") == "all done\n"
    assert "--all takes no ID" in zot.runs("resume", "--all", "x", code=2)
    assert zot.runs("resume", "--all") == "run gone is done\n"
    assert zot.runs("resume", "--all") == "no run was interrupted\n"
    assert "name the run to continue" in zot.runs("resume", code=2)


def test_a_question_is_answered_later_and_the_run_continues_by_itself(zot: Zot) -> None:
    told = zot.run("--id", "fix", "--permission-mode", "ask", "do it", code=3)
    assert "run fix waits for an answer: bash echo 0 >> effects" in told
    assert "zot runs answer fix yes|no continues it" in told
    assert "waits for  bash echo 0 >> effects" in zot.runs("show", "fix")
    assert "run fix waits: bash echo 0" in zot.runs("attach", "fix", code=3)
    assert "run fix waits: bash echo 0" in zot.runs("resume", "fix", code=2)
    assert effects() == []
    zot.runs("answer", "fix", "yes")
    zot.wait("fix", "waiting")
    assert effects() == ["0"]
    zot.runs("answer", "fix", "no", "--message", "not again")
    zot.wait("fix", "done")
    assert effects() == ["0"]
    assert not re.search(r"^log ", zot.runs("show", "fix"), re.M)  # what it printed is no reason of anything
    assert "not again" in zot.runs("logs", "fix")
    assert "run fix asks nothing; it is done" in zot.runs("answer", "fix", "yes", code=2)


def test_a_failed_run_is_tried_again_with_other_limits(zot: Zot) -> None:
    told = zot.run("--id", "fix", "--max-steps", "1", "do it", code=4)
    assert told.splitlines()[-2:] == ["zot: max steps (1) exceeded", "zot: zot runs resume fix continues it"]
    assert (zot.state("fix"), effects()) == ("stopped", ["0"])
    told = "run fix is stopped: max steps (1) exceeded; zot runs resume fix continues it"
    assert told in zot.runs("attach", "fix", code=4)
    assert "max tokens (1) exceeded" in zot.runs("resume", "fix", "--max-steps", "9", "--max-tokens", "1", code=4)
    change(RunStore().find("fix"), run_row({"state": "failed", "reason": "no network"}))
    assert "run fix has failed (no network); zot runs retry fix tries it again" in zot.runs("resume", "fix", code=2)
    zot.runs("retry", "--detach", "fix", "--max-tokens", "100000")
    zot.wait("fix", "done")
    assert effects() == ["0", "1"]


def test_how_failed_model_calls_are_repeated_is_kept_with_a_run_and_can_be_changed(zot: Zot) -> None:
    busy = Turn(fault=Fault(status=503, headers={"retry-after": "86400"}))
    soon = Turn(fault=Fault(status=503, headers={"retry-after": "1"}))
    with ScriptedServer([busy, soon, soon, soon, "at last"]) as other:
        zot.at = ("--provider", "openai", "--model", "scripted", "--base-url", other.base_url("openai-chat"))
        told = zot.run("--id", "fix", "--retries", "0", "--retry-total", "7", "do it", code=1)
        assert "it asks to wait for 24 h" in told, told
        assert RunStore().find("fix").record.options["retry_total"] == 7
        assert "--retry-wait must be a number from 0" in zot.runs("retry", "fix", "--retry-wait", "nan", code=2)
        zot.runs("retry", "fix", code=1)  # without another word, none
        assert len(other.requests) == 2
        assert "at last" in zot.runs("retry", "fix", "--retries", "5", "--wait")
        kept = RunStore().find("fix").record.options
        assert (kept["retries"], kept["retry_total"], kept["wait"]) == (5, 7, True)
    assert "--retries is for runs on this machine" in zot.runs("retry", "fix", "--retries", "0", "--fleet", code=2)


def test_a_run_that_is_begun_again_goes_on_with_the_options_of_the_command(zot: Zot) -> None:
    zot.run("--id", "fix", "--max-steps", "1", "do it", code=4)
    assert "all done" in zot.run("--id", "fix", "--max-steps", "9", "--retries", "1", "do it")
    kept = RunStore().find("fix").record.options
    assert (kept["max_steps"], kept["retries"]) == (9, 1)


def test_a_run_is_cancelled_with_and_without_a_process(zot: Zot) -> None:
    os.mkfifo("gate")
    held = Turn(calls=[Call("bash", {"command": "echo began >> effects; cat gate"})])
    with ScriptedServer([held]) as other:
        zot.at = ("--provider", "openai", "--model", "scripted", "--base-url", other.base_url("openai-chat"))
        zot.run("--detach", "--id", "fix", "do it")
        wait_until(lambda: effects() == ["began"])
        assert f"process {RunStore().find('fix').record.pid} has run fix" in zot.runs("resume", "fix", code=2)
        assert "run fix is running; zot runs cancel fix ends it first" in zot.runs("remove", "fix", code=2)
        zot.runs("cancel", "fix")
    assert (zot.state("fix"), RunStore().find("fix").owned) == ("cancelled", False)
    assert "run fix is cancelled" in zot.runs("cancel", "fix", code=2)
    assert not Path(RunStore().find("fix").cancel_file).exists()
    zot.runs("attach", "fix", code=130)
    RunStore().create("new", "do it", ".", HostOptions())
    assert "run new is interrupted; zot runs cancel new" in zot.runs("remove", "new", code=2)
    zot.runs("cancel", "new")
    assert zot.state("new") == "cancelled"
    assert zot.runs("remove", "new") == "removed new\n"


def test_a_process_that_does_not_end_its_run_is_named(zot: Zot) -> None:
    options = HostOptions(provider="openai", model="scripted", base_url=zot.server.base_url("openai-chat"))
    run = RunStore().create("fix", "do it", ".", options)[0]
    stored = load(run.path)
    session = SessionFile(run.path, stored.meta, resume=stored)
    session.add_row(run_row({"pid": 4711}))
    with pytest.raises(ZotError, match=r"run fix has not ended within 0\.1 s; its process is 4711"):
        cancel(RunStore(), "fix", ControlLimits(cancel_seconds=0.1))
    assert "process    4711" in zot.runs("show", "fix")

    def release() -> None:
        session.add_row(run_row({"state": "stopped", "end": "aborted"}))
        session.close()

    threading.Timer(0.3, release).start()
    zot.run("--id", "fix", "do it", code=130)


def test_a_run_that_may_have_ended_its_process_gets_one_of_its_own(zot: Zot) -> None:
    options = HostOptions(provider="openai", model="scripted", base_url=zot.server.base_url("openai-chat"))
    for id in ("suspect", "gone"):
        Path(id).mkdir()
        run = RunStore().create(id, "do it", id, options.replace(cwd=id))[0]
        change(run, run_row({"pid": 1}))
    Path("gone").rmdir()
    told = zot.runs("resume", "--all")
    assert "run suspect is done" in told
    assert "run gone was not continued: " in told
    assert "is not a directory" in told
    assert RunStore().find("suspect").record.pid != os.getpid()
    assert zot.runs("resume", "--all") == told.replace("run suspect is done\n", "")


async def test_a_run_that_another_process_has_just_ended_is_not_done_again(
    monkeypatch: pytest.MonkeyPatch, server: ScriptedServer, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    options = HostOptions(provider="openai", model="scripted", base_url=server.base_url("openai-chat"))
    run = RunStore().create("fix", "do it", ".", options)[0]
    change(run, run_row({"state": "done", "end": "completed"}))
    assert await drive(run) == 0
    assert capfd.readouterr().out == "- done\n"
    assert await drive_quietly(run) == "run fix is done"
    assert (server.requests, RunStore().find("fix").record.pid) == ([], 0)


async def test_a_run_of_another_process_is_not_continued_twice() -> None:
    run = RunStore().create("fix", "do it", ".", HostOptions(provider="openai", base_url="http://127.0.0.1:9"))[0]
    stored = load(run.path)
    session = SessionFile(run.path, stored.meta, resume=stored)
    told = await drive_quietly(run, DriveLimits(2, 0.01))
    assert "run fix was not continued: " in told
    session.close()


@pytest.mark.parametrize("suspect", [False, True])
def test_a_signal_leaves_all_runs_to_another_process(zot: Zot, suspect: bool) -> None:
    os.mkfifo("gate")
    held = Turn(calls=[Call("bash", {"command": "echo began >> effects; cat gate"})])
    with ScriptedServer([held]) as other:
        options = HostOptions(provider="openai", model="scripted", base_url=other.base_url("openai-chat"))
        run = RunStore().create("fix", "do it", ".", options)[0]
        if suspect:
            change(run, run_row({"pid": 1}))
        words = [sys.executable, "-m", "zot_agent", "runs", "resume", "--all"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            wait_until(lambda: effects() == ["began"])
            process.terminate()
            out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (143, b""), out
        zot.wait("fix", "interrupted")
    assert zot.runs("resume", "fix", code=1)  # its server is gone


def test_signals_leave_a_run_to_another_process_and_control_c_to_a_person(zot: Zot) -> None:
    os.mkfifo("gate")
    held = Turn(calls=[Call("bash", {"command": "echo began >> effects; cat gate"})])
    for number, state in ((signal.SIGTERM, "interrupted"), (signal.SIGINT, "stopped")):
        Path("effects").unlink(missing_ok=True)
        with ScriptedServer([held]) as other:
            zot.at = ("--provider", "openai", "--model", "scripted", "--base-url", other.base_url("openai-chat"))
            zot.run("--detach", "--id", state, "do it")
            wait_until(lambda: effects() == ["began"])
            os.kill(RunStore().find(state).record.pid, number)
            zot.wait(state, state)


def test_what_a_run_cannot_have_is_refused(zot: Zot, capfd: pytest.CaptureFixture[str]) -> None:
    for words in (["--no-session"], ["-c"], ["--api-key", "k"], ["--json-schema", "x"], ["--rpc"], ["--version"]):
        with open("x", "w") as schema:
            schema.write('{"type":"object"}')
        assert "zot run takes no" in zot.run(*words, "do it", code=2), words
    assert "no task" in zot.run(code=2)
    for wrong, said in (("0", "greater than 0, got 0"), ("nan", "greater than 0"), ("inf", "a number")):
        assert f"--max-cost must be {said}" in zot.run("--max-cost", wrong, "do it", code=2)
        assert f"--max-cost must be {said}" in zot.runs("resume", "x", "--max-cost", wrong, code=2)
    assert "--retries must be a number from 0, got -1" in zot.run("--retries", "-1", "--detach", "do it", code=2)
    assert "zot runs list shows them" in zot.run("--id", "none", code=2)
    assert "usage: zot run " in zot._call(begin.run, ["--help"], 0)
    assert "usage: zot runs" in zot.runs()
    assert RunStore().all() == []


def test_flags_of_a_fleet_are_refused_for_a_run_on_this_machine_and_the_other_way_round(zot: Zot) -> None:
    for words in (["--git", "u"], ["--address", "a:1"], ["--schedule", "0 3 * * *"], ["--priority", "2"]):
        assert f"{words[0]} is for runs of a fleet; pass --fleet" in zot.run(*words, "do it", code=2)
    assert "--store is for runs of a fleet; pass --fleet" in zot.runs("list", "--store", "x", code=2)
    said = zot.runs("retry", "fix", "--fleet", "--max-steps", "3", code=2)
    assert "--max-steps is for runs on this machine, and not for runs of a fleet" in said
    assert RunStore().all() == []


def test_a_service_is_written_or_printed(zot: Zot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    found = service()
    assert zot.runs("service", "--print") == found.content.decode()
    assert not Path(found.path).exists()
    assert found.enable in zot.runs("service")
    assert Path(found.path).read_bytes() == found.content
