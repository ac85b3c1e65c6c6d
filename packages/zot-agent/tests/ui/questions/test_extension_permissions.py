"""The question about an installed extension whose manifest has permissions."""

import json
import sys
from pathlib import Path

import pytest
from screen import Chats

from zot_provider.testing import ScriptedServer

PROGRAM = f"""#!{sys.executable}
from zot_ext import Extension, display
ext = Extension("greeter")
ext.command("greet", "says hello")(lambda args: display("good day"))
ext.run()
"""
FREE = {"read": True, "write": True, "network": True, "exec": True}
"""What the system need not keep it to."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "zot-home" / "extensions" / "greeter"
    found.mkdir(parents=True)
    (found / "run").write_text(PROGRAM)
    (found / "run").chmod(0o755)
    write(found, commands=["greet"])
    return found


def write(folder: Path, **permissions: object) -> None:
    manifest = {"name": "greeter", "exec": "./run", "permissions": FREE | permissions}
    (folder / "extension.json").write_text(json.dumps(manifest))


async def test_it_is_started_once_the_person_has_read_what_it_may_do(
    chats: Chats, server: ScriptedServer, folder: Path
) -> None:
    async with chats.built(server, rows=40) as talk:
        talk.type("/reload-ext<enter>")
        await talk.shown("May the extension greeter do this?")
        for line in ("write all your files", "connect to any host", "add commands: greet"):
            assert line in talk.screen()
        talk.type("y")
        await talk.shown("in use: greeter")
        talk.type("/greet<enter>")
        await talk.shown("good day")
        talk.type("/ext<enter>")
        await talk.shown("greeter: runs")


async def test_a_change_is_asked_about_again_and_a_no_keeps_it_from_starting(
    chats: Chats, server: ScriptedServer, folder: Path
) -> None:
    async with chats.built(server, rows=40) as talk:
        talk.type("/reload-ext<enter>")
        await talk.shown("May the extension greeter do this?")
        talk.type("y")
        await talk.shown("in use: greeter")
        write(folder, commands=["greet"], submit=True, restore=True)
        talk.type("/reload-ext<enter>")
        await talk.shown("new: send prompts in your name")
        assert "new: undo and redo what zot changed in files, and stop commands" in talk.screen()
        talk.type("n")
        await talk.shown("extension greeter is not started")
        talk.type("/ext<enter>")
        await talk.shown("greeter: waits until you allow it")
