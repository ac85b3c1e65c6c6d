import asyncio
import logging
import threading
from typing import Any, ClassVar

import pytest

from zot_core.agent import Agent, user_message
from zot_core.confirm import confirm_gate
from zot_core.errors import Refused, SessionError, ToolError
from zot_core.events import AgentEvent, Done, ToolCall, ToolProgress, ToolResultEvent, ToolStart
from zot_core.hooks import Refusal, ToolOutcome, ToolRequest
from zot_core.result import ToolResult
from zot_core.testing import make_agent, record, run_to_end
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import Tool, tool
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.testing import Call, ScriptedClient, Turn


@tool
async def echo(text: str) -> str:
    return text


def calling(*calls: Call, tools: tuple[Tool, ...] = (echo,)) -> Agent:
    return make_agent(ScriptedClient([Turn("text", calls=list(calls)), "ok"]), *tools)


def results(events: list[AgentEvent]) -> list[tuple[str, bool]]:
    """Text and error flag of each result, as told."""
    return [
        ("".join(block.text for block in event.content if isinstance(block, TextBlock)), event.is_error)
        for event in events
        if isinstance(event, ToolResultEvent)
    ]


def read_by_model(agent: Agent) -> list[ToolResultBlock]:
    (message,) = [message for message in agent.history.messages if message.role == "tool"]
    return [block for block in message.content if isinstance(block, ToolResultBlock)]


def test_the_model_reads_the_results_that_are_reported() -> None:
    agent = calling(Call("echo", {"text": "a"}), Call("echo", {}))

    events = run_to_end(agent, "hi")

    told = [event for event in events if isinstance(event, ToolResultEvent)]
    assert [event.arguments for event in told] == ['{"text": "a"}', "{}"]
    assert read_by_model(agent) == [ToolResultBlock(event.id, event.content, event.is_error) for event in told]


def test_an_unknown_tool_is_an_error_that_names_the_tools_there_are() -> None:
    agent = calling(Call("reed", {}))

    assert results(run_to_end(agent, "hi")) == [('unknown tool "reed"; the tools are: echo', True)]


@pytest.mark.parametrize("args", ['{"text": ', "[1]", '"text"', "nonsense"])
def test_broken_arguments_fail_the_call_without_asking_anybody(args: str) -> None:
    asked: list[object] = []
    agent = calling(Call("echo", args))
    agent.hooks.tool_call.add(asked.append)
    agent.hooks.tool_run.add(asked.append)

    events = run_to_end(agent, "hi")

    ((text, is_error),) = results(events)
    assert is_error
    assert text.startswith("the arguments of echo are not valid JSON (")
    assert asked == []
    assert [event.arguments for event in events if isinstance(event, ToolCall)] == [args]
    assert [event.arguments for event in events if isinstance(event, ToolResultEvent)] == [None]


def test_no_arguments_at_all_are_an_empty_object() -> None:
    @tool
    async def ping() -> str:
        return "pong"

    assert results(run_to_end(calling(Call("ping", ""), tools=(ping,)), "hi")) == [("pong", False)]


def test_execution_gets_the_rewritten_arguments_and_everybody_else_the_model_s_own() -> None:
    agent = calling(Call("echo", '{"text":"rm"}'))
    agent.hooks.tool_call.add(lambda call: call.replace(arguments={"text": "ls"}))
    agent.hooks.tool_call.add(lambda call: call.replace(arguments={"text": call.arguments["text"] + " -l"}))

    events = run_to_end(agent, "hi")

    (call,) = [event for event in events if isinstance(event, ToolCall)]
    (output,) = [event for event in events if isinstance(event, ToolResultEvent)]
    assert call.arguments == '{"text":"rm"}'
    assert output.arguments == '{"text": "ls -l"}'
    assert results(events) == [("ls -l", False)]
    assert ToolCallBlock("call_1", "echo", '{"text":"rm"}') in agent.history.messages[1].content


def test_rewritten_arguments_are_checked_by_the_tool_like_any_others() -> None:
    agent = calling(Call("echo", {"text": "a"}))
    agent.hooks.tool_call.add(lambda call: call.replace(arguments={"words": 1}))

    ((text, is_error),) = results(run_to_end(agent, "hi"))

    assert is_error
    assert text.startswith("invalid arguments for echo: ")


def test_arguments_that_a_hook_made_unfit_for_json_fail_the_call() -> None:
    agent = calling(Call("echo", {"text": "a"}))
    agent.hooks.tool_call.add(lambda call: call.replace(arguments={"text": {1, 2}}))

    ((text, is_error),) = results(run_to_end(agent, "hi"))

    assert is_error
    assert text.startswith("a hook gave echo arguments that are not JSON (")


def test_confirmation_sees_the_arguments_the_tool_will_get() -> None:
    seen: list[dict[str, Any]] = []
    agent = calling(Call("echo", {"text": "rm"}))
    agent.hooks.tool_run.add(confirm_gate(lambda call: seen.append(call.arguments)))
    agent.hooks.tool_call.add(lambda call: call.replace(arguments={"text": "ls"}))

    run_to_end(agent, "hi")

    assert seen == [{"text": "ls"}]


def test_the_first_refusal_of_a_call_wins_and_the_tool_does_not_run() -> None:
    asked: list[str] = []

    def guard(name: str, refusal: str) -> Any:
        def ask(call: ToolRequest) -> None:
            asked.append(name)
            if refusal:
                raise Refused(refusal)

        return ask

    agent = calling(Call("echo", {"text": "a"}))
    for name, refusal in [("a", ""), ("b", "no sudo here"), ("c", "nothing at all")]:
        agent.hooks.tool_call.add(guard(name, refusal))
    agent.hooks.tool_run.add(lambda call: asked.append("confirm"))

    events = run_to_end(agent, "hi")

    assert asked == ["a", "b"]
    assert results(events) == [("no sudo here", True)]
    assert events[-1] == Done("completed")


def test_a_refusal_without_a_reason_has_one_all_the_same() -> None:
    def refuse(call: ToolRequest) -> None:
        raise Refused

    for point in ("tool_call", "tool_run"):
        agent = calling(Call("echo", {"text": "a"}))
        getattr(agent.hooks, point).add(refuse)
        assert results(run_to_end(agent, "hi")) == [("tool call refused", True)]


def test_a_guard_that_fails_does_not_let_the_call_through() -> None:
    def broken(call: ToolRequest) -> None:
        raise KeyError("x")

    for point in ("tool_call", "tool_run"):
        agent = calling(Call("echo", {"text": "a"}))
        getattr(agent.hooks, point).add(broken)
        ((text, is_error),) = results(run_to_end(agent, "hi"))
        assert is_error
        assert "broken failed: 'x'" in text


def test_a_hook_changes_or_withholds_the_result_the_model_reads() -> None:
    def withhold(finished: ToolOutcome) -> ToolOutcome:
        if finished.result.text == "b":
            raise Refused
        return finished.replace(result=ToolResult.of(finished.result.text.upper()))

    agent = calling(Call("echo", {"text": "a"}), Call("echo", {"text": "b"}))
    agent.hooks.tool_result.add(withhold)

    assert results(run_to_end(agent, "hi")) == [("A", False), ("tool result withheld", True)]
    assert [block.content for block in read_by_model(agent)] == [[TextBlock("A")], [TextBlock("tool result withheld")]]


class Odd(Tool):
    """A tool that does not keep its promise."""

    name = "odd"
    schema: ClassVar[dict[str, Any]] = {"type": "object"}

    def __init__(self, failure: BaseException | None = None, *, parallel: bool = False) -> None:
        self.failure = failure
        self.parallel = parallel

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        arguments["changed"] = object()
        if self.failure is not None:
            raise self.failure
        return None  # type: ignore[return-value]  # the point of it


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (ToolError("no such file"), "no such file"),
        (ZeroDivisionError("by zero"), "odd failed: ZeroDivisionError: by zero"),
        (asyncio.CancelledError(), "odd failed: something it waited for was cancelled"),
        (SessionError("disk"), "odd failed: SessionError: disk"),
        (None, "odd failed: TypeError: it returned a NoneType, not a ToolResult"),
    ],
)
def test_every_failure_of_a_tool_is_a_result_and_the_turn_continues(failure: BaseException | None, text: str) -> None:
    agent = calling(Call("odd", {"a": 1}), Call("echo", {"text": "a"}), tools=(Odd(failure), echo))

    events = run_to_end(agent, "hi")

    assert results(events) == [(text, True), ("a", False)]
    assert next(event.arguments for event in events if isinstance(event, ToolResultEvent)) == '{"a": 1}'
    assert events[-1] == Done("completed")


def test_the_fault_of_a_tool_can_be_found_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "zot_core"):
        run_to_end(calling(Call("odd"), tools=(Odd(ZeroDivisionError()),)), "hi")

    assert [record.message for record in caplog.records] == ["tool odd failed"]
    assert caplog.records[0].exc_info is not None


def test_progress_is_emitted_with_the_id_of_its_call_and_before_its_result() -> None:
    @tool
    async def work(context: ToolContext) -> str:
        context.progress(f"{context.call_id} is half done")
        return "done"

    events = run_to_end(calling(Call("work"), tools=(work,)), "hi")

    shown = [event for event in events if isinstance(event, ToolProgress | ToolResultEvent)]
    assert shown[0] == ToolProgress("call_1", "call_1 is half done")
    assert isinstance(shown[1], ToolResultEvent)


def test_progress_from_a_thread_is_emitted_on_the_loop() -> None:
    threads: list[int] = []

    @tool
    def work(context: ToolContext) -> str:
        context.progress("from a thread")
        return "done"

    agent = calling(Call("work"), tools=(work,))
    agent.hooks.event.add(lambda event: threads.append(threading.get_ident()))

    events = run_to_end(agent, "hi")

    assert [event.text for event in events if isinstance(event, ToolProgress)] == ["from a thread"]
    assert set(threads) == {threading.get_ident()}


def test_progress_of_a_finished_call_is_dropped() -> None:
    contexts: list[ToolContext] = []

    @tool
    async def work(context: ToolContext) -> str:
        contexts.append(context)
        return "done"

    agent = calling(Call("work"), tools=(work,))
    events = record(agent)
    run_to_end(agent, "hi")

    contexts[0].progress("late")
    thread = threading.Thread(target=contexts[0].progress, args=("later, when the loop is closed",))
    thread.start()
    thread.join()

    assert events[-1] == Done("completed")


class Meeting:
    """Tools that know how many of them run at the same time."""

    def __init__(self, *, parallel: bool = True) -> None:
        self.running = self.most = 0
        self.ended: list[str] = []
        self.everybody = asyncio.Event()

        @tool(parallel=parallel)
        async def meet(name: str, wait_for: str = "") -> str:
            self.running += 1
            self.most = max(self.most, self.running)
            try:
                while wait_for and wait_for not in self.ended:
                    await asyncio.sleep(0)
                if name == "hang":
                    self.everybody.set()
                    await asyncio.get_running_loop().create_future()
                if name == "late":  # after the other one has begun
                    await self.everybody.wait()
                if name == "fail":
                    raise ToolError("no")
            finally:
                self.running -= 1
                self.ended.append(name)
            return name

        self.tool = meet


def test_calls_run_side_by_side_if_all_their_tools_allow_it_and_results_come_in_call_order() -> None:
    meeting = Meeting()
    calls = [
        Call("meet", {"name": "a", "wait_for": "c"}),
        Call("meet", {"name": "b"}),
        Call("meet", {"name": "c", "wait_for": "b"}),
    ]
    agent = calling(*calls, tools=(meeting.tool,))

    assert results(run_to_end(agent, "hi")) == [("a", False), ("b", False), ("c", False)]
    assert meeting.most >= 2
    assert meeting.ended == ["b", "c", "a"]
    assert [block.call_id for block in read_by_model(agent)] == ["call_1", "call_2", "call_3"]


def test_the_event_loop_runs_between_the_starts_of_two_calls() -> None:
    started: list[int] = []
    turns = 0

    def count() -> None:
        nonlocal turns
        turns += 1
        asyncio.get_running_loop().call_soon(count)

    @tool(parallel=True)
    async def start() -> str:
        if not started:
            count()
        started.append(turns)
        return ""

    run_to_end(calling(Call("start"), tools=(start,)), "hi")  # the check of arguments is made once, for the first call
    started.clear()
    run_to_end(calling(*[Call("start")] * 20, tools=(start,)), "hi")

    assert len(set(started)) == 20


def test_one_tool_that_does_not_allow_it_puts_the_whole_batch_in_order() -> None:
    meeting = Meeting()
    calls = [Call("meet", {"name": "a"}), Call("echo", {"text": "b"}), Call("meet", {"name": "c"})]

    run_to_end(calling(*calls, tools=(meeting.tool, echo)), "hi")

    assert meeting.most == 1


def test_an_unknown_tool_puts_the_batch_in_order() -> None:
    meeting = Meeting()
    calls = [Call("meet", {"name": "a"}), Call("nobody"), Call("meet", {"name": "c"})]

    assert [error for _, error in results(run_to_end(calling(*calls, tools=(meeting.tool,)), "hi"))] == [
        False,
        True,
        False,
    ]
    assert meeting.most == 1


def test_guards_are_asked_one_after_the_other_before_the_first_of_a_parallel_batch_runs() -> None:
    meeting = Meeting()
    asked: list[tuple[str, int]] = []

    def guard(call: ToolRequest) -> Refusal | None:
        asked.append((call.arguments["name"], len(meeting.ended) + meeting.running))
        return Refusal("not b") if call.arguments["name"] == "b" else None

    agent = calling(*(Call("meet", {"name": name}) for name in "abc"), tools=(meeting.tool,))
    agent.hooks.tool_run.add(guard)

    assert results(run_to_end(agent, "hi")) == [("a", False), ("not b", True), ("c", False)]
    assert asked == [("a", 0), ("b", 0), ("c", 0)]


def test_one_of_a_parallel_batch_fails_alone() -> None:
    meeting = Meeting()
    agent = calling(*(Call("meet", {"name": name}) for name in ("fail", "b")), tools=(meeting.tool,))

    assert results(run_to_end(agent, "hi")) == [("no", True), ("b", False)]


def aborted_while(agent: Agent, meeting: Meeting, reason: str = "aborted") -> list[AgentEvent]:
    """Answer "hi", cancelled when the tool `hang` runs."""

    async def main() -> list[AgentEvent]:
        events = record(agent)
        task = agent.start(user_message("hi"))
        await meeting.everybody.wait()
        agent.cancel(reason)  # type: ignore[arg-type]
        agent.cancel()
        assert await task == reason
        return events

    return asyncio.run(main())


@pytest.mark.parametrize(("reason", "who"), [("aborted", "the user"), ("deadline", "the deadline")])
def test_an_abort_in_a_tool_gives_the_rest_a_result_too(reason: str, who: str) -> None:
    meeting = Meeting(parallel=False)
    agent = calling(*(Call("meet", {"name": name}) for name in ("a", "hang", "c")), tools=(meeting.tool,))

    events = aborted_while(agent, meeting, reason)

    assert results(events) == [
        ("a", False),
        (f"aborted: stopped by {who}", True),
        (f"aborted: not run, the turn was stopped by {who}", True),
    ]
    assert len(read_by_model(agent)) == 3
    assert events[-1] == Done(reason)  # type: ignore[arg-type]
    assert meeting.ended == ["a", "hang"]


def test_an_abort_in_a_parallel_batch_keeps_the_results_that_are_there() -> None:
    meeting = Meeting()
    calls = [Call("meet", {"name": name}) for name in ("a", "slow", "c")]
    calls[1] = Call("meet", {"name": "hang", "wait_for": "c"})
    agent = calling(*calls, tools=(meeting.tool,))

    events = aborted_while(agent, meeting)

    assert results(events) == [("a", False), ("aborted: stopped by the user", True), ("c", False)]
    assert meeting.running == 0
    assert events[-1] == Done("aborted")


def test_an_abort_while_somebody_is_asked_leaves_the_call_undone() -> None:
    for parallel in (False, True):
        meeting = Meeting(parallel=parallel)
        agent = calling(*(Call("meet", {"name": name}) for name in "ab"), tools=(meeting.tool,))

        async def ask(call: ToolRequest, meeting: Meeting = meeting) -> None:
            meeting.everybody.set()
            await asyncio.get_running_loop().create_future()

        agent.hooks.tool_run.add(ask)
        not_run = ("aborted: not run, the turn was stopped by the user", True)
        assert results(aborted_while(agent, meeting)) == [not_run, not_run]
        assert meeting.ended == []


def test_a_tool_may_finish_its_cleaning_up_however_often_the_run_is_cancelled() -> None:
    meeting = Meeting()
    cleaned: list[str] = []

    @tool
    async def work() -> str:
        try:
            meeting.everybody.set()
            return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]
        finally:
            await asyncio.sleep(0)
            agent.cancel()
            await asyncio.sleep(0)
            cleaned.append("up")

    agent = calling(Call("work"), tools=(work,))

    assert aborted_while(agent, meeting)[-1] == Done("aborted")
    assert cleaned == ["up"]


def test_a_result_that_cannot_be_written_ends_the_tools_beside_it() -> None:
    def full(message: Message) -> None:
        if message.role == "tool":
            raise SessionError("the disk is full")

    meeting = Meeting()
    agent = calling(*(Call("meet", {"name": name}) for name in ("late", "hang")), tools=(meeting.tool,))
    agent.hooks.message.add(full)

    assert run_to_end(agent, "hi")[-1] == Done("error")
    assert meeting.running == 0
    assert meeting.ended == ["late", "hang"]


def test_a_result_is_in_the_history_before_it_is_emitted() -> None:
    there: list[int] = []
    agent = calling(Call("echo", {"text": "a"}), Call("echo", {"text": "b"}))
    agent.hooks.event.add(
        lambda event: there.append(len(read_by_model(agent))) if isinstance(event, ToolResultEvent) else None
    )

    run_to_end(agent, "hi")

    assert there == [1, 2]


def fates(events: list[AgentEvent]) -> list[str]:
    """What became of each call, as told."""
    return [event.fate for event in events if isinstance(event, ToolResultEvent)]


def test_the_fate_of_a_call_is_part_of_its_result() -> None:
    @tool
    async def fail() -> str:
        raise ToolError("aborted: by itself")

    def guard(call: ToolRequest) -> Refusal | None:
        return Refusal("not a") if call.arguments.get("text") == "a" else None

    def veto(call: ToolRequest) -> None:
        if call.arguments.get("text") == "b":
            raise Refused

    def spoil(call: ToolRequest) -> ToolRequest | None:
        return call.replace(arguments={"text": {1}}) if call.arguments.get("text") == "d" else None

    calls = [*(Call("echo", {"text": text}) for text in "abcd"), Call("fail"), Call("nobody"), Call("echo", "{")]
    agent = calling(*calls, tools=(echo, fail))
    agent.hooks.tool_run.add(guard)
    agent.hooks.tool_call.add(veto)
    agent.hooks.tool_call.add(spoil)
    agent.hooks.tool_result.add(lambda finished: withheld() if finished.result.text == "c" else None)

    def withheld() -> None:
        raise Refused("not for the model")

    events = run_to_end(agent, "hi")

    assert fates(events) == ["refused", "refused", "ran", "not_run", "ran", "not_run", "not_run"]


def test_a_call_that_went_down_with_its_turn_was_stopped() -> None:
    for parallel in (False, True):
        meeting = Meeting(parallel=parallel)
        hang = {"name": "hang", "wait_for": "c" if parallel else ""}
        calls = [Call("meet", {"name": "a"}), Call("meet", hang), Call("meet", {"name": "c"})]
        events = aborted_while(calling(*calls, tools=(meeting.tool,)), meeting)
        assert fates(events) == ["ran", "stopped", "ran" if parallel else "stopped"]


def test_a_call_starts_only_after_it_was_confirmed() -> None:
    for parallel in (False, True):
        meeting = Meeting(parallel=parallel)
        agent = calling(*(Call("meet", {"name": name}) for name in "abc"), tools=(meeting.tool,))
        order: list[str] = []

        def ask(call: ToolRequest, order: list[str] = order) -> Refusal | None:
            order.append(f"ask {call.arguments['name']}")
            return Refusal("no") if call.arguments["name"] == "b" else None

        def watch(event: AgentEvent, order: list[str] = order) -> None:
            if isinstance(event, ToolStart | ToolResultEvent):
                order.append(f"{event.type} {event.id[-1]}")

        agent.hooks.tool_run.add(ask)
        agent.hooks.event.add(watch)
        run_to_end(agent, "hi")

        one, two, three = ["tool_start 1", "tool_result 1"], ["tool_result 2"], ["tool_start 3", "tool_result 3"]
        if parallel:
            assert order == ["ask a", "ask b", "ask c", one[0], three[0], one[1], *two, three[1]]
        else:
            assert order == ["ask a", *one, "ask b", *two, "ask c", *three]


class Letter(Tool):
    """Gives its arguments as they were written."""

    name = "letter"
    schema: ClassVar[dict[str, Any]] = {"type": "object"}

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult.of(context.arguments)


def test_a_tool_can_have_its_arguments_as_the_model_wrote_them() -> None:
    agent = calling(Call("letter", '{ "n": 1e5, "m": 1.0 }'), tools=(Letter(),))
    agent.hooks.tool_call.add(lambda call: call)

    assert received(agent) == '{ "n": 1e5, "m": 1.0 }'


def test_a_tool_can_have_its_arguments_as_a_hook_wrote_them() -> None:
    agent = calling(Call("letter", '{"n":1}'), tools=(Letter(),))
    agent.hooks.tool_call.add(lambda call: call.replace(arguments={"n": 100.0}, text='{"n":1e2}'))

    assert received(agent) == '{"n":1e2}'


def test_a_text_that_a_hook_left_behind_does_not_count() -> None:
    agent = calling(Call("letter", '{"n":1}'), tools=(Letter(),))
    agent.hooks.tool_call.add(lambda call: call.replace(arguments={"n": 2}))

    assert received(agent) == '{"n": 2}'


def received(agent: Agent) -> str:
    ((text, is_error),) = results(run_to_end(agent, "hi"))
    assert not is_error
    return text
