"""The session updates that events become."""

import asyncio

from acp_editor import feed, text_of
from waiting import PATIENCE

from zot_agent.acp.feed import TAIL
from zot_core.compaction.window import Window
from zot_core.conversation.events import MessageAdded, TodoUpdate
from zot_core.display import Todo
from zot_core.events import (
    AssistantMessage,
    AssistantStart,
    CompactDone,
    CompactStart,
    Done,
    ErrorEvent,
    ReasoningDelta,
    SubagentProgress,
    SubagentStart,
    SubagentStop,
    TextDelta,
    ToolCall,
    ToolProgress,
    ToolResultEvent,
    ToolUseStart,
    TurnEnd,
    TurnStart,
    UsageEvent,
    UserMessage,
)
from zot_provider.messages import Message, TextBlock
from zot_provider.usage import Usage


def answer(text: str) -> AssistantMessage:
    return AssistantMessage(Message("assistant", [TextBlock(text)]))


def test_text_is_sent_as_it_comes_and_not_again_as_a_whole() -> None:
    made, sent = feed()
    for event in (AssistantStart(), TextDelta("Hel"), TextDelta("lo."), answer("Hello.")):
        made.show(event)
    assert text_of(sent) == "Hello."


def test_a_call_of_an_answer_that_begins_anew_has_failed() -> None:
    made, sent = feed()
    for event in (AssistantStart(), ToolUseStart("1", "read"), AssistantStart(), TextDelta("all")):
        made.show(event)
    assert [update["status"] for update in sent if update["sessionUpdate"].startswith("tool_call")] == [
        "pending",
        "failed",
    ]


def test_the_list_of_what_is_to_be_done_is_a_plan() -> None:
    made, sent = feed()
    made.show(TodoUpdate([Todo("read", "completed"), Todo("\x1b[31mwrite", "in_progress")]))
    assert sent == [
        {
            "sessionUpdate": "plan",
            "entries": [
                {"content": "read", "priority": "medium", "status": "completed"},
                {"content": "write", "priority": "medium", "status": "in_progress"},
            ],
        }
    ]


def test_the_end_of_a_job_is_a_note_once_the_model_reads_it() -> None:
    made, sent = feed()
    made.start_run(client_prompt=False)
    made.show(UserMessage(Message("user", [TextBlock("[for the model]")], hidden="job 1: ended")))
    assert text_of(sent) == "*[zot]* job 1: ended"


def test_deferred_text_is_sent_once_it_is_complete() -> None:
    made, sent = feed()
    for event in (AssistantStart(deferred=True), TextDelta("secret"), answer("replaced")):
        made.show(event)
    assert text_of(sent) == "replaced"


def test_texts_of_two_turns_are_two_paragraphs() -> None:
    made, sent = feed()
    for event in (TextDelta("One."), TurnEnd("end_turn"), TextDelta("Two.")):
        made.show(event)
    assert text_of(sent) == "One.\n\nTwo."


def test_reasoning_is_a_thought_without_control_sequences() -> None:
    made, sent = feed()
    made.show(ReasoningDelta("\x1b[31mhm"))
    assert text_of(sent, "agent_thought_chunk") == "hm"


def test_only_prompts_that_the_client_does_not_know_are_sent_to_it() -> None:
    made, sent = feed()
    made.start_run(client_prompt=True)
    made.show(UserMessage(Message("user", [TextBlock("known")])))
    made.start_run(client_prompt=False)
    made.show(UserMessage(Message("user", [TextBlock("unknown")])))
    made.show(MessageAdded("ext", Message("user", [TextBlock(" of an extension")])))
    assert text_of(sent, "user_message_chunk") == "unknown of an extension"


def test_a_call_is_announced_described_and_completed() -> None:
    made, sent = feed()
    made.show(ToolCall("c", "bash", '{"command": "ls"}'))
    made.show(ToolResultEvent("c", "bash", False, [TextBlock("a.txt")]))
    assert [each.get("status") for each in sent] == ["pending", None, "completed"]
    assert sent[1]["kind"] == "execute"
    assert sent[2]["content"][0]["content"]["text"] == "a.txt"


def test_a_call_without_a_result_has_failed_at_the_end_of_the_run() -> None:
    made, sent = feed()
    made.show(ToolCall("c", "bash", "{}"))
    made.show(ErrorEvent("no connection"))
    made.show(Done("error"))
    assert sent[-1] == {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed"}
    assert made.failure == "no connection"


def test_a_file_that_is_overwritten_is_a_change_only_if_its_content_is_known() -> None:
    made, _ = feed()
    arguments = {"path": "a.txt", "content": "new"}
    made.show(ToolCall("c", "write", '{"path": "a.txt", "content": "new"}'))
    block = made.written_by("c", arguments)
    assert block is not None
    assert made.overwriting("c", block) == []
    made.remember("c", "old")
    (change,) = made.overwriting("c", block)
    assert (change["oldText"], change["newText"], change["path"]) == ("old", "new", "/proj/a.txt")


async def test_the_output_of_a_running_tool_is_its_end() -> None:
    made, sent = feed()
    made.show(ToolCall("c", "bash", "{}"))
    for _ in range(3):
        made.show(ToolProgress("c", "x" * TAIL))
    made.show(ToolProgress("c", "the end"))
    async with asyncio.timeout(PATIENCE):
        while "content" not in sent[-1]:
            await asyncio.sleep(0.01)
    shown = sent[-1]["content"][0]["content"]["text"]
    assert shown.endswith("the end\n```")
    assert len(shown) < TAIL + 20
    made.show(Done())


def test_the_usage_of_a_turn_is_the_context_in_use_however_many_reports_it_has() -> None:
    made, sent = feed(Window(1000))
    first, rest = Usage(400, 0, 100, 0, 0.25), Usage(0, 30, 0, 0, 0.25)
    for event in (TurnStart(1), UsageEvent(first, first), UsageEvent(rest, first + rest)):
        made.show(event)
    assert [each["used"] for each in sent] == [500, 530]
    for event in (TurnStart(2), UsageEvent(Usage(600), Usage(1000, 30, 100, 0, 0.5))):
        made.show(event)
    assert sent[-1] == sent[0] | {"used": 600, "cost": {"amount": 0.5, "currency": "USD"}}


def test_after_a_compaction_the_context_in_use_is_what_remains() -> None:
    made, sent = feed(Window(1000))
    for event in (
        CompactStart("manual", 9, 800),
        UsageEvent(Usage(810, 90), Usage(810, 90)),
        CompactDone("s", 2, 800, 120),
    ):
        made.show(event)
    assert [each["used"] for each in sent if each["sessionUpdate"] == "usage_update"] == [120]


def test_a_window_that_is_guessed_is_said_to_be() -> None:
    made, sent = feed(Window(32_768, guessed=True))
    made.show(UsageEvent(Usage(100), Usage(100)))
    assert (sent[0]["size"], sent[0]["_meta"]) == (32_768, {"zot": {"guessed": True}})


def test_usage_needs_the_size_of_the_context_window() -> None:
    usage = UsageEvent(Usage(10, 5, 0, 0, 0.5), Usage(10, 5, 0, 0, 0.5))
    made, sent = feed()
    made.show(usage)
    assert sent == []
    made, sent = feed(Window(1000))
    made.show(usage)
    assert sent[0]["size"] == 1000
    assert sent[0]["cost"] == {"amount": 0.5, "currency": "USD"}


def test_events_of_a_sub_agent_come_with_the_call_that_started_it() -> None:
    made, sent = feed()
    made.show(ToolCall("c1", "agent", '{"task": "look"}'))
    before = len(sent)
    made.show(SubagentStart("1", "explore", "look", "m", "", "c1"))
    made.show(SubagentProgress("1", "read: a.py", 12, 0.5))
    made.show(UsageEvent(Usage(90_000, 5), Usage(90_000, 5), "1"))
    made.show(SubagentStop("1", "explore", "completed", "", 2, 15, None, 1.5))
    made.show(SubagentProgress("1", "late", 12, 0.5))
    updates = sent[before:]
    assert [each["toolCallId"] for each in updates] == ["c1"] * 3
    about = [each["_meta"]["zot"] for each in updates]
    assert [each["event"] for each in about] == ["subagent_start", "subagent_progress", "subagent_stop"]
    assert {each["agent_id"] for each in about} == {"1"}
