"""The words for what the agent does at the moment."""

from zot_agent.ui.rows.activity import ActivityLabel
from zot_core.conversation.events import ConversationEvent, ShellEnd, ShellOutput, ShellStart
from zot_core.conversation.shell_command import ShellCommand, ShellResult
from zot_core.events import (
    AssistantStart,
    AutoRetryEnd,
    AutoRetryStart,
    CompactDone,
    CompactStart,
    Done,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolProgress,
    ToolResultEvent,
    ToolStart,
    ToolUseArgs,
    ToolUseEnd,
    ToolUseStart,
    TurnEnd,
    TurnStart,
)


def said(*events: ConversationEvent) -> list[str]:
    """The labels that came, one for each change."""
    activity = ActivityLabel()
    return [activity.label for event in events if activity.follow(event)]


def ended(id: str) -> ToolResultEvent:
    return ToolResultEvent(id, "read", is_error=False, content=[], arguments="{}")


def test_a_run_thinks_then_answers_then_calls_then_runs() -> None:
    assert said(
        TurnStart(1), AssistantStart(), ReasoningDelta("hm"), ReasoningDelta("hm"), TextDelta("I "), TextDelta("look."),
        ToolUseStart("1", "read"), ToolUseArgs("1", '{"pa'), ToolUseArgs("1", 'th": "a"}'), ToolUseEnd("1"),
        ToolUseStart("2", "bash"), ToolUseEnd("2"), ToolCall("1", "read", "{}"), ToolCall("2", "bash", "{}"),
        TurnEnd("tool_use"), ToolStart("1", "read"), ended("1"), ToolStart("2", "bash"), ToolProgress("2", "x"),
        ended("2"), TurnStart(2), AssistantStart(), TextDelta("Done."), TurnEnd("end_turn"), Done(),
    ) == [
        "thinking", "answering", "calling read", "calling bash", "running", "thinking",
        "answering", "",
    ]  # fmt: skip


def test_calls_side_by_side_are_counted_until_one_is_left() -> None:
    assert said(
        ToolStart("1", "read"), ToolStart("2", "read"), ToolStart("3", "ls"), ended("2"), ended("1"), ended("3")
    ) == ["running", "running 2 calls", "running 3 calls", "running 2 calls", "running"]


def test_a_call_that_was_refused_leaves_what_is_said_as_it_is() -> None:
    assert said(ToolUseStart("1", "bash"), ended("1"), TurnStart(2)) == ["calling bash", "thinking"]


def test_every_run_begins_with_a_word_of_its_own_even_if_calls_of_the_last_one_never_ended() -> None:
    assert said(TurnStart(1), ToolStart("1", "bash"), Done("error"), TurnStart(1), ToolStart("1", "ls")) == [
        "thinking", "running", "", "thinking", "running",
    ]  # fmt: skip


def test_a_compaction_within_a_run_is_told_and_over_when_the_model_is_asked_again() -> None:
    assert said(
        TurnStart(1), AssistantStart(), CompactStart("overflow", 9, 9000), CompactDone("short"), AssistantStart()
    ) == ["thinking", "summarising the conversation", "thinking"]


def test_each_repetition_of_a_model_call_is_counted_until_the_answer_begins() -> None:
    assert said(
        TurnStart(1), AutoRetryStart(1, 3, 2000, "busy"), AutoRetryStart(2, 3, 4000, "busy"), AutoRetryEnd(True, 2),
        TextDelta("Done."),
    ) == ["thinking", "trying again (1 of 3)", "trying again (2 of 3)", "answering"]  # fmt: skip


def test_a_shell_command_runs_until_it_has_ended() -> None:
    command = ShellCommand("make")
    assert said(ShellStart(command), ShellOutput("x"), ShellEnd(ShellResult(command, "$ make")), TurnStart(1)) == [
        "running", "", "thinking",
    ]  # fmt: skip
