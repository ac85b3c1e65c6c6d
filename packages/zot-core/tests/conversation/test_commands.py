"""Slash commands of a conversation: those of extensions, of which the host is a fake."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_core.conversation.commands import (
    Command,
    CommandAnswer,
    CommandError,
    CommandRefused,
    is_command_name,
    read_command,
)
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import Changed, ConversationEvent, Display, ExtensionEvent, Insert, Submit
from zot_core.errors import Refused
from zot_core.events import ErrorEvent, Notice
from zot_core.hooks import Observe, UserInput
from zot_core.runtime.runtime import Runtime
from zot_core.skills import Skill
from zot_core.templates import PromptTemplates
from zot_provider.model import Model
from zot_provider.testing import Call, ScriptedClient, Turn


class Host:
    """A host of one extension, whose commands answer as their names say."""

    def __init__(self) -> None:
        self.events: Observe[ExtensionEvent] = Observe()
        self.waited = 0

    @property
    def commands(self) -> Sequence[Command]:
        names = ("display", "insert", "prompt", "refuse")
        return [Command("ext", name, f"does {name}") for name in names]

    async def ready(self) -> None:
        self.waited += 1

    async def run_command(self, name: str, args: str = "") -> CommandAnswer:
        if name.lower() == "refuse":
            raise CommandRefused("not now")
        action: Any = name.lower()
        return CommandAnswer("ext", action, f"text of {args or name}")


class World:
    """A conversation with an extension, and its events."""

    def __init__(self, *answers: Any, **options: Any) -> None:
        self.client = ScriptedClient(answers)
        self.runtime = Runtime(Model("m", "v"), client=self.client, **options)
        self.conversation, self.host = Conversation(self.runtime), Host()
        self.events: list[ConversationEvent] = []
        self.conversation.events.add(self.events.append)
        self.conversation.attach(self.host)
        self.conversation.attach(self.host)  # counts once

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    async def say(self, text: str) -> str:
        async with asyncio.timeout(PATIENCE):
            return await self.conversation.prompt(text)

    @property
    def asked(self) -> list[str]:
        """What the person has said, as the model reads it."""
        return [message.text for message in self.runtime.messages if message.role == "user"]


async def test_commands_of_extensions_are_listed_and_found_in_any_case() -> None:
    async with (world := World()).conversation as conversation:
        await conversation.ready()
        assert {"display", "insert", "prompt", "refuse"} <= {each.name for each in conversation.commands}
        assert conversation.find_command("DISPLAY") is not None
        assert conversation.find_command("nothing") is None
        assert world.host.waited == 1
        conversation.extensions_changed()
        assert world.of(Changed)[-1] == Changed("extensions")


async def test_a_command_beside_the_queue_shows_inserts_or_sends() -> None:
    async with (world := World("ok")).conversation as conversation:
        assert await conversation.run_command("/display", "it") == "display"
        assert await conversation.run_command("insert") == "insert"
        assert world.of(Display) == [Display("ext", "text of it")]
        assert world.of(Insert) == [Insert("ext", "text of insert")]
        assert await conversation.run_command("prompt", "more") == "prompt"
        await conversation.idle()
        assert [each.text for each in world.of(Submit)] == ["text of more"]
    assert world.asked == ["text of more"]


async def test_a_prompt_that_is_a_command_runs_it() -> None:
    async with (world := World("ok")).conversation:
        assert await world.say("/display it") == "completed"
        assert await world.say("/prompt it") == "completed"
        assert await world.say("/refuse") == "error"
    assert world.asked == ["text of it"]
    assert [each.message for each in world.of(ErrorEvent)] == ["/refuse: extension ext: not now"]


async def test_a_prompt_of_an_extension_may_be_refused() -> None:
    async with (world := World()).conversation as conversation:
        conversation.actions = conversation.actions.replace(refusal=lambda: "a dialog is open")
        world.host.events.notify(Submit("ext", "go"))
        assert world.of(Submit) == [Submit("ext", "go", refused="a dialog is open")]
        await conversation.idle()
    assert world.asked == []


async def test_without_extensions_a_command_is_unknown() -> None:
    async with Conversation(Runtime(Model("m", "v"), client=ScriptedClient([]))) as conversation:
        with pytest.raises(CommandError, match="there is no command /nothing"):
            await conversation.run_command("nothing")


async def test_a_skill_and_a_template_are_commands(tmp_path: Path) -> None:
    folder = tmp_path / "skills" / "tidy"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: tidy\ndescription: d\n---\nTidy up.\n")
    prompts = tmp_path / "home" / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "fix.md").write_text("Fix $1.")
    (prompts / "display.md").write_text("Hidden by the extension.")
    templates = PromptTemplates(str(tmp_path), str(tmp_path / "home"))
    skill = Skill("tidy", "d", str(folder / "SKILL.md"), str(folder), "user")
    world = World("one", "two", templates=templates, skills=[skill])
    async with world.conversation as conversation:
        await conversation.ready()
        assert conversation.find_command("skill:TIDY") is not None
        assert conversation.find_command("fix") is not None
        await world.say("/skill:tidy now")
        assert await conversation.run_command("fix", "it") == "prompt"
        await conversation.idle()
    assert "Tidy up." in world.asked[0]
    assert world.asked[1] == "Fix it."
    assert [each for each in world.of(Notice) if "is a command of extension ext" in each.message]


async def test_messages_for_a_running_prompt_pass_the_hooks_of_input() -> None:
    world = World(Turn(calls=[Call("ls", {})]), "one", "two")

    async def change(given: UserInput) -> UserInput:
        match given.text:
            case "refused":
                raise Refused("no")
            case "handled":
                return given.replace(handled=True)
            case "changed":
                return given.replace(text="other words", changed_by="ext")
        return given

    def steer(event: ConversationEvent) -> None:
        if getattr(event, "type", "") == "tool_start":
            for text in ("refused", "handled", "changed", "plain"):
                world.conversation.steer(text)
            world.conversation.follow_up("later")

    world.runtime.hooks.input.add(change)
    world.conversation.events.add(steer)
    async with world.conversation:
        await world.say("go")
    assert world.asked == ["go", "other words", "plain", "later"]
    assert [each.message for each in world.of(Notice)] == ["not sent: no"]


async def test_a_message_that_is_made_interrupts() -> None:
    world = World(Turn("word " * 100, delay=0.05), "answered")
    async with world.conversation as conversation:
        stopped = conversation.prompt("go")
        async with asyncio.timeout(PATIENCE):
            async for event in stopped:
                if event.type == "text_delta":
                    break
            message = world.runtime.messages[0].replace(content=[], id="")
            await conversation.send(message.replace(display_text="now"), interrupt=True)
            assert await stopped == "aborted"


GRAMMAR = re.compile(
    r"/(?P<name>[A-Za-z0-9_-][A-Za-z0-9_.-]*(?::[A-Za-z0-9_.:-]+)?)(?:\s+(?P<args>.*))?", flags=re.DOTALL
)


@given(st.text("/ab:.-_9é \t\n\u2003\x1f", max_size=12) | st.text(max_size=8).map("/".__add__))
def test_a_slash_command_is_what_its_grammar_says(text: str) -> None:
    found = GRAMMAR.fullmatch(text.strip())
    expected = None if found is None else (found["name"], (found["args"] or "").strip())
    assert read_command(text) == expected
    assert expected is None or is_command_name(expected[0])
