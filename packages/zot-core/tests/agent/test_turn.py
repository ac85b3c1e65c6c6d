import asyncio

import pytest

from zot_core.agent import Agent, user_message
from zot_core.errors import Refused
from zot_core.events import (
    AgentEvent,
    AssistantMessage,
    AssistantStart,
    AutoRetryStart,
    Notice,
    TextDelta,
    ToolCall,
    ToolResultEvent,
    TurnEnd,
    UsageEvent,
)
from zot_core.hooks import ModelCallFailure
from zot_core.testing import EventClient, make_agent, run_to_end, types
from zot_core.tools.definition.tool import Tool, tool
from zot_provider.errors import ModelError
from zot_provider.events import Stop, StreamEnd, ToolUseArgs, ToolUseStart, UsageReport
from zot_provider.messages import ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock
from zot_provider.model import Model, Price
from zot_provider.testing import Call, ScriptedClient, Turn
from zot_provider.usage import Usage


@tool
async def echo(text: str) -> str:
    return text


def named(name: str) -> Tool:
    @tool(name=name)
    async def nothing() -> str:
        return ""

    return nothing


def shown(events: list[AgentEvent]) -> list[str]:
    return [event.message.text for event in events if isinstance(event, AssistantMessage)]


def test_tools_are_sent_sorted_by_name() -> None:
    client = ScriptedClient(["ok"])

    run_to_end(make_agent(client, named("write"), named("bash"), named("edit")), "hi")

    assert [spec.name for spec in client.requests[0].tools] == ["bash", "edit", "write"]


def test_the_system_prompt_stays_the_same_and_each_request_begins_with_the_one_before() -> None:
    client = ScriptedClient([Turn("a", calls=[Call("echo", {"text": "x"})]), "b", "c"])
    agent = make_agent(client, echo, system="be brief")
    given = iter(["first", "second"])
    agent.hooks.system_prompt.add(lambda system: f"{system} {next(given)}")

    run_to_end(agent, "one")
    run_to_end(agent, "two")

    assert {request.system for request in client.requests} == {"be brief first"}
    for before, after in zip(client.requests, client.requests[1:], strict=False):
        assert after.tools == before.tools
        assert after.messages[: len(before.messages)] == before.messages


def test_hooks_are_asked_for_the_system_prompt_again_after_a_refresh_and_may_remove_it() -> None:
    client = ScriptedClient(["a", "b"])
    agent = make_agent(client, system="be brief")
    run_to_end(agent, "one")
    agent.hooks.system_prompt.add(lambda system: "")

    agent.refresh()
    run_to_end(agent, "two")

    assert [request.system for request in client.requests] == ["be brief", ""]


def test_a_hook_changes_the_request_and_not_the_transcript() -> None:
    client = ScriptedClient(["ok"])
    agent = make_agent(client)
    agent.hooks.request.add(lambda request: request.replace(messages=[], max_tokens=7))

    run_to_end(agent, "hi")

    assert client.requests[0].messages == []
    assert client.requests[0].max_tokens == 7
    assert [message.text for message in agent.history.messages] == ["hi", "ok"]


def test_every_usage_report_is_an_increment_with_its_price_and_the_sum_so_far() -> None:
    end = StreamEnd("end_turn", [TextBlock("x")])
    reports = [UsageReport(Usage(input=1_000_000)), UsageReport(Usage(output=500_000))]
    agent = make_agent(EventClient([*reports, end]), model=Model("m", "v", price=Price(input=3, output=10)))

    events = [event for event in run_to_end(agent, "hi") if isinstance(event, UsageEvent)]

    first, second = Usage(input=1_000_000, cost_usd=3), Usage(output=500_000, cost_usd=5)
    assert events == [UsageEvent(first, first), UsageEvent(second, first + second)]
    assert agent.usage == first + second


@pytest.mark.parametrize(
    ("stop", "calls", "told"),
    [
        ("end_turn", False, "end_turn"),
        ("length", False, "length"),
        ("tool_use", False, "end_turn"),
        ("tool_use", True, "tool_use"),
        ("end_turn", True, "tool_use"),
        ("length", True, "length"),
    ],
)
def test_a_turn_ends_with_one_of_the_documented_stops(stop: Stop, calls: bool, told: str) -> None:
    turn = Turn("x", calls=[Call("echo", {"text": "a"})] if calls else [], stop=stop)

    events = run_to_end(make_agent(ScriptedClient([turn, "ok"]), echo), "hi")

    assert next(event.stop for event in events if isinstance(event, TurnEnd)) == told


def test_an_empty_answer_leaves_no_message() -> None:
    agent = make_agent(ScriptedClient([Turn()]))

    events = run_to_end(agent, "hi")

    assert types(events)[-2:] == ["turn_end", "done"]
    assert len(agent.history) == 1


def test_a_replaced_answer_is_shown_while_the_model_keeps_its_own_words() -> None:
    client = ScriptedClient([Turn("the password is x", calls=[Call("echo", {"text": "a"})]), "ok"])
    agent = make_agent(client, echo)
    agent.hooks.assistant_message.add(lambda text: text.replace("x", "***"))

    events = run_to_end(agent, "hi")

    assert shown(events) == ["the password is ***", "ok"]
    kept = agent.history.messages[1]
    assert kept.text == "the password is x"
    assert kept.display_text == "the password is ***"
    assert client.requests[1].messages[1].text == "the password is x"
    assert agent.history.messages[-1].display_text is None
    assert any(isinstance(event, ToolResultEvent) for event in events)


def test_each_hook_sees_the_output_of_the_one_before_and_an_empty_text_changes_nothing() -> None:
    agent = make_agent(ScriptedClient(["a"]))
    agent.hooks.assistant_message.add(lambda text: text + "b")
    agent.hooks.assistant_message.add(lambda text: "")
    agent.hooks.assistant_message.add(lambda text: text + "c")

    assert shown(run_to_end(agent, "hi")) == ["abc"]


def test_an_answer_that_hooks_leave_as_it_is_has_no_display_text() -> None:
    agent = make_agent(ScriptedClient(["a"]))
    agent.hooks.assistant_message.add(lambda text: "")
    agent.hooks.assistant_message.add(lambda text: text)

    assert shown(run_to_end(agent, "hi")) == ["a"]
    assert agent.history.messages[-1].display_text is None


def test_a_hidden_answer_stays_in_the_transcript_and_its_tools_still_run() -> None:
    def hide(text: str) -> None:
        if text == "secret":
            raise Refused("it holds a key")

    agent = make_agent(ScriptedClient([Turn("secret", calls=[Call("echo", {"text": "a"})]), "ok"]), echo)
    agent.hooks.assistant_message.add(hide)

    events = run_to_end(agent, "hi")

    assert shown(events) == ["ok"]
    assert Notice("warn", "it holds a key") in events
    assert agent.history.messages[1].text == "secret"
    assert agent.history.messages[1].hidden == "it holds a key"
    assert [event.content for event in events if isinstance(event, ToolResultEvent)] == [[TextBlock("a")]]


def test_a_hook_that_fails_hides_the_answer() -> None:
    def broken(text: str) -> None:
        raise KeyError(text)

    agent = make_agent(ScriptedClient(["secret"]))
    agent.hooks.assistant_message.add(broken)

    events = run_to_end(agent, "hi")

    assert shown(events) == []
    assert agent.history.messages[1].hidden


async def test_the_hook_is_asked_for_a_part_of_an_answer_too() -> None:
    asked: list[str] = []
    client = EventClient([TextDelta("one"), TextDelta(" two"), None])
    agent = make_agent(client)
    agent.hooks.assistant_message.add(lambda text: asked.append(text) or text.upper())
    task = asyncio.ensure_future(agent.run())
    await client.hanging.wait()
    agent.cancel()
    await task

    assert asked == ["one two"]
    assert agent.history.messages[0].display_text == "ONE TWO"


def test_the_text_blocks_of_an_answer_are_asked_about_as_lines() -> None:
    asked: list[str] = []
    content = [TextBlock("one"), ReasoningBlock("hm"), TextBlock("two")]
    agent = make_agent(EventClient([StreamEnd("end_turn", [*content])]))
    agent.hooks.assistant_message.add(asked.append)

    run_to_end(agent, "hi")

    assert asked == ["one\ntwo"]


def test_an_answer_without_text_calls_no_hook_and_emits_a_message_with_its_calls() -> None:
    asked: list[str] = []
    agent = make_agent(ScriptedClient([Turn(reasoning="hm", calls=[Call("echo", {"text": "a"})]), "ok"]), echo)
    agent.hooks.assistant_message.add(asked.append)

    events = run_to_end(agent, "hi")

    assert shown(events) == ["", "ok"]
    assert asked == ["ok"]
    first = next(event for event in events if isinstance(event, AssistantMessage))
    assert [call.name for call in first.message.tool_calls] == ["echo"]
    kinds = [type(event) for event in events]
    assert kinds.index(AssistantMessage) < kinds.index(ToolCall)


async def test_a_complete_answer_is_kept_whole_when_the_abort_comes_before_the_stream_is_closed() -> None:
    content = [ReasoningBlock("hm", signature="s"), TextBlock("all of it")]
    client = EventClient([TextDelta("all of it"), StreamEnd("end_turn", [*content]), None])
    agent = make_agent(client)
    task = asyncio.ensure_future(agent.run())
    await client.hanging.wait()
    agent.cancel()
    assert await task == "aborted"

    assert agent.history.messages[0].content == content


def test_a_replacement_takes_the_place_of_the_first_text_and_of_no_other_block() -> None:
    image, call = ImageBlock("image/png", ""), ToolCallBlock("1", "echo", "{}")
    blocks = [ReasoningBlock("hm"), TextBlock("a"), image, TextBlock("b"), call]

    assert Message("assistant", blocks, display_text="new").shown == [
        ReasoningBlock("hm"),
        TextBlock("new"),
        image,
        call,
    ]
    assert Message("assistant", blocks, hidden="why").shown == [ReasoningBlock("hm"), image, call]


class Overflows:
    """A handler of `call_failed` that asks again, and remembers what it was told."""

    def __init__(self, agent: Agent) -> None:
        self.errors: list[str] = []
        self.agent = agent
        agent.hooks.call_failed.add(self.ask_again)

    async def ask_again(self, failed: ModelCallFailure) -> ModelCallFailure:
        self.errors.append(str(failed.error))
        self.agent.history.reset([user_message("shorter")])
        return failed.replace(retry=True)


def test_a_call_that_failed_is_made_again_in_the_same_turn_where_a_hook_has_put_it_right() -> None:
    client = ScriptedClient([Turn(error=ModelError("too long")), "ok"])
    agent = make_agent(client)
    agent.hooks.request.add(lambda request: request.replace(temperature=0.5))
    handler = Overflows(agent)

    events = run_to_end(agent, "hi")

    assert handler.errors == ["too long"]
    assert types(events) == [
        *("user_message", "turn_start", "assistant_start", "text_delta", "usage", "assistant_message", "turn_end"),
        "done",
    ]
    assert [request.messages[0].text for request in client.requests] == ["hi", "shorter"]
    assert client.requests[1].temperature == 0.5


def test_it_is_made_again_once() -> None:
    client = ScriptedClient([Turn(error=ModelError("too long"))], repeat=True)
    handler = Overflows(make_agent(client))

    events = run_to_end(handler.agent, "hi")

    assert handler.errors == ["too long"]
    assert len(client.requests) == 2
    assert [event.error for event in events if isinstance(event, TurnEnd)] == ["too long"]


def test_a_call_that_fails_in_the_middle_of_its_answer_is_made_again_where_a_hook_has_put_it_right() -> None:
    client = ScriptedClient([Turn("half an", error=ModelError("too long")), "all"])
    agent = make_agent(client)
    handler = Overflows(agent)

    events = run_to_end(agent, "hi")

    assert handler.errors == ["too long"]
    starts = [at for at, event in enumerate(events) if isinstance(event, AssistantStart)]
    assert len(starts) == 2
    assert any(isinstance(event, TextDelta) for event in events[starts[0] : starts[1]])
    assert [event.message.text for event in events if isinstance(event, AssistantMessage)] == ["all"]


BROKEN = AutoRetryStart(1, 3, 2000, "broke off")


def test_an_answer_that_begins_anew_replaces_all_that_came_of_the_first_one() -> None:
    first = [TextDelta("half a"), ToolUseStart("1", "read"), ToolUseArgs("1", '{"pa')]
    agent = make_agent(EventClient([*first, BROKEN, TextDelta("all"), StreamEnd("end_turn", [TextBlock("all")])]))

    events = run_to_end(agent, "hi")

    assert types(events) == [
        *("user_message", "turn_start", "assistant_start", "text_delta", "tool_use_start", "tool_use_args"),
        *("auto_retry_start", "assistant_start", "auto_retry_end", "text_delta", "assistant_message", "turn_end"),
        "done",
    ]
    assert agent.history.messages[-1].content == [TextBlock("all")]


def test_the_part_of_an_answer_that_was_read_is_kept_if_no_other_one_comes() -> None:
    agent = make_agent(EventClient([TextDelta("half a"), BROKEN, ModelError("overloaded")]))

    events = run_to_end(agent, "hi")

    assert types(events).count("assistant_start") == 1
    assert agent.history.messages[-1].content == [TextBlock("half a")]


def test_half_of_the_second_answer_is_kept_without_the_first_one() -> None:
    agent = make_agent(EventClient([TextDelta("half a"), BROKEN, TextDelta("other"), ModelError("overloaded")]))

    run_to_end(agent, "hi")

    assert agent.history.messages[-1].content == [TextBlock("other")]


def test_without_a_hook_that_sets_retry_the_failure_is_raised() -> None:
    client = ScriptedClient([Turn(error=ModelError("overloaded"))])
    agent = make_agent(client)
    agent.hooks.call_failed.add(lambda failed: None)

    events = run_to_end(agent, "hi")

    assert [event.error for event in events if isinstance(event, TurnEnd)] == ["overloaded"]
    assert len(client.requests) == 1
