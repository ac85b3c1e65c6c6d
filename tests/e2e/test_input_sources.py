"""What an extension learns about where a prompt comes from, on each front end."""

import subprocess
import sys
from pathlib import Path

import pytest
from acp_talk import open_talk
from command import Zot
from extension_folder import write_extension
from pty_screen import PtyScreen
from rpc_talk import Talk

from zot_provider.testing import ScriptedServer

BODY = """
from zot_ext import InputDecision

@ext.intercept('input')
def tell(given):
    who = ' of ' + given.extension if given.extension else ''
    return InputDecision(text=f'{given.text}, {given.deliver_as}, from {given.source}{who}')

@ext.command('send')
def send(text):
    ext.messages.send(text, expand=True)
"""
GROUPS = "capabilities=('messages',)"


@pytest.fixture
def teller(zot: Zot) -> Path:
    return write_extension(zot.cwd.parent / "teller", BODY, more=GROUPS)


def heard(server: ScriptedServer) -> str:
    """What the model has read last."""
    return str(server.requests[-1].body["messages"][-1]["content"])


@pytest.mark.parametrize(("flag", "source"), [("-p", "print"), ("--stream", "stream"), ("--json", "json")])
def test_a_prompt_of_the_command_line_names_its_mode(
    zot: Zot, server: ScriptedServer, teller: Path, flag: str, source: str
) -> None:
    server.add("ok")
    assert zot.ask(server, flag, "go", "--ext", str(teller)).code == 0
    assert heard(server) == f"go, prompt, from {source}"


def test_a_prompt_typed_on_the_screen_comes_from_the_screen(zot: Zot, server: ScriptedServer, teller: Path) -> None:
    server.add("answer one")
    command = [sys.executable, "-m", "zot_agent", *zot.at(server), "--ext", str(teller)]
    environment = {**zot.env, "TERM": "xterm-256color"}
    with PtyScreen(command, columns=80, rows=24, environment=environment, cwd=str(zot.cwd)) as pty:
        pty.wait_for("ask, or / for commands")
        pty.type("go\r")
        pty.wait_for("answer one")
        pty.type("\x04")
        pty.wait_end()
    assert heard(server) == "go, prompt, from tui"


def test_a_message_of_an_extension_is_not_that_of_a_client(zot: Zot, server: ScriptedServer, teller: Path) -> None:
    server.add("one", "two")
    command = [*zot.command, "rpc", *zot.at(server), "--ext", str(teller)]
    with Talk(command, cwd=zot.cwd, env=zot.env, stderr=subprocess.PIPE) as talk:
        talk.send({"id": "1", "type": "prompt", "message": "go"})
        talk.until("done")
        assert heard(server) == "go, prompt, from rpc"
        talk.send({"id": "2", "type": "control.run", "name": "send", "args": "go on"})
        talk.until("done")
    assert heard(server) == "go on, prompt, from extension of teller"


async def test_a_prompt_of_an_editor_comes_from_acp(zot: Zot, server: ScriptedServer, teller: Path) -> None:
    server.add("ok")
    async with open_talk(zot, *zot.at(server), "--ext", str(teller)) as talk:
        await talk.prompt(await talk.begin(zot), "go")
    assert heard(server) == "go, prompt, from acp"
