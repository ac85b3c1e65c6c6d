"""What every released version has stored is read by this one: nobody loses a session, a key or a rule by an update."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from stored_world import StoredWorld

from zot_provider.testing import Call, ScriptedServer, Turn

STATES = sorted(path.parent for path in Path(__file__).parent.glob("*/state"))
UNDO = """
import asyncio, sys
from zot_agent.client import RpcClient

async def main():
    async with RpcClient.start(provider="anthropic", args=["--session", sys.argv[1]]) as client:
        print(*(await client.session_undo())["restored"])

asyncio.run(main())
"""

pytestmark = pytest.mark.needs("bwrap", "git")


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture(params=STATES, ids=lambda path: path.name)
def world(request: pytest.FixtureRequest, tmp_path: Path, server: ScriptedServer) -> StoredWorld:
    """What a version has stored, with the rights that zot gave its files; git keeps only one of them."""
    folder = tmp_path / "world"
    shutil.copytree(request.param, folder)
    for name, rights in (("state", 0o700), ("project", 0o755)):  # where umask is 002, a clone has more
        for path in (folder / name).rglob("*"):
            path.chmod(path.stat().st_mode & rights)
            os.utime(path)  # what nobody has used for long is removed
    return StoredWorld(folder, ANTHROPIC_BASE_URL=server.base_url("anthropic-messages"), ANTHROPIC_API_KEY="key")


def session(world: StoredWorld, has: str) -> Path:
    """The session file with a text."""
    (found,) = (path for path in (world.folder / "state").glob("sessions/*/*.jsonl") if has in path.read_text("utf-8"))
    return found


def test_a_session_is_listed_shown_and_continued_and_keeps_its_bytes(
    world: StoredWorld, server: ScriptedServer
) -> None:
    path = session(world, '"title":"the notes"')
    id, before = path.stem.rpartition("-")[2], path.read_bytes()
    assert "the notes" in world.zot("sessions", "list")
    assert "That was Italian." in world.zot("sessions", "show", id)
    server.add("Welcome back.")
    assert world.zot("--session", id, "-p", "are you there?") == "Welcome back.\n"
    assert path.read_bytes().startswith(before)
    asked = str(server.requests[-1].body)
    assert "Italian notes." in asked  # the summary of its compaction
    assert "That was Italian." in asked


def test_what_a_command_changed_is_undone(world: StoredWorld) -> None:
    assert (world.folder / "project" / "notes.txt").read_text() == "uno\ntwo\ndue\n"
    id = session(world, '"run":"second"').stem.rpartition("-")[2]
    assert world.python("-c", UNDO, id).endswith("/notes.txt\n")
    assert (world.folder / "project" / "notes.txt").read_text() == "uno\ntwo\n"


def test_a_run_is_shown_with_its_task_and_state(world: StoredWorld) -> None:
    shown = world.zot("runs", "show", "second")
    assert "make the second line Italian" in shown
    assert "done" in shown


def test_settings_rules_models_and_keys_count(world: StoredWorld) -> None:
    settings = world.zot("config", "list")
    for text in ('{"tries":2}', "anthropic/claude-opus-5-5", "low", "light", "30"):
        assert f" {text} " in settings
    assert "deny read(.env)" in world.zot("permissions", "list")
    assert "house/small" in world.zot("models", "house")
    assert "openai     API key in /mnt/zot/state/auth.json" in world.zot("auth", "status")


def test_an_extension_is_still_allowed_and_refuses_what_it_refused(world: StoredWorld, server: ScriptedServer) -> None:
    assert "yes" in world.zot("ext", "list")
    server.add(Turn(calls=[Call("bash", {"command": "sudo true"})]), "It was refused.")
    assert world.zot("-p", "try sudo") == "It was refused.\n"
    assert "no sudo here" in str(server.requests[-1].body)


def test_what_an_extension_registered_refuses_without_its_program(world: StoredWorld, server: ScriptedServer) -> None:
    (world.folder / "state/extensions/guard/guard.py").write_text("#!/bin/sh\nexit 1\n")
    world.zot("ext", "enable", "guard")
    server.add(Turn(calls=[Call("bash", {"command": "true"})]), "It was refused.")
    world.zot("-p", "try it")
    assert "guard" in str(server.requests[-1].body)
    assert "exit 0" not in str(server.requests[-1].body)
