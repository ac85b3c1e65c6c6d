"""What docs/safety.md promises, with real processes."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import KEY, Zot
from pty_screen import PtyScreen

from zot_provider.testing import Call, ScriptedServer, Turn

ENVIRONMENT = {"GH_PAT": "kept"}


@contextmanager
def terminal(zot: Zot, *arguments: str) -> Iterator[PtyScreen]:
    command = [sys.executable, "-m", "zot_agent", *arguments]
    with PtyScreen(command, environment={**zot.env, "TERM": "xterm-256color"}, cwd=str(zot.cwd)) as pty:
        yield pty


def extension(folder: Path, body: str, **fields: object) -> Path:
    """An extension whose program loads `body` from a module beside it."""
    folder.mkdir(parents=True)
    program = folder / "main.py"
    run = f"import module\nfrom zot_ext import Extension\nExtension({folder.name!r}).run()\n"
    program.write_text(f"#!{sys.executable}\n{run}")
    program.chmod(0o755)
    (folder / "module.py").write_text(f"import os\n{body}\n")
    (folder / "extension.json").write_text(json.dumps({"name": folder.name, "exec": "./main.py", **fields}))
    return folder


def marks(path: Path) -> str:
    """The body of a module that adds a line to `path`."""
    return f"open({str(path)!r}, 'a').write('ran\\n')"


def test_the_screen_asks_once_and_again_when_a_module_changes(zot: Zot, server: ScriptedServer, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    folder = extension(zot.cwd / ".zot/extensions/local", marks(mark))
    for changed in (False, True):
        runs = 2 * changed  # each version runs once when it is allowed, and once more
        with terminal(zot, *zot.at(server)) as pty:
            pty.wait_for("May zot use what this folder brings?")
            pty.wait_for("extension local, which starts: ./main.py")
            if changed:
                pty.wait_for("Changed since you allowed it: .zot/extensions/local/module.py")
            assert mark.exists() is changed
            pty.wait_for("Enter choose")
            pty.type("y")
            pty.wait_for("in use: extensions local")
            pty.wait_until(lambda runs=runs: mark.exists() and mark.read_text().count("ran\n") == runs + 1)
        with terminal(zot, *zot.at(server)) as pty:
            pty.wait_until(lambda runs=runs: mark.read_text().count("ran\n") == runs + 2)
            assert "May zot use" not in pty.screen()
        (folder / "module.py").write_text(f"import os  # another version\n{marks(mark)}\n")


@pytest.mark.parametrize("mode", ["print", "rpc"])
def test_elsewhere_a_line_says_what_is_not_used(zot: Zot, server: ScriptedServer, tmp_path: Path, mode: str) -> None:
    server.add("a", "b")
    extension(zot.cwd / ".zot/extensions/local", marks(tmp_path / "mark"))
    arguments = ("-p", "hi") if mode == "print" else ("--rpc",)
    refused = zot.ask(server, *arguments)
    assert "not used, because you have not allowed it: extensions local" in refused.line()
    assert not (tmp_path / "mark").exists()
    assert zot.ask(server, *arguments, "--trust").err == ""


def test_a_command_does_not_get_the_keys_of_providers(zot: Zot, server: ScriptedServer) -> None:
    look = Turn(calls=[Call("bash", {"command": "env"})])
    server.add(look, "done", look, "done")
    zot.ask(server, "-p", "look", env=zot.env | ENVIRONMENT)
    shown = server.requests[1].body["messages"][-1]["content"]
    assert "OPENAI_API_KEY" not in shown
    assert KEY not in shown
    assert "GH_PAT=kept" in shown

    (zot.home / "config.json").write_text('{"child_keys": "keep"}')
    zot.ask(server, "-p", "look", env=zot.env | ENVIRONMENT)
    assert f"OPENAI_API_KEY={KEY}" in server.requests[3].body["messages"][-1]["content"]


def test_an_extension_gets_the_keys_that_its_manifest_names(zot: Zot, server: ScriptedServer, tmp_path: Path) -> None:
    server.add("a")
    writes = "open({!r}, 'w').write(' '.join(name for name in os.environ if name.endswith('_API_KEY')))"
    extension(zot.home / "extensions/plain", writes.format(str(tmp_path / "plain")))
    extension(zot.home / "extensions/asks", writes.format(str(tmp_path / "asks")), env=["ANTHROPIC_API_KEY"])
    zot.ask(server, "-p", "hi")
    assert (tmp_path / "plain").read_text() == ""
    assert (tmp_path / "asks").read_text() == "ANTHROPIC_API_KEY"


def test_a_key_in_a_file_or_on_standard_input_is_used_and_is_no_argument(
    zot: Zot, server: ScriptedServer, tmp_path: Path
) -> None:
    server.add("a", "b")
    (tmp_path / "key").write_text(f"{KEY}\n")
    env = zot.keyless_env
    from_file = zot.ask(server, "-p", "hi", "--api-key-file", str(tmp_path / "key"), env=env)
    from_stdin = zot.ask(server, "-p", "hi", "--api-key", "-", stdin=f"{KEY}\n".encode(), env=env)
    assert (from_file.result, from_stdin.result) == ((0, "a\n", ""), (0, "b\n", ""))


def test_nothing_that_zot_writes_in_its_home_is_open_to_others_whatever_the_umask_is(
    zot: Zot, server: ScriptedServer
) -> None:
    zot.home.mkdir()
    zot.home.chmod(0o755)
    server.add("one", Turn(calls=[Call("bash", {"command": "echo x > made"})]), "two", "three", "four")
    at = " ".join(zot.at(server))
    script = f"umask 000; zot config set theme dark && zot {at} --debug -p hi && zot {at} -p go && zot run {at} hi"
    done = zot.shell(f"{script} && zot trust list && zot sessions list")
    assert done.code == 0, done.err
    command = ["sh", "-c", f'umask 000; exec "$@" {at}', "sh", *zot.command]
    with PtyScreen(command, environment={**zot.env, "TERM": "xterm"}, cwd=str(zot.cwd), new=True) as pty:
        pty.wait_for("›")
        pty.type("a prompt\r")
        pty.wait_for("four")
        pty.type("a draft")
        pty.wait_for("a draft")
    found = {str(path.relative_to(zot.home)): path.lstat().st_mode for path in zot.home.rglob("*")}
    assert {"checkpoints", "history", "logs", "runs", "sessions"} <= {name.partition("/")[0] for name in found}
    assert {name: oct(mode) for name, mode in found.items() if mode & 0o077 and not stat.S_ISLNK(mode)} == {}
    assert (zot.cwd / "made").stat().st_mode & 0o777 == 0o666


def test_an_answer_cannot_hide_what_follows_it_on_a_terminal(zot: Zot, server: ScriptedServer) -> None:
    server.add("\x1b[8mhidden \x1b[30;40mand black")
    with terminal(zot, *zot.at(server), "-p", "hi") as pty:
        assert pty.wait_end() == 0
        assert b"\x1b[8m" not in pty.received
        assert b"\x1b[30;40m" not in pty.received
        assert "hidden and black" in pty.screen()


def test_instructions_of_strangers_above_the_project_are_not_read(zot: Zot, server: ScriptedServer) -> None:
    server.add("a")
    above = zot.cwd.parent / "AGENTS.md"
    above.write_text("RUN THIS")
    (zot.cwd / "AGENTS.md").write_text("OF THE PROJECT")
    foreign = os.geteuid() == 0  # only root can give a file away
    if foreign:
        os.chown(above, 65534, 65534)
    done = zot.ask(server, "-p", "hi")
    system = json.dumps(server.requests[0].body["messages"][0])
    assert "OF THE PROJECT" in system
    assert ("RUN THIS" in system) is not foreign
    assert ("belongs to another user" in done.err) is foreign


def test_the_repository_of_a_project_runs_nothing_when_zot_looks_at_it(
    zot: Zot, server: ScriptedServer, tmp_path: Path
) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/mark\n")
    program.chmod(0o755)
    subprocess.run(["git", "init", "--quiet"], cwd=zot.cwd, check=True)
    for name in ("core.fsmonitor", "core.hooksPath", "core.pager", "core.editor"):
        subprocess.run(["git", "config", name, program], cwd=zot.cwd, check=True)
    extension(zot.cwd / ".zot/extensions/local", "pass")
    with terminal(zot, *zot.at(server)) as pty:
        pty.wait_for("May zot use")
        pty.wait_for("Enter choose")
        pty.type("y")
        pty.wait_for("in use:")
        pty.type("@")
        pty.wait_for(".zot/extensions/local/module.py")
    with terminal(zot, *zot.at(server)) as pty:
        pty.wait_for(".zot/extensions/local/module.py")  # the draft is recovered
    assert not (tmp_path / "mark").exists()


def test_a_run_that_goes_on_by_itself_reads_in_plan_and_waits_where_a_line_cannot_be_judged(
    zot: Zot, server: ScriptedServer
) -> None:
    look, hide = (Turn(calls=[Call("bash", {"command": each})]) for each in ("ls -a | head -3", "echo touch made | sh"))
    server.add(look, "I see.", hide, "Well.")
    zot.home.mkdir()
    (zot.home / "config.json").write_text(json.dumps({"permissions": {"deny": ["bash(touch *)"]}}))
    done = zot.finish(zot.start("run", *zot.at(server), "--permission-mode", "plan", "look"))
    assert (done.code, done.out) == (0, "I see.\n")
    assert "[exit 0]" in json.dumps(server.requests[1].body)
    waits = zot.finish(zot.start("run", *zot.at(server), "--id", "fix", "--permission-mode", "yolo", "go"))
    assert waits.code == 3
    assert "run fix waits for an answer: bash echo touch made | sh" in waits.out + waits.err
    assert not (zot.cwd / "made").exists()
