import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence

import pytest

from zot_core.agent import Agent, user_message
from zot_core.errors import Refused, SessionError
from zot_core.events import (
    AgentEvent,
    AssistantMessage,
    Done,
    ErrorEvent,
    Notice,
    TextDelta,
    ToolCall,
    ToolResultEvent,
    TurnEnd,
    UserMessage,
)
from zot_core.hooks import Refusal
from zot_core.testing import EventClient, make_agent, record, run_to_end, types
from zot_core.tools.definition.tool import tool
from zot_provider.client.http import Client
from zot_provider.errors import ModelError, StatusError
from zot_provider.events import StreamEvent
from zot_provider.events import TextDelta as Delta
from zot_provider.messages import Message, TextBlock
from zot_provider.request import Request
from zot_provider.testing import Call, ScriptedClient, Turn


@tool
async def echo(text: str) -> str:
    return text


def ends(events: list[AgentEvent]) -> list[AgentEvent]:
    return [event for event in events if isinstance(event, TurnEnd | ErrorEvent | Done)]


def texts(messages: list[Message]) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in messages]


def test_an_answer_without_calls_emits_its_events_in_order() -> None:
    agent = make_agent(ScriptedClient([Turn("hello there", reasoning="hm")]))

    events = run_to_end(agent, "hi")

    assert types(events) == [
        "user_message",
        "turn_start",
        "assistant_start",
        "reasoning_delta",
        "text_delta",
        "usage",
        "assistant_message",
        "turn_end",
        "done",
    ]
    assert ends(events) == [TurnEnd("end_turn"), Done("completed")]


def test_the_turn_ends_before_its_tools_run_and_all_calls_are_emitted_before_the_first_runs() -> None:
    calls = [Call("echo", {"text": "a"}), Call("echo", {"text": "b"})]
    agent = make_agent(ScriptedClient([Turn("two calls", calls=calls), "done"]), echo)

    events = run_to_end(agent, "hi")

    one_turn = ["turn_start", "assistant_start", "text_delta"]
    assert types(events) == [
        "user_message",
        *one_turn,
        *["tool_use_start", "tool_use_args", "tool_use_end"] * 2,
        "usage",
        "assistant_message",
        "tool_call",
        "turn_end",
        *["tool_start", "tool_result"] * 2,
        *one_turn,
        "usage",
        "assistant_message",
        "turn_end",
        "done",
    ]
    assert [event.id for event in events if isinstance(event, ToolCall)] == ["call_1", "call_2"]
    assert ends(events) == [TurnEnd("tool_use"), TurnEnd("end_turn"), Done("completed")]


def test_steps_are_counted_from_one_and_start_again_with_the_next_run() -> None:
    agent = make_agent(ScriptedClient([Turn(calls=[Call("echo", {"text": "a"})]), "x"], repeat=True), echo)

    first, second = run_to_end(agent, "hi"), run_to_end(agent, "again")

    for events in (first, second):
        assert [event.step for event in events if event.type == "turn_start"] == [1, 2]


def test_a_steering_message_reaches_the_model_with_its_next_call() -> None:
    @tool
    async def work() -> str:
        agent.steer("hurry")
        return "worked"

    client = ScriptedClient([Turn(calls=[Call("work")]), "ok"])
    agent = make_agent(client, work)

    events = run_to_end(agent, "hi")

    assert texts(client.requests[1].messages)[2:] == [("tool", ""), ("user", "hurry")]
    told = types(events)
    assert told[told.index("tool_result") :][:3] == ["tool_result", "user_message", "turn_start"]


def test_a_steering_message_that_comes_with_the_last_words_gets_a_turn_of_its_own() -> None:
    client = ScriptedClient(["first", "second"])
    agent = make_agent(client)
    agent.hooks.event.add(
        lambda event: agent.steer("and?") if isinstance(event, TurnEnd) and len(client.requests) == 1 else None
    )

    run_to_end(agent, "hi")

    assert texts(agent.history.messages) == [
        ("user", "hi"),
        ("assistant", "first"),
        ("user", "and?"),
        ("assistant", "second"),
    ]


def test_follow_ups_wait_until_the_run_would_end_and_are_taken_one_by_one() -> None:
    client = ScriptedClient([Turn(calls=[Call("echo", {"text": "a"})]), "one", "two", "three"])
    agent = make_agent(client, echo)
    agent.follow_up("second")
    agent.follow_up("third")

    events = run_to_end(agent, "first")

    assert [event.message.text for event in events if isinstance(event, UserMessage)] == ["first", "second", "third"]
    assert [text for role, text in texts(agent.history.messages) if role == "assistant"] == [
        "",
        "one",
        "two",
        "three",
    ]
    assert [event for event in events if isinstance(event, Done)] == [Done("completed")]


def test_a_hook_may_add_messages_before_a_model_call() -> None:
    client = ScriptedClient([Turn(calls=[Call("echo", {"text": "a"})]), "ok"])
    agent = make_agent(client, echo)
    agent.hooks.extra_messages.add(lambda step: [user_message("remember")] if step == 2 else None)

    run_to_end(agent, "hi")

    assert texts(client.requests[1].messages)[-1] == ("user", "remember")


def test_a_hook_may_have_a_run_go_on_where_it_would_end() -> None:
    client = ScriptedClient(["done", "really", "over"])
    agent = make_agent(client)
    agent.hooks.before_stop.add(lambda step: [user_message(f"sure? {step}")] if step < 3 else None)

    events = run_to_end(agent, "hi")

    assert events[-1] == Done("completed")
    assert texts(agent.history.messages)[1:] == [
        *(("assistant", "done"), ("user", "sure? 1"), ("assistant", "really")),
        *(("user", "sure? 2"), ("assistant", "over")),
    ]


def test_queued_messages_come_before_the_before_stop_hooks() -> None:
    client = ScriptedClient(["one", "two", "three"])
    agent = make_agent(client)
    asked: list[int] = []

    def late(step: int) -> None:
        asked.append(step)
        if step == 2:
            agent.follow_up("said while the hook was at work")

    agent.hooks.before_stop.add(late)
    agent.follow_up("next")

    run_to_end(agent, "hi")

    assert asked == [2, 3]
    assert client.requests[2].messages[-1].text == "said while the hook was at work"


def test_a_run_without_a_message_continues_the_conversation() -> None:
    client = ScriptedClient(["ok"])
    agent = make_agent(client, messages=[user_message("hi")])

    events = run_to_end(agent)

    assert types(events)[0] == "turn_start"
    assert texts(client.requests[0].messages) == [("user", "hi")]


def test_a_blocked_turn_keeps_the_message_and_ends_without_an_error_event() -> None:
    client = ScriptedClient(["never", "ok"])
    agent = make_agent(client)
    allow = agent.hooks.before_model_call.add(lambda step: Refusal("not today"))

    events = run_to_end(agent, "hi")
    allow()
    run_to_end(agent, "please")

    assert types(events) == ["user_message", "turn_start", "turn_end", "done"]
    assert ends(events) == [TurnEnd("error", "not today"), Done("refused")]
    assert texts(client.requests[0].messages) == [("user", "hi"), ("user", "please")]


def test_a_turn_blocked_without_a_reason_says_so_all_the_same() -> None:
    agent = make_agent(ScriptedClient(["never"]))
    agent.hooks.before_model_call.add(lambda step: Refusal(""))

    assert TurnEnd("error", "turn blocked") in run_to_end(agent, "hi")


def test_the_first_refusal_of_a_turn_wins_and_the_others_are_not_asked() -> None:
    asked: list[str] = []
    agent = make_agent(ScriptedClient(["never"]))
    agent.hooks.before_model_call.add(lambda step: asked.append("a"))
    agent.hooks.before_model_call.add(lambda step: asked.append("b") or Refusal("b says no"))
    agent.hooks.before_model_call.add(lambda step: asked.append("c") or Refusal("c says no"))

    events = run_to_end(agent, "hi")

    assert asked == ["a", "b"]
    assert TurnEnd("error", "b says no") in events


def test_a_limit_is_an_error_before_the_next_turn_starts() -> None:
    agent = make_agent(ScriptedClient(["never"]))
    agent.hooks.before_turn.add(lambda step: Refusal("enough", "max_cost"))

    events = run_to_end(agent, "hi")

    assert types(events) == ["user_message", "error", "done"]
    assert ends(events) == [ErrorEvent("enough", exit_code=4), Done("max_cost")]


@pytest.mark.parametrize(
    ("answer", "message", "stop"),
    [
        ([StatusError("provider: HTTP 500; try again", status=500)], "provider: HTTP 500; try again", []),
        ([Delta("half"), ModelError("overloaded")], "overloaded", ["half"]),
        ([Delta("half")], "the model's answer ended unexpectedly; try again", ["half"]),
        ([], "the model's answer ended unexpectedly; try again", []),
        ([asyncio.CancelledError()], "the model's answer was cancelled while it was received; try again", []),
    ],
)
def test_a_failing_model_ends_the_run_and_its_text_so_far_is_kept(
    answer: list[StreamEvent | BaseException | None], message: str, stop: list[str]
) -> None:
    agent = make_agent(EventClient(answer))

    events = run_to_end(agent, "hi")

    retryable = message != "overloaded"
    assert ends(events) == [TurnEnd("error", message), ErrorEvent(message, retryable=retryable), Done("error")]
    assert events[-1] == Done("error")
    assert [text for role, text in texts(agent.history.messages) if role == "assistant"] == stop
    assert [event.message.text for event in events if isinstance(event, AssistantMessage)] == stop


def test_an_unexpected_exception_is_reported_in_one_line_and_logged_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    agent = make_agent(EventClient([Delta("half"), ZeroDivisionError("division\nby zero")]))

    with caplog.at_level(logging.ERROR, "zot_core"):
        events = run_to_end(agent, "hi")

    message = "unexpected ZeroDivisionError: division by zero"
    assert ends(events) == [TurnEnd("error", message), ErrorEvent(message), Done("error")]
    (logged,) = caplog.records
    assert logged.exc_info is not None
    assert logged.exc_info[0] is ZeroDivisionError


def test_an_exception_on_opening_the_stream_is_reported_too(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Client):
        def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
            raise AttributeError("no such thing")

        async def close(self) -> None: ...

    agent = make_agent(Broken())

    assert run_to_end(agent, "hi")[-2:] == [
        ErrorEvent("unexpected AttributeError: no such thing"),
        Done("error"),
    ]
    assert len(caplog.records) == 1


def test_a_request_that_a_hook_refuses_fails_the_turn() -> None:
    def refuse(request: object) -> None:
        raise Refused("too long")

    agent = make_agent(ScriptedClient(["never"]))
    agent.hooks.request.add(refuse)

    events = run_to_end(agent, "hi")

    assert types(events) == ["user_message", "turn_start", "turn_end", "error", "done"]
    assert ends(events) == [TurnEnd("error", "too long"), ErrorEvent("too long"), Done("error")]


def test_an_observer_that_cannot_write_ends_the_run_and_the_turn_is_ended_first() -> None:
    def full(message: Message) -> None:
        if message.role == "assistant":
            raise SessionError("the disk is full")

    agent = make_agent(ScriptedClient(["words"]))
    agent.hooks.message.add(full)

    events = run_to_end(agent, "hi")

    assert ends(events) == [TurnEnd("error", "the disk is full"), ErrorEvent("the disk is full"), Done("error")]
    assert texts(agent.history.messages) == [("user", "hi"), ("assistant", "words")]


@pytest.mark.parametrize(
    "moment",
    ["user_message", "turn_start", "assistant_start", "text_delta", "usage", "turn_end", "tool_start", "tool_result"],
)
def test_done_comes_last_and_once_wherever_an_observer_fails_the_run(moment: str) -> None:
    def fail(event: AgentEvent) -> None:
        if event.type == moment:
            raise SessionError("no")

    agent = make_agent(ScriptedClient([Turn("words", calls=[Call("echo", {"text": "a"})]), "ok"]), echo)
    agent.hooks.event.add(fail)

    events = run_to_end(agent, "hi")

    assert types(events).count("done") == 1
    assert events[-2:] == [ErrorEvent("no"), Done("error")]
    assert types(events).count("turn_start") == types(events).count("turn_end")


@pytest.mark.parametrize("moment", ["error", "done"])
def test_an_observer_that_fails_at_the_end_is_logged_and_the_others_are_notified(
    moment: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(event: AgentEvent) -> None:
        if event.type == moment:
            raise SessionError("no")

    agent = make_agent(EventClient([ModelError("broken")]))
    agent.hooks.event.add(fail)

    assert run_to_end(agent, "hi")[-2:] == [ErrorEvent("broken"), Done("error")]
    assert [record.message for record in caplog.records] == ["an observer failed at the end of a run"]


async def cancelled_when(agent: Agent, moment: str, reason: str = "aborted") -> list[AgentEvent]:
    """Answer "hi", cancelled from inside an observer at the first event of a type; cancelled twice."""
    events = record(agent)

    def cancel(event: AgentEvent) -> None:
        if event.type == moment:
            agent.cancel(reason)  # type: ignore[arg-type]
            agent.cancel()

    agent.hooks.event.add(cancel)
    await agent.start(user_message("hi"))
    return events


async def test_an_abort_in_the_stream_keeps_the_text_and_tells_it() -> None:
    agent = make_agent(EventClient([Delta("half a "), None]))
    events = record(agent)
    client = agent.client
    assert isinstance(client, EventClient)
    task = agent.start(user_message("hi"))
    await client.hanging.wait()
    agent.cancel()
    agent.cancel()
    assert await task == "aborted"

    assert types(events)[-4:] == ["text_delta", "assistant_message", "turn_end", "done"]
    assert ends(events) == [TurnEnd("aborted"), Done("aborted")]
    assert agent.history.messages[-1].content == [TextBlock("half a ")]
    assert not agent.busy


async def test_an_abort_in_the_stream_drops_an_answer_with_a_started_call() -> None:
    calls = [Call("echo", {"text": "a long enough argument"})]
    agent = make_agent(ScriptedClient([Turn("text", calls=calls, delay=0.001, chunk=4)]), echo)

    events = await cancelled_when(agent, "tool_use_args")

    assert ends(events) == [TurnEnd("aborted"), Done("aborted")]
    assert texts(agent.history.messages) == [("user", "hi")]
    assert "assistant_message" not in types(events)


async def test_an_abort_before_the_first_byte_leaves_nothing_but_the_question() -> None:
    client = EventClient([None])
    agent = make_agent(client)
    events = record(agent)
    task = agent.start(user_message("hi"))
    await client.hanging.wait()
    agent.cancel()
    await task
    assert types(events) == ["user_message", "turn_start", "assistant_start", "turn_end", "done"]
    assert texts(agent.history.messages) == [("user", "hi")]


async def test_an_abort_right_after_the_start_still_ends_with_done() -> None:
    agent = make_agent(EventClient([None]))
    events = record(agent)
    task = agent.start(user_message("hi"))
    agent.cancel()
    assert await task == "aborted"
    assert ends(events) == [TurnEnd("aborted"), Done("aborted")]


@pytest.mark.parametrize(
    "moment",
    ["user_message", "turn_start", "assistant_start", "text_delta", "usage", "tool_call", "tool_start", "tool_result"],
)
async def test_an_observer_may_abort_the_run_at_any_event(moment: str) -> None:
    client = ScriptedClient([Turn("words", calls=[Call("echo", {"text": "a"})]), "more"])
    agent = make_agent(client, echo)

    events = await cancelled_when(agent, moment)

    assert [event for event in events if isinstance(event, Done)] == [Done("aborted")]
    assert events[-1] == Done("aborted")
    assert types(events).count("turn_start") == types(events).count("turn_end")
    assert ErrorEvent("") not in events


async def test_an_abort_at_the_last_word_changes_nothing_and_the_task_still_has_its_result() -> None:
    for moment in ("turn_end", "done"):
        agent = make_agent(ScriptedClient(["words"]))
        assert (await cancelled_when(agent, moment))[-1] == Done("completed")


async def test_a_deadline_is_an_error_with_its_own_end() -> None:
    agent = make_agent(EventClient([Delta("x"), None]))

    events = await cancelled_when(agent, "text_delta", "deadline")

    assert ends(events) == [
        TurnEnd("aborted"),
        ErrorEvent("the deadline has passed", exit_code=4),
        Done("deadline"),
    ]


@pytest.mark.parametrize(
    "point",
    [
        "system_prompt",
        "before_turn",
        "extra_messages",
        "before_model_call",
        "request",
        "assistant_message",
        "tool_call",
        "tool_run",
        "tool_result",
    ],
)
async def test_an_abort_in_a_hook_ends_the_run(point: str) -> None:
    asked = asyncio.Event()

    async def hang(value: object) -> None:
        asked.set()
        await asyncio.get_running_loop().create_future()

    agent = make_agent(ScriptedClient([Turn("words", calls=[Call("echo", {"text": "a"})])]), echo)
    getattr(agent.hooks, point).add(hang)
    events = record(agent)
    task = agent.start(user_message("hi"))
    await asked.wait()
    agent.cancel()
    assert await task == "aborted"

    assert events[-1] == Done("aborted")
    assert types(events).count("done") == 1
    assert types(events).count("turn_start") == types(events).count("turn_end")
    assert [event.is_error for event in events if isinstance(event, ToolResultEvent)] == [True] * point.startswith(
        "tool"
    )


def test_an_answer_nobody_has_checked_when_the_turn_was_stopped_is_kept_and_not_shown() -> None:
    async def hang(text: str) -> None:
        agent.cancel()
        await asyncio.get_running_loop().create_future()

    agent = make_agent(ScriptedClient(["secret"]))
    agent.hooks.assistant_message.add(hang)

    events = run_to_end(agent, "hi")

    reason = "the turn was stopped before this answer could be checked"
    assert types(events)[-3:] == ["notice", "turn_end", "done"]
    assert Notice("warn", reason) in events
    assert texts(agent.history.messages) == [("user", "hi"), ("assistant", "secret")]
    assert agent.history.messages[-1].hidden == reason


def test_a_hook_whose_own_work_was_cancelled_fails_and_does_not_abort_the_run() -> None:
    async def broken(step: int) -> None:
        raise asyncio.CancelledError

    agent = make_agent(ScriptedClient(["never"]))
    agent.hooks.before_model_call.add(broken)

    events = run_to_end(agent, "hi")

    assert events[-1] == Done("refused")
    assert isinstance(events[-2], TurnEnd)
    assert events[-2].error.endswith("broken failed: it was cancelled")


async def test_text_deltas_are_the_client_s_own_and_not_copied() -> None:
    delta = TextDelta("x")
    agent = make_agent(EventClient([delta, None]))

    events = await cancelled_when(agent, "text_delta")

    assert any(event is delta for event in events)
