"""What is said to be safe holds in every front end and in sub-agents: one process of each, with the same calls."""

import json
import shlex
import subprocess
import time

import pytest
from command import Zot
from front_ends import ASKS, FRONT_ENDS, results
from rpc_peer import Peer
from waiting import wait_until

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
def test_a_hook_of_claude_code_refuses_the_calls_of_its_condition_and_no_others(
    front_end: str, zot: Zot, server: ScriptedServer
) -> None:
    entry = {"type": "command", "command": "echo by the hook >&2; exit 2", "if": "Bash(touch *)"}
    (zot.cwd / ".claude").mkdir()
    (zot.cwd / ".claude/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
    zot.home.mkdir()
    (zot.home / FILE).write_text(json.dumps({"permissions": {"deny": ["bash(mkdir .*)"]}}))
    calls = [bash("true && touch ran"), bash("mkdir ran"), bash("echo free > free")]
    found, _ = results(front_end, zot, server, calls, "--trust")
    assert ["by the hook" in found[0], "the rule bash(mkdir .*) denies" in found[1]] == [True, True], found
    assert not (zot.cwd / "ran").exists()
    assert (zot.cwd / "free").read_text() == "free\n"


def extension(zot: Zot, program: str, **fields: object) -> None:
    """Install the extension `a`."""
    folder = zot.home / "extensions" / "a"
    folder.mkdir(parents=True)
    (folder / "run").write_text(f"#!/bin/sh\n{program}\n")
    (folder / "run").chmod(0o700)
    (folder / "extension.json").write_text(json.dumps({"name": "a", "exec": "./run", **fields}))


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_a_guard_that_is_not_there_refuses(front_end: str, zot: Zot, server: ScriptedServer) -> None:
    extension(zot, "exit 1", guards={"tool_call": {"on_timeout": "block", "on_exit": "block"}})
    found, _ = results(front_end, zot, server, [bash("touch ran")])
    assert found
    assert all("extension 'a' exited with code 1 before it said hello, so this is refused" in each for each in found)
    assert not (zot.cwd / "ran").exists()


SILENT = r"""
echo '{"type":"hello","name":"a","capabilities":["events"]}'
options='{"tool_call":{"on_timeout":"block"}}'
echo '{"type":"subscribe","events":[],"intercept":["tool_call"],"intercept_options":'"$options"'}'
echo '{"type":"ready"}'
while read -r line; do case $line in
*'"event_intercept"'*'"tool_name":"bash"'*) ;;
*'"event_intercept"'*) id=${line#*'"id":"'}; echo '{"type":"event_intercept_response","id":"'"${id%%'"'*}"'"}' ;;
esac; done
"""
"""A guard that answers for no command."""
LATE = {"write": "sleep 600", "edit": "exit 3", "read": "./nothing-there"}
"""Hook programs that refuse when they fail, by the tool that they are asked about; the first has no time."""


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_guards_that_are_slower_than_their_limit_or_fail_refuse(
    front_end: str, zot: Zot, server: ScriptedServer
) -> None:
    extension(zot, SILENT)
    hooks = [{"match": tool, "command": LATE[tool], "timeout": 60, "on_failure": "block"} for tool in LATE]
    hooks[0]["timeout"] = 0.5
    (zot.home / FILE).write_text(json.dumps({"hooks": {"tool_call": hooks}}))
    zot.env["ZOT_EXT_PATIENCE"] = "0.2"
    change = {"path": "a.txt", "edits": [{"oldText": "alpha", "newText": "ran"}]}
    calls = [Call("write", {"path": "ran", "content": "x"}), Call("edit", change), Call("read", {"path": "a.txt"})]
    found, _ = results(front_end, zot, server, [bash("touch ran"), *calls])
    if front_end == "sub-agent":
        found = found[-len(calls) - 1 :]
    assert ["so this is refused" in each for each in found] == [True] * (1 + len(calls)), found
    assert "within 1 s" in found[0]
    assert not (zot.cwd / "ran").exists()
    assert (zot.cwd / "a.txt").read_text() == "alpha\n"


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_nothing_is_asked_of_a_model_without_an_extension_that_must_be_there(
    front_end: str, zot: Zot, server: ScriptedServer
) -> None:
    extension(zot, "exit 1")
    assert results(front_end, zot, server, [bash("touch ran")], "--strict-extensions") == ([], 0)
    assert server.requests == []
    assert not (zot.cwd / "ran").exists()


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_files_have_their_modes_again_after_an_undo(front_end: str, zot: Zot, server: ScriptedServer) -> None:
    modes = {"written": 0o640, "echoed": 0o600, "changed": 0o751, "removed": 0o440}
    for name, mode in modes.items():
        (zot.cwd / name).write_text("before")
        (zot.cwd / name).chmod(mode)
    wait_until(lambda: time.time() > (zot.cwd / "removed").stat().st_ctime + 1)  # git sees other permissions by that
    calls = [
        Call("read", {"path": "written"}),
        Call("write", {"path": "written", "content": "x"}),
        bash("rm -f echoed removed; echo x > echoed; chmod 700 changed; echo x > ran"),
    ]
    stored = ["-c"] if front_end == "rpc" else []  # it keeps no session but one that is there
    if stored:
        server.add("one")
        zot.ask(server, "-p", "hi")
    results(front_end, zot, server, calls, *stored)
    assert (zot.cwd / "ran").exists()
    assert (zot.cwd / "written").read_text() == "x"
    peer = Peer(server, zot.cwd, "-c", **zot.env)
    try:
        peer.data("session.undo")
    finally:
        peer.kill()
    assert {name: (zot.cwd / name).read_text() for name in modes} == dict.fromkeys(modes, "before")
    assert {name: (zot.cwd / name).stat().st_mode & 0o7777 for name in modes} == modes
    assert not (zot.cwd / "ran").exists()
