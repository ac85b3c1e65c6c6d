"""Which hook programs a host has, as sessions and settings change."""

import asyncio
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from processes import running_in
from waiting import until

from zot_agent.cli.args import parse
from zot_agent.host.build import build_host
from zot_agent.host.host import Host
from zot_provider.errors import ConfigError
from zot_provider.testing import Call, ScriptedServer, Turn


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch, server: ScriptedServer) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url("anthropic-messages"))


def build(*arguments: str) -> Host:
    return build_host(parse(["-p", "--model", "anthropic/claude-haiku-4-5", *arguments]).options)


def write(folder: Path, hooks: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"hooks": hooks}))


def runs(command: str, event: str = "turn_start") -> dict[str, Any]:
    return {event: [{"command": command}]}


async def test_without_hooks_nothing_of_them_is_imported() -> None:
    code = (
        "import sys, asyncio\n"
        "from zot_agent.cli.args import parse\n"
        "from zot_agent.host.build import build_host\n"
        "async def main():\n"
        "    host = build_host(parse(['-p', '--model', 'anthropic/claude-haiku-4-5']).options)\n"
        "    await host.close()\n"
        "asyncio.run(main())\n"
        "assert [name for name in sys.modules if 'hook_programs.' in name] == []\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    assert await process.wait() == 0


async def test_another_session_has_the_hooks_of_its_own_project(
    tmp_path: Path, alone: Path, server: ScriptedServer
) -> None:
    there = tmp_path / "there"
    there.mkdir()
    server.add("one", "two", "three")
    far = build("--cwd", str(there))
    session = far.runtime.session
    assert session is not None
    assert str(await far.runtime.ask("first")) == "one"
    await far.close()
    write(tmp_path / "zot-home", runs("touch own"))
    write(alone / ".zot", runs("touch here"))
    write(there / ".zot", runs("touch there"))
    host = build("--trust")
    await host.runtime.ask("here")
    assert sorted(path.name for path in alone.iterdir()) == [".zot", "here", "own"]
    await host.open_session(session.path)
    await host.runtime.ask("there")
    assert sorted(path.name for path in there.iterdir()) == [".zot", "own", "there"]
    write(there / ".zot", {"turn_start": 1})
    with pytest.raises(ConfigError, match="expected a list of programs"):
        await host.open_session(session.path)
    await host.close()


async def test_a_prompt_that_waits_for_another_session_is_answered_with_its_model_and_its_hooks(
    tmp_path: Path, alone: Path, server: ScriptedServer
) -> None:
    there = tmp_path / "there"
    write(there / ".zot", runs("touch there"))
    server.add("one", "two")
    far = build("--cwd", str(there), "--model", "far")
    session = far.runtime.session
    assert session is not None
    assert str(await far.runtime.ask("first")) == "one"
    await far.close()
    host = build("--trust")
    opening = host.conversation.changes.make(partial(host.open_session, session.path))
    run = host.conversation.prompt("second")
    assert await opening == []
    assert await run == "completed"
    assert (host.runtime.agent.model.id, (there / "there").exists()) == ("far", True)
    await host.close()


async def test_hooks_are_read_again_with_the_extensions_and_stay_if_they_are_wrong(
    tmp_path: Path, alone: Path, server: ScriptedServer
) -> None:
    server.add("one", "two", "three")
    host = build()
    assert host.extensions is None
    home = tmp_path / "zot-home"
    write(home, runs("echo a >> ran"))
    assert (await host.reload_extensions()).errors == []
    await host.runtime.ask("x")
    write(home, runs("echo b >> ran"))
    await host.reload_extensions()
    await host.runtime.ask("x")
    write(home, {"turn_start": 1})
    (error,) = (await host.reload_extensions()).errors
    assert error.endswith("hooks.turn_start: expected a list of programs, got 1")
    await host.runtime.ask("x")
    assert (alone / "ran").read_text() == "a\nb\nb\n"
    await host.close()


async def test_hooks_of_a_project_run_as_soon_as_the_person_allows_it(alone: Path, server: ScriptedServer) -> None:
    server.add("one", "two")
    write(alone / ".zot", runs("echo ran >> ran"))
    host = build_host(parse(["--model", "anthropic/claude-haiku-4-5"]).options, can_ask=True)
    await host.runtime.ask("x")
    assert not (alone / "ran").exists()
    assert host.choice is not None
    host.choice.decide(allowed=True)
    assert await host.use_project() == []
    await host.runtime.ask("x")
    assert (alone / "ran").read_text() == "ran\n"
    await host.close()


async def test_stopping_a_run_ends_the_program_that_is_asked(
    alone: Path, tmp_path: Path, server: ScriptedServer
) -> None:
    write(tmp_path / "zot-home", runs("echo $$ > pid; exec sleep 100"))
    host = build()
    run = host.conversation.prompt("x")
    await until(lambda: (alone / "pid").exists() and (alone / "pid").read_text() != "")
    run.cancel()
    assert await run == "aborted"
    assert not running_in(int((alone / "pid").read_text()))
    await host.close()


async def test_what_programs_read_and_answer_is_in_the_trace(
    alone: Path, tmp_path: Path, server: ScriptedServer
) -> None:
    write(tmp_path / "zot-home", runs("echo '{}'"))
    server.add("one")
    host = build("--ext-trace", str(tmp_path / "trace"))
    await host.runtime.ask("x")
    await host.close()
    out, back = (json.loads(line) for line in (tmp_path / "trace").read_text().splitlines())
    assert (out["extension"], out["direction"], out["frame"]["event"]) == (
        "hook turn_start: echo '{}'",
        "out",
        "turn_start",
    )
    assert (back["direction"], back["frame"]) == ("in", {})


async def test_events_that_a_slow_program_cannot_keep_up_with_are_dropped_and_counted(
    alone: Path, tmp_path: Path, server: ScriptedServer
) -> None:
    hooks = {"tool_call": [{"command": "while [ ! -e go ]; do sleep 0.01; done; echo ran >> ran", "wait": False}]}
    write(tmp_path / "zot-home", hooks)
    server.add(Turn(calls=[Call("ls", {"path": "."}) for _ in range(70)]), "done")
    host = build()
    said: list[str] = []
    host.conversation.events.add(lambda event: said.append(getattr(event, "message", "")))
    await host.conversation.prompt("x")
    (alone / "go").touch()
    await until(lambda: any("6 events were dropped" in str(each) for each in said))
    await host.close()
    assert len((alone / "ran").read_text().splitlines()) <= 64


async def test_what_a_project_holds_back_counts_as_soon_as_the_person_allows_it(alone: Path) -> None:
    (alone / ".zot").mkdir()
    (alone / ".zot" / "config.json").write_text('{"no_yolo": true, "audit": "on"}')
    host = build_host(parse(["--model", "anthropic/claude-haiku-4-5"]).options, can_ask=True)
    assert host.choice is not None
    assert (host.conversation.permissions.mode, host.audit) == ("yolo", None)
    host.choice.decide(allowed=True)
    assert await host.use_project() == []
    assert host.conversation.permissions.mode == "ask"
    assert host.audit is not None
    host.conversation.permissions.mode = "yolo"
    assert await host.refresh_workspace() == []
    assert host.conversation.permissions.mode == "yolo"  # the person has chosen it since
    await host.close()


async def test_a_project_whose_settings_cannot_be_used_cannot_be_allowed(alone: Path) -> None:
    (alone / ".zot").mkdir()
    (alone / ".zot" / "config.json").write_text('{"sandbox": "off", "theme": "loud"}')
    host = build_host(parse(["--model", "anthropic/claude-haiku-4-5"]).options, can_ask=True)
    assert host.choice is not None
    with pytest.raises(ConfigError, match="sandbox: a project cannot set off"):
        host.choice.decide(allowed=True)
    with pytest.raises(ConfigError, match="sandbox: a project cannot set off"):
        host.choice.use_once(allowed=True)
    host.choice.find()
    assert host.choice.undecided is not None
    host.choice.decide(allowed=False)
    host.choice.find()
    assert (host.choice.trusted, host.choice.undecided) == (False, None)
    await host.close()
