"""One thing at a time, what waits behind it, and the words for it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from zot_agent.host import Host
from zot_agent.ui.shell_escape import Escape, Ran
from zot_agent.ui.work import Doing, Waiting, Work
from zot_core.events import (
    AgentEvent,
    AssistantStart,
    CompactDone,
    CompactStart,
    Done,
    ReasoningDelta,
    RunEnd,
    TextDelta,
    ToolCall,
    ToolOutput,
    ToolProgress,
    ToolStart,
    ToolUseArgs,
    ToolUseEnd,
    ToolUseStart,
    TurnEnd,
    TurnStart,
)
from zot_core.runtime import Runtime
from zot_provider.model import Model
from zot_provider.testing import ScriptedClient, Turn


class Bench:
    """Work of a host, and what it told."""

    def __init__(self, *answers: Any) -> None:
        self.client = ScriptedClient(answers)
        self.host = Host(Runtime(Model("m", "v"), client=self.client))
        self.ends: list[RunEnd] = []
        self.begun: list[str] = []
        self.ran: list[Ran] = []
        self.printed = asyncio.Event()
        self.work = Work(
            self.host,
            changed=lambda: None,
            ended=self.ends.append,
            runs=lambda escape: self.begun.append(escape.command),
            printed=lambda _: self.printed.set(),
            ran=self.ran.append,
        )

    def say(self, *texts: str) -> None:
        for text in texts:
            self.work.submit(Waiting(text, text))

    def run(self, command: str) -> None:
        self.work.submit(Waiting(f"!{command}", f"!{command}", escape=Escape(command)))

    def asked(self) -> list[str]:
        return [message.text for message in self.host.runtime.messages if message.role == "user"]


def bench(*answers: Any) -> Callable[[Callable[[Bench], Coroutine[Any, Any, None]]], None]:
    """Runs what it decorates with a bench."""

    def decorate(use: Callable[[Bench], Coroutine[Any, Any, None]]) -> None:
        async def main() -> None:
            made = Bench(*answers)
            try:
                async with asyncio.timeout(60):
                    await use(made)
            finally:
                await made.host.close()

        asyncio.run(main())

    return decorate


def test_prompts_run_one_after_the_other() -> None:
    @bench("1", "2", "3")
    async def _(made: Bench) -> None:
        made.say("a", "b", "c")
        assert made.work.busy
        assert [each.typed for each in made.work.waiting] == ["b", "c"]
        assert made.work.prompt == "a"
        await made.work.idle()
        assert made.asked() == ["a", "b", "c"]
        assert made.ends == ["completed"] * 3
        assert not made.work.busy


def test_a_failure_does_not_keep_the_next_one_from_running() -> None:
    @bench(Turn(error=RuntimeError("no")), "fine")
    async def _(made: Bench) -> None:
        made.say("a", "b")
        await made.work.idle()
        assert made.ends == ["error", "completed"]


def test_stopping_gives_back_what_waited() -> None:
    @bench(Turn("word " * 100, delay=0.05), "next")
    async def _(made: Bench) -> None:
        made.say("a", "b", "c")
        assert [each.typed for each in made.work.stop()] == ["b", "c"]
        assert made.work.stop() == []
        await made.work.idle()
        assert made.ends == ["aborted"]
        made.say("d")
        await made.work.idle()
        assert made.asked()[-1] == "d"


def test_the_last_one_that_waits_can_be_taken_back() -> None:
    @bench("1", "2")
    async def _(made: Bench) -> None:
        assert made.work.recall() is None
        made.say("a", "b", "c")
        taken = made.work.recall()
        assert taken is not None
        assert taken.typed == "c"
        await made.work.idle()
        assert made.asked() == ["a", "b"]


def test_shell_commands_take_their_turn_and_their_output_goes_with_the_next_prompt() -> None:
    @bench("1", "2")
    async def _(made: Bench) -> None:
        made.say("a")
        made.run("echo first")
        made.run("echo second; exit 3")
        made.say("b")
        assert made.begun == []
        await made.work.idle()
        assert made.begun == ["echo first", "echo second; exit 3"]
        assert [ran.display.exit_code for ran in made.ran if ran.display] == [0, 3]
        assert made.asked()[0] == "a"
        assert all(word in made.asked()[1] for word in ("first", "second", "b"))
        assert len(made.asked()) == 2


def test_a_shell_command_is_stopped() -> None:
    @bench()
    async def _(made: Bench) -> None:
        made.run("echo here; sleep 100")
        await made.printed.wait()
        made.work.stop()
        await made.work.idle()
        assert [ran.stopped for ran in made.ran] == [True]


def test_only_work_on_a_prompt_can_be_steered() -> None:
    @bench("1")
    async def _(made: Bench) -> None:
        assert not made.work.steer("hey")
        made.run("sleep 0.05")
        assert not made.work.steer("hey")
        await made.work.idle()
        made.say("a")
        assert made.work.steer("also")
        made.client.add("2")
        await made.work.idle()
        assert made.asked()[0].endswith("a")
        assert made.asked()[1:] == ["also"]


def test_a_compaction_is_work_too() -> None:
    @bench()
    async def _(made: Bench) -> None:
        run = made.work.compact()
        assert made.work.busy
        assert not made.work.steer("hey")
        await asyncio.wait([run.task])
        await made.work.idle()
        assert made.ends == ["error"]


def said(*events: AgentEvent) -> list[str]:
    """The labels that came, one for each change."""
    doing = Doing()
    return [doing.label for event in events if doing.follow(event)]


def ended(id: str) -> ToolOutput:
    return ToolOutput(id, "read", is_error=False, content=[], arguments="{}")


def test_a_run_thinks_then_answers_then_calls_then_runs() -> None:
    assert said(
        TurnStart(1), AssistantStart(), ReasoningDelta("hm"), ReasoningDelta("hm"), TextDelta("I "), TextDelta("look."),
        ToolUseStart("1", "read"), ToolUseArgs("1", '{"pa'), ToolUseArgs("1", 'th": "a"}'), ToolUseEnd("1"),
        ToolUseStart("2", "bash"), ToolUseEnd("2"), ToolCall("1", "read", "{}"), ToolCall("2", "bash", "{}"),
        TurnEnd("tool_use"), ToolStart("1", "read"), ended("1"), ToolStart("2", "bash"), ToolProgress("2", "x"),
        ended("2"), TurnStart(2), AssistantStart(), TextDelta("Done."), TurnEnd("end_turn"), Done(),
    ) == [
        "thinking", "answering", "calling read", "calling bash", "running read", "running bash", "thinking",
        "answering", "",
    ]  # fmt: skip


def test_calls_side_by_side_are_counted_until_one_is_left() -> None:
    assert said(
        ToolStart("1", "read"), ToolStart("2", "read"), ToolStart("3", "ls"), ended("2"), ended("1"), ended("3")
    ) == ["running read", "running 2 calls", "running 3 calls", "running 2 calls", "running ls"]


def test_a_call_that_was_refused_leaves_what_is_said_as_it_is() -> None:
    assert said(ToolUseStart("1", "bash"), ended("1"), TurnStart(2)) == ["calling bash", "thinking"]


def test_every_run_begins_with_a_word_of_its_own_even_if_calls_of_the_last_one_never_ended() -> None:
    assert said(TurnStart(1), ToolStart("1", "bash"), Done("error"), TurnStart(1), ToolStart("1", "ls")) == [
        "thinking", "running bash", "", "thinking", "running ls",
    ]  # fmt: skip


def test_a_compaction_within_a_run_is_told_and_over_when_the_model_is_asked_again() -> None:
    assert said(
        TurnStart(1), AssistantStart(), CompactStart("overflow", 9, 9000), CompactDone("short"), AssistantStart()
    ) == ["thinking", "summarising the conversation", "thinking"]
