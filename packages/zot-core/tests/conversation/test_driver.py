"""One conversation: what runs, what waits, and what is told of it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

from zot_core.conversation.commands import Command
from zot_core.conversation.driver import Conversation, NotRunning
from zot_core.conversation.events import (
    Changed,
    ConversationEvent,
    SessionTreeMove,
    ShellEnd,
    ShellOutput,
    ShellStart,
    Undelivered,
)
from zot_core.conversation.queue import QueueFull
from zot_core.conversation.shell_command import ShellCommand
from zot_core.errors import Busy, Closed
from zot_core.events import AssistantStart, Done, ErrorEvent, Notice, TextDelta
from zot_core.runtime.runtime import Runtime
from zot_core.skills import Skill
from zot_core.templates import PromptTemplates
from zot_core.testing import PIXEL
from zot_provider.model import Model
from zot_provider.testing import Call, ScriptedClient, Turn

IMAGE = PIXEL
SLOW = Turn("word " * 100, delay=0.05)
"""An answer that a test stops."""


class Bench:
    """A conversation, and what it told."""

    def __init__(self, *answers: Any, max_queued: int = 1000, **named: Any) -> None:
        self.client = ScriptedClient(answers)
        runtime = Runtime(Model("m", "v"), client=self.client, **named)
        self.conversation = Conversation(runtime, max_queued=max_queued)
        self.events: list[ConversationEvent] = []
        self._awaited: list[tuple[type, asyncio.Event]] = []
        self.conversation.events.add(self._hear)

    def _hear(self, event: ConversationEvent) -> None:
        self.events.append(event)
        for kind, came in self._awaited:
            if isinstance(event, kind):
                came.set()

    async def told(self, kind: type) -> None:
        """Wait for the next event of this class."""
        came = asyncio.Event()
        self._awaited.append((kind, came))
        await came.wait()

    def prompt(self, *texts: str) -> list[Any]:
        return [self.conversation.prompt(text) for text in texts]

    @property
    def waiting(self) -> list[str]:
        return [each.typed for each in self.conversation.waiting]

    @property
    def asked(self) -> list[str]:
        """What the person has said, as the model reads it."""
        return [message.text for message in self.conversation.runtime.messages if message.role == "user"]

    @property
    def ends(self) -> list[str]:
        return [event.reason for event in self.events if isinstance(event, Done)]

    def of(self, *kinds: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kinds)]


@asynccontextmanager
async def bench(*answers: Any, **named: Any) -> AsyncIterator[Bench]:
    made = Bench(*answers, **named)
    async with asyncio.timeout(PATIENCE), made.conversation:
        yield made


# The queue


async def test_prompts_run_one_after_the_other() -> None:
    async with bench("1", "2", "3") as made:
        runs = made.prompt("a", "b", "c")
        assert made.conversation.busy
        assert made.conversation.running is not None
        assert made.conversation.running.typed == "a"
        assert made.waiting == ["b", "c"]
        assert [await run for run in runs] == ["completed"] * 3
        await made.conversation.idle()
        assert made.asked == ["a", "b", "c"]
        assert made.ends == ["completed"] * 3
        assert not made.conversation.busy
        assert made.conversation.running is None
        assert Changed("queue") in made.events


async def test_a_failure_does_not_keep_the_next_one_from_running() -> None:
    async with bench(Turn(error=RuntimeError("no")), "fine") as made:
        made.prompt("a", "b")
        await made.conversation.idle()
        assert made.ends == ["error", "completed"]


async def test_a_prompt_sent_at_done_runs_next() -> None:
    async with bench("1", "2") as made:

        def follow(event: ConversationEvent) -> None:
            if event == Done() and len(made.ends) == 1:
                assert not made.conversation.busy
                made.prompt("b")

        made.conversation.events.add(follow)
        made.prompt("a")
        await made.conversation.idle()
        assert made.asked == ["a", "b"]


async def test_a_waiting_prompt_keeps_its_text_and_its_images() -> None:
    async with bench("1", "2") as made:
        made.prompt("a")
        made.conversation.prompt("all of it", [IMAGE], typed="[chip]")
        (queued,) = made.conversation.waiting
        assert (queued.typed, queued.text) == ("[chip]", "all of it")
        await made.conversation.idle()
        assert made.asked == ["a", "all of it"]
        assert IMAGE in made.conversation.runtime.messages[2].content


async def test_stopping_returns_the_waiting_prompts() -> None:
    async with bench(SLOW, "next") as made:
        first, second, third = made.prompt("a", "b", "c")
        assert made.conversation.stop() == ["b", "c"]
        assert made.conversation.stop() == []
        assert made.waiting == []
        await made.conversation.idle()
        assert made.ends == ["aborted"]
        assert [await first, await second, await third] == ["aborted"] * 3
        made.prompt("d")
        await made.conversation.idle()
        assert made.asked == ["a", "d"]


async def test_stopping_returns_unread_messages_before_waiting_prompts() -> None:
    async with bench(SLOW) as made:
        made.prompt("a")
        await made.told(TextDelta)
        made.conversation.steer("hurry")
        made.conversation.follow_up("then")
        made.prompt("b")
        assert made.conversation.unread == ["hurry", "then"]
        assert made.conversation.stop() == ["hurry", "then", "b"]
        assert made.conversation.unread == []
        await made.conversation.idle()
        assert made.asked == ["a"]
        assert made.of(Undelivered) == []


async def test_after_an_interrupt_the_waiting_prompts_run() -> None:
    async with bench(SLOW, "next") as made:
        made.conversation.interrupt()
        made.prompt("a", "b")
        made.conversation.interrupt()
        await made.conversation.idle()
        assert made.ends == ["aborted", "completed"]
        assert made.asked == ["a", "b"]


async def test_the_last_waiting_prompt_is_taken_back() -> None:
    async with bench("1", "2") as made:
        assert made.conversation.take_back() is None
        *_, last = made.prompt("a", "b", "c")
        assert made.conversation.take_back() == "c"
        assert made.waiting == ["b"]
        await made.conversation.idle()
        assert await last == "aborted"
        assert made.asked == ["a", "b"]


async def test_a_prompt_that_is_cancelled_while_it_waits_never_runs() -> None:
    async with bench("1", "2") as made:
        _, second, _ = made.prompt("a", "b", "c")
        second.cancel()
        assert await second == "aborted"
        assert made.waiting == ["c"]
        await made.conversation.idle()
        assert made.asked == ["a", "c"]
        assert made.ends == ["completed"] * 2


async def test_a_prompt_that_is_cancelled_in_the_moment_of_its_turn_never_runs() -> None:
    async with bench("1", "2") as made:
        _, second, third = made.prompt("a", "b", "c")
        second.add_done_callback(third.cancel)  # is called just before the queue goes on
        assert await third == "aborted"
        await made.conversation.idle()
        assert made.asked == ["a", "b"]


async def test_a_full_queue_refuses_more() -> None:
    async with bench("1", "2", max_queued=1) as made:
        made.prompt("a", "b")
        with pytest.raises(QueueFull, match="1 prompts are waiting already"):
            made.prompt("c")
        await made.conversation.idle()
        assert made.asked == ["a", "b"]


async def test_a_prompt_that_cannot_start_is_an_error_and_ends() -> None:
    async with bench(SLOW) as made:
        first, second = made.prompt("a", "b")
        await made.conversation.runtime.close()
        assert [await first, await second] == ["aborted", "error"]
        assert made.ends == ["aborted", "error"]
        (error,) = made.of(ErrorEvent)
        assert "closed" in error.message
        with pytest.raises(Closed):
            made.prompt("c")


async def test_a_run_tells_its_own_events_even_if_it_waits() -> None:
    async with bench("1", "2") as made:
        _, second = made.prompt("a", "b")
        events = [event async for event in second]
        assert [event.delta for event in events if isinstance(event, TextDelta)] == ["2"]
        assert events[-1] == Done()


# Messages into the work


async def test_only_a_prompt_that_is_being_answered_can_be_steered() -> None:
    async with bench("1") as made:
        for say in (made.conversation.steer, made.conversation.follow_up):
            with pytest.raises(NotRunning, match="send it as a prompt"):
                say("hey")
        made.conversation.shell(ShellCommand("true"))
        with pytest.raises(NotRunning):
            made.conversation.steer("hey")
        await made.conversation.idle()
        made.prompt("a")
        made.conversation.steer("also")
        made.client.add("2")
        await made.conversation.idle()
        assert made.asked[0].endswith("a")
        assert made.asked[1:] == ["also"]


async def test_a_follow_up_belongs_to_the_running_prompt_and_comes_before_waiting_prompts() -> None:
    async with bench(Turn(calls=[Call("bash", {"command": "true"})]), "1", "2", "3") as made:
        made.prompt("a", "b")
        made.conversation.follow_up("more")
        made.conversation.steer("hurry", [IMAGE])
        await made.conversation.idle()
        assert made.asked == ["a", "hurry", "more", "b"]
        assert len(made.ends) == 2


async def test_unread_messages_are_reported_as_undelivered_before_done() -> None:
    async with bench(SLOW) as made:
        made.prompt("a")
        await made.told(TextDelta)
        made.conversation.steer("hurry")
        made.conversation.interrupt()
        await made.conversation.idle()
        assert made.of(Undelivered, Done) == [Undelivered(["hurry"]), Done("aborted")]
        assert made.conversation.unread == []


# Compactions and shell commands


async def test_a_compaction_takes_its_turn_and_cannot_be_steered() -> None:
    async with bench("1") as made:
        made.prompt("a")
        run = made.conversation.compact()
        await made.told(Done)
        assert made.conversation.busy
        with pytest.raises(NotRunning):
            made.conversation.steer("hey")
        assert await run == "error"
        await made.conversation.idle()
        assert made.ends == ["completed", "error"]


async def test_shell_commands_take_their_turn_and_their_output_goes_with_the_next_prompt() -> None:
    async with bench("1", "2", "3") as made:
        made.prompt("a")
        for command in (ShellCommand("echo first"), ShellCommand("echo second; exit 3")):
            made.conversation.shell(command)
        made.conversation.shell(ShellCommand("echo secret", in_context=False), typed="!!echo secret")
        made.prompt("b", "c")
        assert made.waiting == ["!echo first", "!echo second; exit 3", "!!echo secret", "b", "c"]
        assert made.of(ShellStart) == []
        await made.conversation.idle()
        assert [event.command.command.split()[1] for event in made.of(ShellStart)] == ["first", "second;", "secret"]
        assert [event.result.display.exit_code for event in made.of(ShellEnd)] == [0, 3, 0]
        assert "first\n" in "".join(event.text for event in made.of(ShellOutput))
        assert made.asked[0] == "a"
        assert all(word in made.asked[1] for word in ("first", "second", "b"))
        assert "secret" not in made.asked[1]
        assert made.asked[2:] == ["c"]
        assert made.conversation.runtime.messages[2].display_text == "b"


async def test_a_shell_command_is_stopped() -> None:
    async with bench("1") as made:
        run = made.conversation.shell(ShellCommand("echo here; sleep 100"))
        await made.told(ShellOutput)
        made.conversation.stop()
        assert await run == "aborted"
        assert [event.result.stopped for event in made.of(ShellEnd)] == [True]
        made.prompt("a")
        await made.conversation.idle()
        assert "[stopped by the user]" in made.asked[0]


async def test_output_of_a_shell_command_does_not_outlive_its_conversation() -> None:
    async with bench("1") as made:
        made.conversation.shell(ShellCommand("echo here"))
        await made.conversation.idle()
        made.conversation.clear()
        assert made.events[-1] == SessionTreeMove("", "")
        made.prompt("a")
        await made.conversation.idle()
        assert made.asked == ["a"]


# Settings and skills


async def test_settings_require_an_idle_conversation_and_are_reported() -> None:
    async with bench("1") as made:
        conversation = made.conversation
        made.prompt("a")
        with pytest.raises(Busy):
            conversation.set_model("n")
        with pytest.raises(Busy):
            conversation.set_reasoning("low")
        with pytest.raises(Busy):
            conversation.clear()
        await conversation.idle()
        made.events.clear()
        assert conversation.set_model("n").id == "n"
        conversation.set_reasoning("low")
        assert made.events == [Changed("settings")] * 2
        env = conversation.runtime.agent.context.env
        assert (env["ZOT_MODEL"], env["ZOT_REASONING_LEVEL"]) == ("n", "low")


async def test_a_prompt_that_names_a_skill_sends_its_text_whatever_the_case(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text("---\nname: review\ndescription: d\n---\nLook closely.\n")
    skill = Skill("review", "d", str(tmp_path / "SKILL.md"), str(tmp_path), "user")

    async with bench("1", "2", skills=[skill]) as made:
        made.prompt("/skill:review the last commit")
        made.prompt("/Skill:Review it")
        await made.conversation.idle()
        assert ["Look closely." in text for text in made.asked] == [True, True]
        assert made.asked[0].endswith("the last commit")


async def test_a_prompt_that_names_an_unknown_skill_is_an_error_and_a_path_is_text() -> None:
    async with bench("1") as made:
        made.prompt("/skill:nonsuch")
        await made.conversation.idle()
        (error,) = made.of(ErrorEvent)
        assert error.message.startswith("unknown skill 'nonsuch'")
        made.prompt("/etc/hosts")
        await made.conversation.idle()
        assert made.asked == ["/etc/hosts"]
        assert len(made.of(AssistantStart)) == 1


async def test_an_interrupt_with_a_text_answers_that_before_waiting_prompts() -> None:
    async with bench(SLOW, "at once", "later") as it:
        first, waits = it.prompt("a long one", "it can wait")
        await it.told(TextDelta)
        urgent = it.conversation.interrupt("quick: what time is it?")
        assert urgent is not None
        assert (await first, await urgent, await waits) == ("aborted", "completed", "completed")
        assert it.asked == ["a long one", "quick: what time is it?", "it can wait"]


async def test_an_interrupt_of_an_idle_conversation_is_a_prompt() -> None:
    async with bench("well") as it:
        assert it.conversation.interrupt() is None
        run = it.conversation.interrupt("hi")
        assert run is not None
        assert await run == "completed"


async def test_a_steering_message_is_no_longer_unread_once_the_model_has_read_it() -> None:
    seen: list[list[str]] = []

    async with bench(Turn("one", chunk=1, delay=0.01), "two") as it:
        it.conversation.events.add(
            lambda event: seen.append(it.conversation.unread) if event == Changed("queue") else None
        )
        (run,) = it.prompt("go")
        await it.told(TextDelta)
        it.conversation.steer("and this")
        await run

    assert ["and this"] in seen
    assert seen[-1] == []


async def test_children_of_tools_know_the_agent_as_it_is_now(tmp_path: Path) -> None:
    names = ("ZOT_PROVIDER", "ZOT_MODEL", "ZOT_REASONING_LEVEL", "ZOT_SESSION_ID", "ZOT_CHILD_SESSION")
    shown = Call("bash", {"command": " ".join(f'echo "{name}=${name}";' for name in names)})

    async with bench(*[Turn(calls=[shown]), "ok"] * 3, session=tmp_path / "s.jsonl", cwd=tmp_path) as it:
        conversation = it.conversation

        async def environment() -> dict[str, str]:
            await conversation.prompt("look")
            results = [message for message in conversation.runtime.messages if message.role == "tool"]
            lines = str(results[-1].content[0].content[0].text).splitlines()  # type: ignore[union-attr]
            return dict(line.split("=", 1) for line in lines if line.startswith("ZOT_"))

        assert await environment() == dict(zip(names, ("v", "m", "off", "s", "1"), strict=True))
        conversation.set_model("other")
        conversation.set_reasoning("high")
        await conversation.new_session()
        fresh = conversation.runtime.state.session_id
        assert fresh != "s"
        assert await environment() == dict(zip(names, ("v", "other", "high", fresh, "1"), strict=True))
        conversation.runtime.agent.model = Model("third", "w")  # whoever changes it, by whatever way
        assert (await environment())["ZOT_MODEL"] == "third"


async def test_text_that_a_hook_may_replace_is_deferred() -> None:
    async with bench("secret", "plain") as it:
        deferred: list[bool] = []
        guarded = True
        it.conversation.events.add(
            lambda event: deferred.append(it.conversation.text_deferred) if isinstance(event, TextDelta) else None
        )
        it.conversation.runtime.hooks.assistant_message.add(lambda text: text.upper(), lambda: guarded)
        await it.conversation.prompt("one")
        guarded = False
        await it.conversation.prompt("two")
        assert deferred == [True, False]


TEMPLATE = "---\ndescription: says hello\nargument-hint: <name>\n---\nSay hello to $1.\n"


def templates_in(folder: Path, **texts: str) -> PromptTemplates:
    """The templates of a home folder."""
    (folder / "prompts").mkdir()
    for name, text in texts.items():
        (folder / "prompts" / f"{name}.md").write_text(text)
    return PromptTemplates(str(folder), str(folder))


async def test_a_prompt_that_names_a_template_sends_its_text_with_the_arguments(tmp_path: Path) -> None:
    async with bench("1", "2", templates=templates_in(tmp_path, greet=TEMPLATE)) as made:
        await made.conversation.prompt("/greet 'the whole world'")
        assert await made.conversation.run_command("/Greet", "Ann") == "prompt"
        await made.conversation.idle()
        assert made.asked == ["Say hello to the whole world.", "Say hello to Ann."]
        shown = [message.display_text for message in made.conversation.runtime.messages if message.role == "user"]
        assert shown == ["/greet 'the whole world'", "/Greet Ann"]


async def test_a_template_that_names_itself_or_another_is_not_expanded_again(tmp_path: Path) -> None:
    templates = templates_in(tmp_path, loop="/loop $ARGUMENTS", other="/greet $1", greet=TEMPLATE)
    async with bench("1", "2", templates=templates) as made:
        made.prompt("/loop $1 again", "/other /greet")
        await made.conversation.idle()
        assert made.asked == ["/loop $1 again", "/greet /greet"]


async def test_a_template_that_cannot_be_used_is_an_error_and_nothing_is_sent(tmp_path: Path) -> None:
    async with bench(templates=templates_in(tmp_path, broken="---\nno end", huge="x" * 10_000_000)) as made:
        made.prompt("/broken", "/huge now")
        await made.conversation.idle()
        broken, huge = made.of(ErrorEvent)
        assert broken.message.startswith(f"/broken: {tmp_path}/prompts/broken.md:1: the front matter has no end")
        assert huge.message == f"/huge: {tmp_path}/prompts/huge.md:1: it is longer than 64 KiB"
        assert made.asked == []


async def test_templates_are_listed_with_their_hints_and_what_is_left_out_is_said_once(tmp_path: Path) -> None:
    files = {"greet": TEMPLATE, "bad": "---\nno end", "Help": "My own help.", "review": "My own review."}
    async with bench(templates=templates_in(tmp_path, **files)) as made:
        conversation = made.conversation
        conversation.reserve_commands({"help"})
        assert conversation.commands == []
        await conversation.ready()
        await conversation.list_templates()
        listed = {each.name: each for each in conversation.commands}
        assert sorted(listed) == ["greet", "init", "review"]
        path = str(tmp_path / "prompts" / "greet.md")
        assert listed["greet"] == Command("prompts", "greet", "says hello", "template", "<name>", path)
        assert listed["review"].description == "My own review."
        folder = tmp_path / "prompts"
        assert [event.message for event in made.of(Notice)] == [
            f"{folder}/bad.md:1: the front matter has no end: a line --- is missing; it is left out",
            f"{folder}/Help.md: /Help is a command of zot; it is left out",
        ]


async def test_a_template_that_comes_later_counts_at_once(tmp_path: Path) -> None:
    async with bench("1", templates=templates_in(tmp_path)) as made:
        assert made.conversation.find_command("late") is None
        (tmp_path / "prompts" / "late.md").write_text("Better late.")
        found = made.conversation.find_command("Late")
        assert found is not None
        assert (found.name, found.kind) == ("late", "template")
        await made.conversation.prompt("/late than never")
        assert made.asked == ["Better late.\n\nthan never"]
