from pathlib import Path
from typing import Any

import pytest

from zot_core.agent import Agent, user_message
from zot_core.compaction.compactor import CompactionLimits, Compactor
from zot_core.errors import SessionError
from zot_core.events import (
    AgentEvent,
    CompactDone,
    CompactStart,
    Done,
    ErrorEvent,
    Notice,
    RunEnd,
    ToolResultEvent,
    TurnEnd,
)
from zot_core.hooks import Compaction
from zot_core.runtime.runtime import Runtime
from zot_core.sessions.file import SessionFile, load
from zot_core.sessions.rows import Meta
from zot_core.testing import FakeShell, MemoryFiles, make_agent, run_to_end, types
from zot_core.tools.definition.tool import tool
from zot_provider.errors import ConfigError, ModelError, StatusError
from zot_provider.messages import Message, TextBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request
from zot_provider.testing import Call, Fault, ScriptedClient, ScriptedServer, Turn
from zot_provider.usage import Usage

WINDOW = Model("m", "v", context_window=1000)
UNKNOWN = Model("m", "v")
FULL = Usage(input=800, output=50)
TOO_LONG = StatusError("too long", status=400, message="prompt is too long: 9 tokens > 8 maximum")


@tool
async def echo(text: str) -> str:
    return text


def chat(length: int, size: int = 10) -> list[Message]:
    return [
        Message("assistant", [TextBlock(f"{number} " + "x" * size)]) if number % 2 else user_message(f"{number}")
        for number in range(length)
    ]


def automatic(
    answers: list[Any], messages: list[Message], limits: CompactionLimits | None = None, model: Model = WINDOW
) -> tuple[Agent, ScriptedClient]:
    client = ScriptedClient(answers)
    agent = make_agent(client, echo, model=model, messages=messages)
    Compactor(agent, limits).attach()
    return agent, client


def asked_for_a_summary(request: Request) -> bool:
    return "<conversation>" in request.messages[0].text


def reasons(events: list[AgentEvent]) -> list[str]:
    return [event.reason for event in events if isinstance(event, CompactStart)]


def failures(events: list[AgentEvent]) -> list[str]:
    return [event.message for event in events if isinstance(event, ErrorEvent | Notice)]


def test_a_conversation_that_is_nearly_full_is_compacted_before_the_turn() -> None:
    agent, client = automatic(["the summary", "ok"], chat(8, size=900))

    events = run_to_end(agent, "go on")

    assert types(events)[:5] == ["user_message", "compact_start", "usage", "compact_done", "turn_start"]
    assert events[-1] == Done("completed")
    assert client.requests[1].messages[0].text.endswith("the summary")
    assert client.requests[1].messages[-1].text == "go on"
    assert len(client.requests[1].messages) == 5


def test_a_conversation_below_the_threshold_is_left_alone() -> None:
    agent, _ = automatic(["ok"], chat(8))
    assert "compact_start" not in types(run_to_end(agent, "go on"))


def test_it_is_done_where_the_provider_s_count_reaches_the_threshold_and_not_below() -> None:
    for count, times in ((849, 0), (850, 1)):
        turns = [Turn("ok", usage=Usage(input=count)), "the summary"]
        agent, client = automatic(turns, chat(8))
        events = run_to_end(agent, "go on")
        assert reasons(events) == ["threshold"] * times
        assert len(client.requests) == 1 + times


@pytest.mark.parametrize("percent", [70, 80, 85, 90])
@pytest.mark.parametrize("place", ["before a turn", "between batches", "after a run"])
def test_each_choice_of_the_setting_holds_at_each_place(percent: int, place: str) -> None:
    limits = CompactionLimits(percent / 100)
    for count, times in ((percent * 10 - 1, 0), (percent * 10, 1)):
        counted = Turn("ok", usage=Usage(input=count))
        if place == "between batches":
            counted = Turn(calls=[Call("echo", {"text": ""})], usage=Usage(input=count))
        agent, _ = automatic([counted, *(["the summary"] * times), Turn("end", usage=Usage(1))], chat(8), limits)
        if place == "before a turn":
            limits.after_run = False
            run_to_end(agent, "fill")
        events = run_to_end(agent, "")
        assert reasons(events) == ["threshold"] * times


def test_where_it_is_off_nothing_is_done_on_an_overflow_either() -> None:
    agent, client = automatic([Turn(error=TOO_LONG)], chat(8), CompactionLimits(None))
    assert failures(run_to_end(agent, "go on")) == ["too long"]
    assert len(client.requests) == 1


def test_after_the_last_turn_it_comes_before_done() -> None:
    agent, _ = automatic([Turn("ok", usage=FULL), "the summary"], chat(8))
    events = run_to_end(agent, "go on")
    assert types(events)[-5:] == ["turn_end", "compact_start", "usage", "compact_done", "done"]
    assert events[-1] == Done("completed")
    assert len(agent.history) == 5


def test_a_program_that_asks_once_need_not_wait_for_it() -> None:
    agent, client = automatic([Turn("ok", usage=FULL)], chat(8), CompactionLimits(after_run=False))
    run_to_end(agent, "go on")
    assert len(client.requests) == 1


def test_a_message_sent_during_a_compaction_at_the_end_is_answered() -> None:
    agent, client = automatic([Turn("ok", usage=FULL), "the summary", "and you?"], chat(8))
    agent.hooks.event.add(lambda event: agent.steer("thanks") if isinstance(event, CompactStart) else None)

    events = run_to_end(agent, "go on")

    assert events[-1] == Done("completed")
    assert client.requests[2].messages[-1].text == "thanks"


def test_between_two_batches_of_calls_the_round_stays_whole() -> None:
    calls = [Turn(calls=[Call("echo", {"text": f"{number}" * 100})], usage=Usage(100)) for number in range(3)]
    last = Turn(calls=[Call("echo", {"text": "x"})], usage=FULL)
    agent, client = automatic([*calls, last, "the summary", "done"], [])

    events = run_to_end(agent, "count")

    assert reasons(events) == ["threshold"]
    after = types(events[events.index(next(event for event in events if isinstance(event, CompactDone))) :])
    assert after[1] == "tool_start"
    roles = [message.role for message in client.requests[-1].messages]
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "assistant", "tool"]
    assert "[user]\ncount" in client.requests[-2].messages[0].text


def test_results_that_the_model_has_not_read_are_not_summarised_while_the_next_request_fits() -> None:
    turns = [Turn(calls=[Call("echo", {"text": "x" * 800})], usage=Usage(700)), Turn("ok", usage=Usage(900))]
    agent, _ = automatic([*turns, "the summary"], chat(8), CompactionLimits(answer_tokens=50))
    events = run_to_end(agent, "go on")
    assert types(events).index("compact_start") > types(events).index("assistant_start")
    done = [type(event) for event in events].index(CompactDone)
    assert [event.stop for event in events[:done] if isinstance(event, TurnEnd)] == ["tool_use", "end_turn"]
    assert failures(events) == []


def test_results_that_leave_no_room_are_summarised_before_they_are_read_and_that_is_said() -> None:
    turns = [Turn(calls=[Call("echo", {"text": "x" * 1400})], usage=Usage(700)), "the summary", "ok"]
    agent, client = automatic(turns, chat(8), CompactionLimits(after_run=False))
    events = run_to_end(agent, "go on")
    (result,) = client.requests[2].messages[-1].content
    assert isinstance(result, ToolResultBlock)
    assert "characters left out to fit the context window; all of it: " in str(result.content[0])
    assert failures(events) == [
        "the model gets only both ends of a long text, to fit its context window",
        "the conversation was compacted before the model has read its last results: they did not fit",
    ]


def test_a_run_that_is_stopped_while_it_is_compacted_before_calls_has_a_result_for_each() -> None:
    calls = [Call("echo", {"text": "a"}), Call("echo", {"text": "b"})]
    agent, _ = automatic([Turn(calls=calls, usage=FULL), Turn("late", delay=60)], chat(8))
    agent.hooks.event.add(lambda event: agent.cancel() if isinstance(event, CompactStart) else None)
    events = run_to_end(agent, "go on")
    assert events[-1] == Done("aborted")
    assert len([event for event in events if isinstance(event, ToolResultEvent)]) == 2
    assert [block.fate for block in agent.history.messages[-1].content] == ["stopped"] * 2


def test_a_window_nobody_knows_is_never_nearly_full_and_none_is_never() -> None:
    agent, client = automatic(["ok"], chat(8, size=100_000), model=UNKNOWN)
    run_to_end(agent, "go on")
    off, other = automatic(["ok"], chat(8, size=100_000), CompactionLimits(None))
    run_to_end(off, "go on")
    assert len(client.requests) == len(other.requests) == 1


def test_answers_of_half_the_window_are_compacted_at_most_once_a_turn() -> None:
    turns = [Turn(f"{number} " + "y" * 2000, usage=Usage()) for number in range(12)]

    def answer(request: Request) -> Turn:
        return Turn("the summary") if asked_for_a_summary(request) else turns.pop()

    agent, client = automatic([answer] * 40, chat(8, size=2000))
    for number in range(8):
        run_to_end(agent, f"{number}")

    compactions = sum(map(asked_for_a_summary, client.requests))
    assert 3 <= compactions <= 9
    assert len(turns) == 4


def test_a_failing_summary_is_a_notice_and_the_run_continues() -> None:
    agent, client = automatic([Turn(error=ModelError("overloaded")), "ok"], chat(8, size=900))
    before = len(agent.history)

    events = run_to_end(agent, "go on")

    assert events[-1] == Done("completed")
    assert failures(events) == ["the conversation could not be compacted: overloaded"]
    assert len(agent.history) == before + 2
    assert client.requests[1].messages[-1].text == "go on"


def test_an_unexpected_exception_does_not_end_the_run_either() -> None:
    agent, _ = automatic([Turn(error=RuntimeError("a bug")), "ok"], chat(8, size=900))
    events = run_to_end(agent, "go on")
    assert events[-1] == Done("completed")
    assert failures(events) == ["the conversation could not be compacted: unexpected RuntimeError: a bug"]


def test_a_short_conversation_with_little_room_is_not_worth_a_word() -> None:
    agent, client = automatic([Turn("ok", usage=FULL)], [])
    events = run_to_end(agent, "hi")
    assert failures(events) == []
    assert "compact_start" not in types(events)
    assert len(client.requests) == 1


@pytest.mark.parametrize("end", ["aborted", "deadline"])
def test_it_is_stopped_with_the_run_and_everything_is_as_it_was(end: RunEnd) -> None:
    agent, client = automatic([Turn("x" * 1000, delay=60)], chat(8, size=900))
    before = agent.history.messages

    def stop(event: AgentEvent) -> None:
        if isinstance(event, CompactStart):
            agent.cancel(end)

    agent.hooks.event.add(stop)
    events = run_to_end(agent, "go on")
    assert events[-1] == Done(end)
    assert [message.text for message in agent.history.messages] == [message.text for message in [*before]] + ["go on"]
    assert "compact_done" not in types(events)
    assert len(client.requests) <= 1


def test_a_session_that_cannot_be_written_ends_the_run_before_anything_changed() -> None:
    agent, client = automatic(["the summary", "ok"], chat(8, size=900))

    def full(_: Compaction) -> None:
        raise SessionError("the disk is full")

    agent.hooks.compacted.add(full)
    events = run_to_end(agent, "go on")
    assert events[-1] == Done("error")
    assert failures(events) == ["the disk is full"]
    assert len(agent.history) == 9
    assert len(client.requests) == 1


# Where the provider finds the conversation too long.


def test_a_conversation_found_too_long_is_compacted_and_the_request_made_again() -> None:
    agent, client = automatic([Turn(error=TOO_LONG), "the summary", "ok"], chat(8), model=UNKNOWN)

    events = run_to_end(agent, "go on")

    assert reasons(events) == ["overflow"]
    assert events[-1] == Done("completed")
    assert [event.stop for event in events if isinstance(event, TurnEnd)] == ["end_turn"]
    assert failures(events) == []
    assert len(client.requests[2].messages) == 5
    assert agent.history.messages[-1].text == "ok"


def test_a_request_too_long_even_so_fails_with_the_provider_s_words() -> None:
    agent, client = automatic([Turn(error=TOO_LONG), "the summary", Turn(error=TOO_LONG)], chat(8), model=UNKNOWN)
    events = run_to_end(agent, "go on")
    assert failures(events) == ["too long"]
    assert events[-1] == Done("error")
    assert len(client.requests) == 3


def test_if_the_summary_fails_the_error_is_the_provider_s() -> None:
    answers = [Turn(error=TOO_LONG), Turn(error=ModelError("overloaded"))]
    agent, _ = automatic(answers, chat(8), model=UNKNOWN)
    events = run_to_end(agent, "go on")
    assert failures(events) == ["the conversation could not be compacted: overloaded", "too long"]


def test_where_there_is_nothing_to_compact_so_are_they() -> None:
    agent, client = automatic([Turn(error=TOO_LONG)], [], model=UNKNOWN)
    events = run_to_end(agent, "go on")
    assert failures(events) == ["too long"]
    assert len(client.requests) == 1


def test_other_failures_of_a_model_call_start_no_compaction() -> None:
    agent, client = automatic([Turn(error=ModelError("overloaded"))], chat(8), model=UNKNOWN)
    assert failures(run_to_end(agent, "go on")) == ["overloaded"]
    assert len(client.requests) == 1


REFUSALS: dict[str, dict[str, Any]] = {
    "anthropic-messages": {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "prompt is too long: 208310 tokens > 200000 maximum"},
    },
    "openai-chat": {
        "error": {
            "message": "This model's maximum context length is 128000 tokens. However, your messages resulted in "
            "150000 tokens. Please reduce the length of the messages.",
            "type": "invalid_request_error",
            "param": "messages",
            "code": "context_length_exceeded",
        }
    },
    "openai-responses": {
        "error": {
            "message": "Your input exceeds the context window of this model. Please adjust your input and try again.",
            "type": "invalid_request_error",
            "param": "input",
            "code": "context_length_exceeded",
        }
    },
}
PROVIDERS = {
    "anthropic-messages": "anthropic",
    "openai-chat": "openai",
    "openai-responses": "openai-responses",
}


def served(server: ScriptedServer, wire: str, path: Path, **options: Any) -> Runtime:
    return Runtime(
        options.pop("model", "scripted"),
        provider=PROVIDERS[wire],
        api_key="key",
        base_url=server.base_url(wire),
        cwd=path,
        files=MemoryFiles(),
        shell=FakeShell(),
        messages=chat(8),
        **options,
    )


@pytest.mark.parametrize("wire", list(REFUSALS))
@pytest.mark.parametrize("place", ["status", "stream"])
async def test_every_wire_is_asked_again_after_an_overflow(wire: str, place: str, tmp_path: Path) -> None:
    message = REFUSALS[wire]["error"]["message"]
    refusal = (
        Turn(fault=Fault(status=400, body=REFUSALS[wire]))
        if place == "status"
        else Turn(error=ModelError(message, code="invalid_request_error", message=message))
    )
    with ScriptedServer([refusal, "the notes", "here I am"]) as server:
        async with served(server, wire, tmp_path, session=tmp_path / "s.jsonl") as rt:
            events = [event async for event in rt.prompt("go on")]
            assert reasons(events) == ["overflow"]
            assert failures(events) == []
            assert rt.messages[0].text.endswith("the notes")
            assert rt.messages[-1].text == "here I am"
            assert len(rt.messages) == 6
        first, summary, again = (str(request.body) for request in server.requests)
    assert "0" in first
    assert "<conversation>" in summary
    assert "the notes" in again
    assert "<conversation>" not in again


@pytest.mark.parametrize("wire", list(REFUSALS))
async def test_every_wire_s_count_reaches_the_threshold(wire: str, tmp_path: Path) -> None:
    turns = [Turn("ok", usage=Usage(input=10_000, output=200, cache_read=7_000)), Turn("the notes", usage=Usage(9, 7))]
    with ScriptedServer(turns) as server:
        async with served(server, wire, tmp_path) as rt:
            rt.agent.model = rt.agent.model.replace(context_window=20_000)
            events = [event async for event in rt.prompt("go on")]
            assert reasons(events) == ["threshold"]
            assert rt.usage.output == 200 + 7
            assert len(rt.messages) == 5
    assert len(server.requests) == 2


def test_a_threshold_out_of_bounds_is_refused_before_the_session_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    session = SessionFile(str(path), Meta("id", "/p", "m", "v", "then"))
    session.append(user_message("hi"))
    session.close()
    with pytest.raises(ConfigError, match="auto_compact must be above 0 and at most 1, got 85"):
        Runtime("m", client=ScriptedClient(), session=path, auto_compact=85)
    stored = load(str(path))
    SessionFile(str(path), stored.meta, resume=stored).close()


def test_stopped_after_the_answer_it_leaves_the_answer_and_the_conversation() -> None:
    agent, _ = automatic([Turn("ok", usage=FULL), Turn("x" * 1000, delay=60)], chat(8))
    agent.hooks.event.add(lambda event: agent.cancel() if isinstance(event, CompactStart) else None)

    events = run_to_end(agent, "go on")

    assert types(events)[-3:] == ["turn_end", "compact_start", "done"]
    assert events[-1] == Done("aborted")
    assert len(agent.history) == 10
    assert agent.history.messages[-1].text == "ok"
