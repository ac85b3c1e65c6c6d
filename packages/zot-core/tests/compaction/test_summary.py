import asyncio

import pytest

from zot_core.agent import Agent, user_message
from zot_core.compaction.summary import HEADING, summarise
from zot_core.events import UsageEvent
from zot_core.testing import EventClient, make_agent, record
from zot_core.tools.definition.tool import tool
from zot_provider.client.http import Client
from zot_provider.errors import ModelError, StatusError, StreamCut
from zot_provider.events import TextDelta
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model, Price
from zot_provider.testing import ScriptedClient, Turn
from zot_provider.usage import Usage

TALK = [user_message("build a shed"), Message("assistant", [TextBlock("with what?")])]
TOO_LONG = StatusError("too long", status=400, message="prompt is too long: 9 tokens > 8 maximum")


@tool
async def echo(text: str) -> str:
    return text


def agent_of(client: Client, **fields: int) -> Agent:
    model = Model("m", "v", price=Price(1.0, 10.0), **fields)  # type: ignore[arg-type]
    return make_agent(client, echo, model=model, system="be a carpenter")


def summary(agent: Agent, messages: list[Message] = TALK, instructions: str = "") -> str:
    window = agent.model.context_window
    return asyncio.run(
        summarise(agent, messages, window=window, max_tokens=4096, result_characters=2000, instructions=instructions)
    )


def test_the_conversation_is_shown_as_one_message_without_tools_and_under_a_prompt_of_its_own() -> None:
    client = ScriptedClient(["## Goal\n\nA shed."])

    assert summary(agent_of(client)) == "## Goal\n\nA shed."

    (request,) = client.requests
    assert request.model.id == "m"
    assert request.max_tokens == 4096
    assert request.tools == []
    assert "carpenter" not in request.system
    headings = ("Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context")
    assert all(f"## {name}\n" in request.system for name in headings)
    assert all(f"### {name}\n" in request.system for name in ("Done", "In Progress", "Blocked"))
    (asked,) = request.messages
    assert asked.role == "user"
    assert "<conversation>\n[user]\nbuild a shed\n\n[assistant]\nwith what?\n</conversation>" in asked.text
    assert "earlier_notes" not in asked.text


def test_instructions_are_passed_on() -> None:
    client = ScriptedClient(["ok"])
    summary(agent_of(client), instructions="mind the roof")
    assert client.requests[0].messages[0].text.endswith("mind the roof")


def test_an_earlier_summary_is_shown_as_such() -> None:
    client = ScriptedClient(["ok"])
    earlier = Message("user", [TextBlock(f"{HEADING}\n\n## Goal\n\nA shed.")], summarized_tokens=0)

    summary(agent_of(client), [earlier, *TALK])

    text = client.requests[0].messages[0].text
    assert text.startswith("<earlier_notes>\n## Goal\n\nA shed.\n</earlier_notes>\n\n<conversation>\n[user]\nbuild")
    assert HEADING not in text


def test_its_usage_is_counted_and_reported() -> None:
    agent = agent_of(ScriptedClient([Turn("ok", usage=Usage(1_000_000, 100_000))]))
    agent.usage = Usage(1, 1, cost_usd=1.0)
    events = record(agent)

    summary(agent)

    spent = Usage(1_000_000, 100_000, cost_usd=2.0)
    assert events == [UsageEvent(spent, Usage(1_000_001, 100_001, cost_usd=3.0))]
    assert agent.usage.cost_usd == 3.0


@pytest.mark.parametrize(
    ("fields", "bound"),
    [({}, 4096), ({"max_output": 1000}, 1000), ({"context_window": 8192}, 2048), ({"context_window": 200_000}, 4096)],
)
def test_the_summary_leaves_room_in_a_small_window(fields: dict[str, int], bound: int) -> None:
    client = ScriptedClient(["ok"])
    summary(agent_of(client, **fields))
    assert client.requests[0].max_tokens == bound


def test_a_conversation_longer_than_the_window_is_shown_without_its_middle() -> None:
    client = ScriptedClient(["ok"])
    messages = [user_message("first words"), *[user_message("x" * 1000)] * 100, user_message("last words")]

    summary(agent_of(client, context_window=8192), messages)

    text = client.requests[0].messages[0].text
    assert len(text + client.requests[0].system) < 3 * (8192 - 2048) + 200
    assert "first words" in text
    assert "last words" in text
    assert "characters left out" in text


def test_a_provider_that_finds_it_too_long_is_shown_half_and_then_a_quarter() -> None:
    client = ScriptedClient([Turn(error=TOO_LONG), Turn(error=TOO_LONG), "ok"])
    messages = [user_message("x" * 8000)]

    assert summary(agent_of(client), messages) == "ok"

    first, second, third = (len(request.messages[0].text) for request in client.requests)
    assert first > 8000
    assert 4000 < second < 4300
    assert 2000 < third < 2300


def test_a_provider_that_finds_it_too_long_each_time_is_not_asked_for_ever() -> None:
    client = ScriptedClient([Turn(error=TOO_LONG)], repeat=True)
    with pytest.raises(StatusError):
        summary(agent_of(client))
    assert len(client.requests) == 3


def test_any_other_failure_is_raised_at_once() -> None:
    client = ScriptedClient([Turn(error=ModelError("overloaded"))], repeat=True)
    with pytest.raises(ModelError):
        summary(agent_of(client))
    assert len(client.requests) == 1


def test_an_incomplete_summary_is_an_error() -> None:
    with pytest.raises(StreamCut):
        summary(agent_of(EventClient([TextDelta("half a summ")])))


def test_a_heading_that_the_model_repeats_is_taken_off() -> None:
    assert summary(agent_of(ScriptedClient([f"{HEADING}\n\n## Goal\n"]))) == "## Goal"
