"""Text and what is said on standard error, where both reach the same reader: each on its own lines."""

import os
import subprocess
import sys

import pytest
from waiting import PATIENCE

from zot_provider.errors import ModelError
from zot_provider.testing import Fault, ScriptedServer, Turn

PROGRAM = """
import asyncio, sys
from zot_agent.cli.local.demo import DemoPrinter
from zot_agent.host.host import Host
from zot_agent.modes import oneshot, stream
from zot_core.conversation.driver import Conversation
from zot_core.events import Notice, TextDelta, TurnStart
from zot_core.runtime.runtime import Runtime
from zot_provider.model import Model
from zot_provider.testing import ScriptedClient, Turn

async def main():
    texts = {"notice": ["one ", "two"], "first": ["", "one two"], "lines": ["one\\n", "two\\n"]}[sys.argv[1]]
    client = ScriptedClient([Turn("".join(texts), chunk=len(texts[0]) or 99)])
    host = Host(Conversation(Runtime(Model("m", "v"), client=client)))
    def tell(event):
        if isinstance(event, TextDelta) and event.delta == texts[0]:
            host.runtime.agent.emit(Notice("info", "by the way"))
    if not texts[0]:
        host.notes.append("by the way")
    def tell_last(event):  # after the observers of the mode
        if isinstance(event, TurnStart):
            host.runtime.hooks.event.add(tell)
    host.runtime.hooks.event.add(tell_last)
    mode = sys.argv[2]
    try:
        if mode == "demo":
            return await oneshot.answer(host, "hello", DemoPrinter(), quiet=True)
        return await stream.run(host, "hello")
    finally:
        await host.close()

sys.exit(asyncio.run(main()))
"""
"""A run of a scripted model in which something is said while its text comes."""


def on_terminal(*command: str, **environment: str) -> str:
    """What a terminal shows of a command whose two streams it is; line ends as a program writes them."""
    master, slave = os.openpty()
    env = os.environ | {"TERM": "dumb"} | environment
    with subprocess.Popen(
        [sys.executable, *command], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=env
    ) as process:
        os.close(slave)
        seen = b""
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:  # Linux: the last process has closed it
                break
            if not data:
                break
            seen += data
        process.wait(PATIENCE)
    os.close(master)
    return seen.decode().replace("\r\n", "\n")


def redirected(*command: str) -> tuple[str, str]:
    """The two streams of a command, each a pipe of its own."""
    done = subprocess.run(
        [sys.executable, *command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return done.stdout, done.stderr


@pytest.mark.parametrize(
    ("turn", "complaint"),
    [
        (Turn("some text here", chunk=4, fault=Fault(after=4, cut=True)), "broke off"),
        (Turn("some text here", stop="length"), "the answer was cut off"),
        (Turn("some text here", error=ModelError("the model is tired")), "the model is tired"),
    ],
)
def test_a_complaint_stands_on_its_own_line_below_the_text(turn: Turn, complaint: str) -> None:
    with ScriptedServer([turn], repeat=True) as server:
        shown = on_terminal(
            *("-m", "zot_agent", "--stream", "--no-session", "--provider", "openai", "--retries", "0", "hello"),
            OPENAI_API_KEY="key",
            OPENAI_BASE_URL=server.base_url("openai-chat"),
        )
    text, said = shown.splitlines()
    assert text
    assert "some text here".startswith(text)
    assert said.startswith("zot: ")
    assert complaint in said
    assert shown.endswith("\n")


@pytest.mark.parametrize(
    ("when", "shown"),
    [
        ("notice", "one \nzot: by the way\ntwo\n"),
        ("lines", "one\nzot: by the way\ntwo\n"),
        ("first", "zot: by the way\none two\n"),
    ],
)
def test_a_line_is_ended_only_where_one_is_open(when: str, shown: str) -> None:
    assert on_terminal("-c", PROGRAM, when, "stream") == shown


def test_text_that_goes_elsewhere_than_complaints_gets_no_line_break() -> None:
    assert redirected("-c", PROGRAM, "notice", "stream") == ("one two\n", "zot: by the way\n")


def test_the_demo_ends_its_lines_too() -> None:
    assert on_terminal("-c", PROGRAM, "notice", "demo").startswith("\none \nzot: by the way\ntwo\n\n[")
