"""The summary is asked for in the conversation where the server has that in its cache."""

import pytest

from zot_core.agent import Agent, user_message
from zot_core.compaction.compactor import CompactionLimits, Compactor
from zot_core.testing import make_agent
from zot_core.tools.definition.tool import tool
from zot_provider.errors import StatusError
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model
from zot_provider.request import Request
from zot_provider.testing import Call, ScriptedClient, Turn
from zot_provider.testing.turn import Answer
from zot_provider.usage import Usage

WINDOW = Model("m", "v", context_window=100_000)
CACHED = Turn("I see.", usage=Usage(100, 10, cache_read=900))
TOO_LONG = StatusError("too long", status=400, message="prompt is too long: 9 tokens > 8 maximum")
TALK = [
    Message("assistant", [TextBlock(f"{number}")]) if number % 2 else user_message(f"{number}") for number in range(8)
]


@tool
async def echo(text: str) -> str:
    """Say it again."""
    return text


async def compacted(*answers: Answer, limits: CompactionLimits | None = None) -> tuple[Agent, list[Request]]:
    """An agent that has answered once, and then compacted its conversation; and its requests."""
    client = ScriptedClient([*answers])
    agent = make_agent(client, echo, model=WINDOW, messages=TALK, system="be brief")
    compactor = Compactor(agent, limits)
    agent.reasoning = "low"
    await agent.run(user_message("go"))
    await compactor.compact(instructions="mind the roof")
    return agent, client.requests


def is_short(request: Request) -> bool:
    return "<conversation>" in request.messages[0].text


async def test_the_request_for_a_summary_is_the_last_one_and_a_question() -> None:
    agent, (before, asked) = await compacted(CACHED, "the notes")
    assert asked.messages[: len(before.messages)] == before.messages
    assert [message.role for message in asked.messages[len(before.messages) :]] == ["assistant", "user"]
    assert asked.replace(messages=[]) == before.replace(messages=[])
    question = asked.messages[-1].text
    assert "the last 4 messages" in question
    assert "## Next Steps" in question
    assert question.endswith("The user also asks for this: mind the roof")
    assert agent.history.messages[0].text.endswith("## Notes\n\nthe notes")
    assert "mind the roof" not in str(agent.history.messages)


@pytest.mark.parametrize(
    "turn", [Turn(calls=[Call("echo", {"text": "a"})]), Turn(""), Turn(reasoning="hm"), Turn(error=TOO_LONG)]
)
async def test_an_answer_without_text_and_an_overflow_are_followed_by_the_short_request(turn: Turn) -> None:
    agent, requests = await compacted(CACHED, turn, "the notes")
    assert [is_short(request) for request in requests] == [False, False, True]
    assert requests[-1].tools == []
    assert agent.history.messages[0].text.endswith("the notes")


async def test_without_a_cache_the_request_is_short() -> None:
    for answer, limits in (("I see.", None), (CACHED, CompactionLimits(cache_seconds=0))):
        _, requests = await compacted(answer, "the notes", limits=limits)
        assert is_short(requests[-1])


async def test_another_model_has_not_cached_anything() -> None:
    client = ScriptedClient([CACHED, "the notes"])
    agent = make_agent(client, echo, model=WINDOW, messages=TALK)
    compactor = Compactor(agent)
    await agent.run(user_message("go"))
    agent.model = WINDOW.replace(id="n")
    await compactor.compact()
    assert is_short(client.requests[-1])


async def test_a_conversation_that_leaves_no_room_for_notes_is_summarised_by_the_short_request() -> None:
    full = Turn("I see.", usage=Usage(100, 10, cache_read=97_000))
    _, requests = await compacted(full, "the notes")
    assert is_short(requests[-1])


async def test_calls_that_have_not_run_are_not_shown_to_the_model() -> None:
    client = ScriptedClient(
        [
            Turn(calls=[Call("echo", {"text": "a"})], usage=Usage(90_000, cache_read=1)),
            "the notes",
            Turn("done", usage=Usage(1)),
        ]
    )
    agent = make_agent(client, echo, model=WINDOW, messages=TALK)
    Compactor(agent).attach()
    await agent.run(user_message("go"))
    first, asked, last = client.requests
    assert asked.messages[:-1] == first.messages
    assert [message.role for message in last.messages[-2:]] == ["assistant", "tool"]
