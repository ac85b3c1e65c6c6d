import pytest

from zot_core.agent import user_message
from zot_core.compaction.size import IMAGE_TOKENS, ContextSize, estimate
from zot_core.testing import make_agent, run_to_end
from zot_core.tools.definition.tool import tool
from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.testing import Call, ScriptedClient, Turn
from zot_provider.usage import Usage


@tool
async def echo(text: str) -> str:
    return text


@pytest.mark.parametrize(
    ("block", "tokens"),
    [
        (TextBlock("x" * 40), 10),
        (ImageBlock("image/png", "A" * 1_000_000), IMAGE_TOKENS),
        (ToolCallBlock("id", "read", '{"path": "abc"}!'), 8),
        (ToolResultBlock("id", [TextBlock("x" * 40), ImageBlock("image/png", "")]), 10 + IMAGE_TOKENS),
        (ReasoningBlock("x" * 40, encrypted_content="y" * 1000), 10),
    ],
)
def test_a_token_has_four_characters_at_most_and_an_image_does_not_count_by_its_bytes(
    block: Block, tokens: int
) -> None:
    assert estimate([Message("user", [block])]) == tokens


def test_before_the_provider_has_counted_everything_is_estimated() -> None:
    agent = make_agent(ScriptedClient(), system="x" * 400, messages=[user_message("y" * 800)])
    assert ContextSize(agent).tokens() == 300
    with_tool = make_agent(ScriptedClient(), echo, system="x" * 400, messages=[user_message("y" * 800)])
    assert ContextSize(with_tool).tokens() > 310


@pytest.mark.parametrize(("limit", "exceeds"), [(98, True), (99, True), (299, True), (300, False), (301, False)])
def test_whether_it_exceeds_a_limit_is_known_without_the_sum(limit: int, exceeds: bool) -> None:
    size = ContextSize(make_agent(ScriptedClient(), system="x" * 400, messages=[user_message("y" * 800)]))
    assert size.exceeds(limit) is exceeds


def test_the_provider_s_last_count_is_used_and_later_messages_are_estimated() -> None:
    turns = [Turn(calls=[Call("echo", {"text": "z" * 400})], usage=Usage(1000, 50, 200, 30)), Turn("ok", usage=Usage())]
    agent = make_agent(ScriptedClient(turns), echo)
    size = ContextSize(agent)

    run_to_end(agent, "hi")

    assert 1280 + 100 <= size.tokens() <= 1280 + 110


def test_several_reports_of_one_turn_are_added_and_those_of_earlier_turns_forgotten() -> None:
    turns = [Turn("a", usage=Usage(900, 9)), Turn("b", usage=Usage(1000, 10))]
    agent = make_agent(ScriptedClient(turns))
    size = ContextSize(agent)

    run_to_end(agent, "one")
    run_to_end(agent, "two")

    assert size.tokens() == 1010


def test_a_replaced_conversation_is_estimated_again() -> None:
    agent = make_agent(ScriptedClient([Turn("a", usage=Usage(5000, 10))]))
    size = ContextSize(agent)
    run_to_end(agent, "one")
    assert size.tokens() == 5010

    agent.history.reset([user_message("x" * 40), user_message("y" * 40), user_message("z" * 40)])

    assert size.tokens() == 30


def test_a_count_of_an_earlier_process_holds_until_there_is_another_one() -> None:
    agent = make_agent(ScriptedClient([Turn("a", usage=Usage(5000, 10))]), messages=[user_message("x" * 40)])
    agent.history.counted = (900, 1)
    size = ContextSize(agent)
    assert size.tokens() == 900
    run_to_end(agent, "y" * 40)
    assert size.tokens() == 5010
    agent.history.counted = (900, 1)
    size.forget()
    assert size.tokens() < 100


async def test_a_stopped_turn_is_counted_as_far_as_the_provider_reported() -> None:
    agent = make_agent(ScriptedClient([Turn("a" * 4000, usage=Usage(700, 0), error=RuntimeError("cut"))]))
    size = ContextSize(agent)
    await agent.run(user_message("hi"))
    assert size.tokens() == 1001  # nothing was reported: the partial answer is estimated
