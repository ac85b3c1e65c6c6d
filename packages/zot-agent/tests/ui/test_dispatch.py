"""Slash commands by their names."""

import asyncio
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from waiting import PATIENCE

from zot_agent.host.host import Host
from zot_agent.ui.commands import MODULES, slash_commands
from zot_agent.ui.dispatch import CommandDispatcher
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import ConversationEvent, SessionStart, SessionTreeMove
from zot_core.runtime.runtime import Runtime
from zot_provider.errors import UnknownName
from zot_provider.model import Model
from zot_provider.testing import ScriptedClient, Turn
from zot_provider.testing.turn import Answer


class Stage:
    """A chat that remembers what it was asked for, with the conversation of a real host."""

    def __init__(self, *answers: Answer) -> None:
        self.conversation = Conversation(Runtime(Model("m", "v"), client=ScriptedClient(answers)))
        self.conversation.events.add(self._hear)
        self.host = Host(self.conversation)
        self.notes: list[tuple[str, str]] = []
        self.log: list[str] = []
        chat: Any = self
        self.dispatch = CommandDispatcher(chat)

    def _hear(self, event: ConversationEvent) -> None:
        if isinstance(event, SessionStart | SessionTreeMove):
            self.log.append(f"conversation of {len(self.host.runtime.messages)}")

    def note(self, text: str, level: str = "info") -> None:
        self.notes.append((text, level))

    def refresh(self) -> None:
        self.log.append("refresh")

    def send(self, text: str) -> None:
        self.conversation.prompt(text)

    def stop(self) -> None:
        self.log.append("stop")
        self.conversation.stop()

    @property
    def app(self) -> Any:
        return SimpleNamespace(exit=lambda: self.log.append("exit"))

    async def settled(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while not self.log or self.log[-1] != "refresh":
                await asyncio.sleep(0.005)


@pytest.mark.parametrize("typed", ["/etc/hosts", "/", "no command", "/a.b", "//", "/ help", "/tmp/x y", "/ünï"])
async def test_what_is_no_command_goes_to_the_model(typed: str) -> None:
    assert not Stage().dispatch.start(typed)


async def test_names_are_found_in_any_case_and_unknown_ones_are_errors() -> None:
    stage = Stage()
    assert stage.dispatch.start("  /EXIT  ")
    await stage.settled()
    assert stage.log == ["exit", "refresh"]
    with pytest.raises(UnknownName, match="did you mean /exit"):
        stage.dispatch.start("/exiit")
    with pytest.raises(UnknownName, match="unknown skill 'nonsuch'"):
        stage.dispatch.start("/skill:nonsuch")


async def test_one_that_cannot_run_beside_work_stops_it_and_waits_for_its_end() -> None:
    stage = Stage(Turn("word " * 100, delay=0.02))
    stage.send("go")
    await asyncio.sleep(0)
    assert stage.dispatch.start("/clear")
    await stage.settled()
    assert stage.log == ["stop", "conversation of 0", "refresh"]
    assert not stage.conversation.busy


async def test_one_that_waits_is_sent_after_the_work() -> None:
    stage = Stage("one", "two")
    stage.send("go")
    assert stage.dispatch.start("/study")
    await stage.settled()
    await stage.conversation.idle()
    asked = [message.text for message in stage.host.runtime.messages if message.role == "user"]
    assert asked[0] == "go"
    assert asked[1].startswith("Get to know the project")


async def test_what_goes_wrong_is_told() -> None:
    stage = Stage()

    async def broken() -> None:
        raise RuntimeError("a wheel came off")

    stage.dispatch.begin(broken())
    await stage.settled()
    assert stage.notes == [
        ("this is a bug in zot, please report it: unexpected RuntimeError: a wheel came off", "error")
    ]
    stage.log.clear()
    stage.dispatch.start("/reasoning nonsuch")
    await stage.settled()
    assert stage.notes[1][0].startswith("unknown reasoning 'nonsuch'")


def test_every_command_says_what_it_does_in_a_line() -> None:
    assert list(slash_commands()) == [each.name for module in MODULES for each in import_module(module).COMMANDS]
    for command in slash_commands().values():
        assert command.help
        assert len(command.name) + len(command.arguments) < 31
        assert len(command.help) <= 60
