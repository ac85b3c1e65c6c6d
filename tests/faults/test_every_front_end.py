"""What is said to be safe holds in every front end and in sub-agents: one process of each, with the same calls."""

import json
import shlex
import subprocess

import pytest
from command import Zot
from front_ends import ASKS, FRONT_ENDS, results

from zot_agent.config.settings import FILE
from zot_provider.testing import Call, ScriptedServer

HIDDEN = ("echo touch ran | sh", "gcc -wrapper touch,ran a.c", "cp /usr/bin/touch t; ./t ran", "cat .e*")
"""Lines that a deny of `touch *`, and of `.env`, is perhaps about."""


def bash(command: str) -> Call:
    return Call("bash", {"command": command})


@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_rules_and_the_sandbox_hold_in_yolo_and_what_cannot_be_judged_is_asked_about_or_refused(
    front_end: str, zot: Zot, server: ScriptedServer
) -> None:
    zot.home.mkdir()
    rules = {"deny": ["bash(touch *)", "read(.env)"]}
    (zot.home / FILE).write_text(json.dumps({"permissions": rules, "sandbox": "on"}))
    (zot.cwd / ".env").write_text("SECRET=1")
    denied = [bash("touch ran"), bash("env touch ran"), Call("read", {"path": ".env"})]
    confined = [bash("cp /bin/true rs && chmod 4755 rs"), bash("echo x > ../outside")]
    calls = [*denied, *map(bash, HIDDEN), *confined, bash("echo free > free")]
    found, asked = results(front_end, zot, server, calls)
    assert len(found) == len(calls)
    assert all("the rule " in text for text in found[:3]), found
    assert not any("SECRET" in text for text in found)
    assert not (zot.cwd / "ran").exists()
    assert not (zot.cwd / "rs").stat().st_mode & 0o6000
    assert not (zot.cwd.parent / "outside").exists()
    assert (zot.cwd / "free").read_text() == "free\n"
    assert asked >= len(HIDDEN) if front_end in ASKS else asked == 0


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_what_only_reads_runs_in_the_mode_ask_and_all_else_is_asked_about_or_refused(
    front_end: str, zot: Zot, server: ScriptedServer
) -> None:
    subprocess.run(["git", "init", "-q", str(zot.cwd)], check=True)
    other = zot.cwd / "vend"
    subprocess.run(["git", "init", "-q", "--bare", str(other)], check=True)
    monitor = f"touch {shlex.quote(str(zot.cwd / 'ran'))}"
    for name, value in (("core.bare", "false"), ("core.worktree", str(zot.cwd)), ("core.fsmonitor", monitor)):
        subprocess.run(["git", "-C", str(other), "config", name, value], check=True)
    reads = [bash("ls -a | head -9"), bash("git status --short"), Call("read", {"path": "a.txt"})]
    others = [bash("mkdir ran"), bash("cd vend && git status"), Call("write", {"path": "ran", "content": "x"})]
    found, asked = results(front_end, zot, server, [*reads, *others], "--permission-mode", "ask")
    assert ["a.txt" in found[0], "?? a.txt" in found[1], "alpha" in found[2]] == [True] * 3, found
    assert not (zot.cwd / "ran").exists()
    assert asked == (len(others) if front_end in ASKS else 0)


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_a_guard_that_is_not_there_refuses(front_end: str, zot: Zot, server: ScriptedServer) -> None:
    guard = zot.home / "extensions" / "a"
    guard.mkdir(parents=True)
    (guard / "run").write_text("#!/bin/sh\nexit 1\n")
    (guard / "run").chmod(0o700)
    blocks = {"tool_call": {"on_timeout": "block", "on_exit": "block"}}
    (guard / "extension.json").write_text(json.dumps({"name": "a", "exec": "./run", "guards": blocks}))
    found, _ = results(front_end, zot, server, [bash("touch ran")])
    assert found
    assert all("extension 'a' exited with code 1 before it said hello, so this is refused" in each for each in found)
    assert not (zot.cwd / "ran").exists()
