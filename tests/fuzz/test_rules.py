"""Lines of shell that a model writes, judged, and run for real."""

import os
import shutil
import subprocess
from pathlib import Path

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_core.machine.git import quiet_environment
from zot_core.permissions.judge import Judge, Verdict
from zot_core.permissions.rule import parse_rule

MARK = "mark"
_PIECES = (
    "mark", "mark x", "./mark", "m", "ark", " x", " ", " ", "echo ", "cat ", "ls ", "sh", "sh -c ", "bash ",
    "eval ", "env ",
    "env -S", "timeout 5 ", "command ", "exec ", "xargs ", "nice ", ". ", "builtin ", "trap ", " EXIT",
    "find . -exec ", " {} +",
    "'", '"', "`", "$(", ")", "${", "}", "$x", "x=", "$'", "\\", "\\\n", "\n", ";", "|", "&&", "||", "(", "{ ",
    "; }", "<<E\n",
    "\nE\n", "<<'E'\n", "<<<", "<(", "*", "?", "[a]", "{a,b}", "if true; then ", "; fi", "for i in a; do ", "; done",
    "f() { ", "$((", "))", "[[ -v ", " ]]", "a[", "]", "@P", "\\x6d", "$@", "${IFS}", "!", "time ", "coproc ",
    "unset x",
)  # fmt: skip
_READS = (
    "cat ", "ls ", "git ", "status ", "diff ", "log ", "sort ", "uniq ", "sed ", "-n ", "1p ", "grep ", "find ",
    ". ", "head ",
    "a ", "b ", "../secret ", "out ", "* ", ".. ", "-o ", "-r ", "-f ", "--output=c ", "-exec ", "| ", "; ", "&& ",
    "> ", "cd ",
    "sub ", "-", "c ", "-i ", "-delete ", "'w c' ", "tail ", "cut ", "-c1 ", "tr ", "wc ", "printf ", "-v ",
    "echo ", "$x ", "`ls` ",
    "show ", "HEAD:", "../", "-C ", "-c ", "branch ", "tag ", "x ", "rev-parse ", "blame ", "--no-pager ", "< ",
    "2>&1 ", "date ",
)  # fmt: skip


def lines(pieces: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), min_size=1, max_size=12).map("".join)


def run(line: str, folder: Path, verdict: Verdict) -> subprocess.CompletedProcess[bytes]:
    """Run a line as the tool bash does, with few programs on the PATH, of which `mark` is one."""
    quiet = quiet_environment({}, reads=verdict.git == "reads") if verdict.git else {}
    env = {"PATH": f"{folder.parent}/bin", "HOME": str(folder.parent / "home")} | quiet
    shell = [shutil.which("bash") or "bash", "--noprofile", "--norc", "-c", line]
    options = {"cwd": folder, "env": env, "stdin": subprocess.DEVNULL, "capture_output": True, "check": False}
    return subprocess.run(shell, timeout=PATIENCE, **options)  # type: ignore[call-overload,no-any-return]


def programs(folder: Path, *names: str) -> None:
    """Put `mark` and these programs into a folder beside `folder`."""
    place = folder.parent / "bin"
    place.mkdir(exist_ok=True)
    for name in names:
        found = shutil.which(name)
        if found and not (place / name).exists():
            (place / name).symlink_to(found)
    if not (place / MARK).exists():
        (place / MARK).write_text(f"#!/bin/sh\n: >{folder.parent}/ran\n")
        (place / MARK).chmod(0o755)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(lines(_PIECES))
def test_no_line_that_is_allowed_in_yolo_runs_what_a_rule_denies(work: Path, line: str) -> None:
    programs(work, "sh", "bash", "env", "timeout", "xargs", "nice", "find", "cat", "ls", "echo")
    if not (work / MARK).exists():
        (work / MARK).symlink_to(f"../bin/{MARK}")
    verdict = Judge([parse_rule("deny", "bash(mark*)")], "yolo").judge_command(line, os.path.realpath(work))
    event(verdict.action)
    if verdict.action == "allow":
        run(line, work, verdict)
        assert not (work.parent / "ran").exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(lines(_READS))
def test_no_line_that_needs_no_question_changes_or_shows_what_it_must_not(work: Path, line: str) -> None:
    readers = "cat ls git sort uniq sed grep find head tail cut tr wc date sh"
    programs(work, *readers.split())
    if not (work / "sub").exists():
        (work / "sub").mkdir()
        for name in ("a", "b", "sub/a"):
            (work / name).write_text("text\n")
        (work.parent / "secret").write_text("s-e-c-r-e-t\n")
        (work / "out").symlink_to("../secret")
        subprocess.run(["git", "init", "-q", str(work)], check=True)
    verdict = Judge([], "ask").judge_command(line, os.path.realpath(work))
    event(verdict.action)
    if verdict.action == "allow":
        before = {path: path.lstat().st_mtime_ns for path in work.rglob("*")}
        done = run(line, work, verdict)
        assert {path: path.lstat().st_mtime_ns for path in work.rglob("*")} == before
        assert b"s-e-c-r-e-t" not in done.stdout + done.stderr
