"""The session updates that stored messages become."""

import pytest
from acp_editor import Writer, feed, text_of

from zot_agent.acp.replay import replay
from zot_provider.messages import (
    ImageBlock,
    Message,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)

WRITE = ToolCallBlock("c", "write", '{"path": "a.txt", "content": "new"}')


def test_a_call_without_a_result_has_failed_and_hidden_text_stays_hidden() -> None:
    made, sent = feed()
    messages = [
        Message("user", [TextBlock("look")]),
        Message("assistant", [TextBlock("the SECRET")], display_text="the ***"),
        Message("assistant", [ToolCallBlock("1", "ls", "{}"), ToolCallBlock("2", "bash", '{"command": "x"}')]),
        Message("tool", [ToolResultBlock("1", [TextBlock("a.txt")])]),
    ]
    replay(messages, made, {})
    assert text_of(sent) == "the ***"
    assert text_of(sent, "user_message_chunk") == "look"
    states = {each["toolCallId"]: each["status"] for each in sent if "status" in each}
    assert states == {"1": "completed", "2": "failed"}


def test_the_reason_why_an_answer_is_hidden_is_sent_in_its_place() -> None:
    made, sent = feed()
    replay([Message("assistant", [TextBlock("SECRET")], hidden="blocked by guard")], made, {})
    assert text_of(sent) == "*[zot]* blocked by guard"


def test_a_prompt_is_sent_as_the_user_saw_it_with_a_line_for_each_image() -> None:
    made, sent = feed()
    image = ImageBlock("image/png", "AAAA")
    replay([Message("user", [TextBlock("long"), image], display_text="/short"), Message("user", [image])], made, {})
    assert [each["content"]["text"] for each in sent] == ["/short\n[image/png, 3 bytes]", "[image/png, 3 bytes]"]


def test_the_summary_of_a_compaction_is_a_thought_and_not_a_prompt() -> None:
    made, sent = feed()
    replay([Message("user", [TextBlock("so far")], summarized_tokens=0)], made, {})
    assert (text_of(sent, "agent_thought_chunk"), text_of(sent, "user_message_chunk")) == ("so far", "")


def test_answers_are_paragraphs_and_blank_text_is_none() -> None:
    made, sent = feed()
    blocks = [ReasoningBlock("hm"), TextBlock("One."), TextBlock(" \n"), TextBlock("Two.")]
    replay([Message("assistant", blocks)], made, {})
    assert text_of(sent, "agent_thought_chunk") == "hm"
    assert text_of(sent) == "One.\n\nTwo."


@pytest.mark.parametrize(
    ("is_error", "status", "shown"), [(False, "completed", "new"), (True, "failed", "no such folder")]
)
def test_a_call_is_shown_by_its_tool_as_when_it_ran(is_error: bool, status: str, shown: str) -> None:
    made, sent = feed()
    result = ToolResultBlock("c", [TextBlock("no such folder" if is_error else "written")], is_error)
    replay([Message("assistant", [WRITE]), Message("tool", [result])], made, {"write": Writer()})
    assert sent[-1]["status"] == status
    assert [each["kind"] for each in sent if "kind" in each][-1] == "edit"
    assert shown in sent[-1]["content"][0]["content"]["text"]


def test_a_result_without_its_call_is_left_out() -> None:
    made, sent = feed()
    replay([Message("tool", [ToolResultBlock("nobody", [TextBlock("lost")])])], made, {})
    assert sent == []
