"""What happens, and the cells it becomes."""

from collections.abc import Sequence
from typing import Any

import pytest

from zot_agent.ui.presenter import Presenter
from zot_core.conversation.events import (
    ClearNotes,
    ConversationEvent,
    Display,
    Notify,
    ShellEnd,
    ShellOutput,
    ShellStart,
    Submit,
)
from zot_core.conversation.shell_command import ShellCommand, ShellResult
from zot_core.display import CodeDisplay, TerminalDisplay, TextDisplay
from zot_core.events import (
    AssistantMessage,
    AssistantStart,
    AutoRetryStart,
    CompactDone,
    Done,
    ErrorEvent,
    Fate,
    Notice,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolProgress,
    ToolResultEvent,
    ToolStart,
    ToolUseStart,
    TurnEnd,
    TurnStart,
    UserMessage,
)
from zot_core.sessions.totals import LONG, RunCounter, SessionTotals
from zot_provider.messages import Block, ImageBlock, Message, Role, TextBlock, ToolCallBlock, ToolResultBlock
from zot_tui.text.runs import plain
from zot_tui.widgets.transcript.cell import CellStyle
from zot_tui.widgets.transcript.transcript import Transcript


class Stage:
    """A presenter with its transcript, and a clock that a test turns."""

    def __init__(self, tools: Sequence[str] = ()) -> None:
        self.now = 100.0
        self.transcript = Transcript()
        self.run, self.totals = RunCounter({}, lambda: self.now), SessionTotals()
        self.presenter = Presenter(
            self.transcript, CellStyle(), dict.fromkeys(tools), self.run, lambda: self.totals, lambda: self.now
        )

    def show(self, *events: ConversationEvent) -> None:
        for event in events:
            self.run.follow(event)
            self.presenter.show(event)

    def lines(self) -> list[str]:
        """What is drawn in 60 columns, without blank rows."""
        return [line for row in self.transcript.last_rows(60, 100_000) if (line := plain(row).strip())]


def said(role: Role, text: str) -> Message:
    return Message(role, [TextBlock(text)])


def output(id: str, text: str, **fields: Any) -> ToolResultEvent:
    return ToolResultEvent(id, "tool", is_error=False, content=[TextBlock(text)], arguments="{}", **fields)


@pytest.mark.parametrize("deferred", [False, True])
def test_text_stands_before_the_calls_that_came_after_it(deferred: bool) -> None:
    stage = Stage()
    stage.show(UserMessage(said("user", "go")), TurnStart(1), AssistantStart(deferred), TextDelta("I look."))
    assert stage.lines() == (["▌ go"] if deferred else ["▌ go", "I look."])
    stage.show(ToolUseStart("1", "tool"), ToolCall("1", "tool", "{}"), AssistantMessage(said("assistant", "I look.")))
    stage.show(TurnEnd("tool_use"), output("1", "a result"), Done())
    assert stage.lines() == ["▌ go", "I look.", "● tool", "a result", "worked for 0.0s"]


def test_an_answer_that_was_replaced_stands_where_its_text_was() -> None:
    stage = Stage()
    stage.show(TurnStart(1), AssistantStart(deferred=True), TextDelta("one secret"), ToolUseStart("1", "tool"))
    stage.show(AssistantMessage(said("assistant", "one ******")), TurnEnd("tool_use"), output("1", "r"))
    stage.show(TurnStart(2), AssistantStart(deferred=True), TextDelta("hidden"), TurnEnd("end_turn"), Done())
    assert stage.lines() == ["one ******", "● tool", "r", "worked for 0.0s"]


def test_an_answer_that_another_hook_changed_takes_the_place_of_what_was_shown() -> None:
    stage = Stage()
    stage.show(TurnStart(1), AssistantStart(), TextDelta("one secret"), AssistantMessage(said("assistant", "changed")))
    assert stage.lines() == ["changed"]


BROKE = AutoRetryStart(1, 3, 2000, "local: the answer broke off")


def test_text_that_was_read_stays_above_the_answer_that_begins_again_and_is_said_to_be_cut_off() -> None:
    stage = Stage()
    stage.show(TurnStart(1), AssistantStart(), ReasoningDelta("hm"), TextDelta("half a"), ToolUseStart("1", "read"))
    stage.show(BROKE, AutoRetryStart(2, 3, 4000, "local: overloaded"))
    stage.show(AssistantStart(), TextDelta("all of it"), AssistantMessage(said("assistant", "all of it")))
    stage.show(TurnEnd("end_turn"), Done())
    cut = "cut off, and asked again: local: the answer broke off"
    assert stage.lines() == ["half a", cut, "local: overloaded", "all of it"]


def test_each_answer_that_breaks_off_is_said_to_be_cut_off() -> None:
    stage = Stage()
    stage.show(TurnStart(1), AssistantStart(), TextDelta("one"), BROKE)
    stage.show(AssistantStart(), TextDelta("two"), AssistantStart(), TextDelta("three"))  # as for another model
    stage.show(AssistantMessage(said("assistant", "three")), TurnEnd("tool_use"), TurnStart(2), AssistantStart())
    cut = "cut off, and asked again"
    assert stage.lines() == ["one", f"{cut}: local: the answer broke off", "two", cut, "three"]


@pytest.mark.parametrize("deferred", [False, True])
def test_what_nobody_has_read_gives_its_place_to_the_answer_that_begins_again(deferred: bool) -> None:
    stage = Stage()
    stage.show(TurnStart(1), AssistantStart(deferred), ReasoningDelta("hm"), TextDelta("secret" if deferred else "\n"))
    stage.show(ToolUseStart("1", "read"), BROKE, AssistantStart(deferred), TextDelta("all"))
    stage.show(AssistantMessage(said("assistant", "all")))
    assert stage.lines() == ["local: the answer broke off", "all"]


def test_a_cut_answer_is_shown_once_if_no_other_one_comes() -> None:
    stage = Stage()
    stage.show(
        TurnStart(1), AssistantStart(), TextDelta("half a"), BROKE, AssistantMessage(said("assistant", "half a"))
    )
    stage.show(TurnEnd("error", "gone"), Done("error"))
    assert stage.lines() == ["half a", "cut off, and asked again: local: the answer broke off", "✗ gone"]


def test_thoughts_end_when_text_or_a_call_begins() -> None:
    stage = Stage()
    stage.show(TurnStart(1), AssistantStart(), ReasoningDelta("let me "), ReasoningDelta("see"))
    assert stage.lines() == ["∴ Thinking: let me see"]
    stage.now += 7
    stage.show(TextDelta("\n"), TextDelta("So."), TurnEnd("end_turn"))
    assert stage.lines() == ["∴ Thought for 7.0s: let me see", "So."]


def test_progress_is_shown_until_the_result_comes_with_a_display_of_its_own() -> None:
    stage = Stage()
    stage.show(ToolCall("1", "tool", '{"path": "a.py"}'), ToolProgress("1", "half\n"))
    assert stage.lines()[1:] == ["half"]
    stage.now += 3
    stage.show(output("1", "for the model", display=[CodeDisplay("a.py", "x = 1\n")]))
    assert "x = 1" in stage.lines()[-1]
    assert "for the model" not in stage.lines()
    stage.show(ToolProgress("1", "too late"), ToolProgress("unknown", "?"))
    assert "too late" not in stage.lines()


def test_what_did_not_run_is_marked_and_what_has_no_result_is_stopped() -> None:
    stage = Stage()
    content: list[TextBlock | ImageBlock] = [TextBlock("aborted: not run")]
    stage.show(ToolCall("1", "one", "{}"), ToolCall("2", "two", "{}"), ToolCall("3", "three", "{}"))
    stage.show(ToolResultEvent("1", "one", is_error=True, content=content, fate="stopped"))
    stage.show(ToolResultEvent("2", "two", is_error=True, content=[TextBlock("no")], arguments="{}"), Done("aborted"))
    assert stage.lines() == ["■ one", "aborted: not run", "✗ two", "no", "■ three"]


def test_what_a_call_had_printed_is_shown_when_it_was_stopped() -> None:
    stage = Stage()
    stage.show(ToolCall("1", "one", "{}"), ToolCall("2", "two", "{}"), ToolProgress("1", "a\nb\n"))
    stopped = ToolResultEvent("1", "one", is_error=True, content=[TextBlock("aborted: x")], fate="stopped")
    stage.show(ToolProgress("2", "half"), stopped, Done("aborted"))
    assert stage.lines() == ["■ one", "a", "b", "aborted: x", "■ two", "half"]


def test_a_call_that_did_not_run_says_whether_it_was_refused_or_could_not() -> None:
    stage = Stage(tools=("one", "two"))
    fates: list[tuple[str, Fate, str]] = [
        ("one", "refused", "aborted: not in this house"),
        ("two", "not_run", "the arguments of two are not valid JSON"),
        ("three", "not_run", 'unknown tool "three"'),
        ("one", "stopped", "not run, the turn was stopped by the user"),
    ]
    for name, fate, why in fates:
        stage.show(ToolCall("1", name, "{}"))
        stage.now += 9  # the time that a person took to say no is none of the call's
        stage.show(ToolResultEvent("1", name, is_error=True, content=[TextBlock(why)], fate=fate))
    stage.show(Done())
    assert stage.lines() == [
        "⊘ one  refused", "aborted: not in this house",
        "✗ two  not run", "the arguments of two are not valid JSON",
        "✗ three  not run", 'unknown tool "three"',
        "■ one", "not run, the turn was stopped by the user",
    ]  # fmt: skip


def test_the_time_of_a_call_is_that_of_its_tool_without_the_wait_for_a_yes_or_for_another_call() -> None:
    stage = Stage()
    stage.show(ToolUseStart("1", "one"), ToolCall("1", "one", "{}"), ToolCall("2", "two", "{}"))
    stage.now += 60
    stage.presenter.spin(0)
    assert [line[2:] for line in stage.lines()] == ["one", "two"]
    stage.show(ToolStart("1", "one"))
    stage.now += 3
    stage.presenter.spin(0)
    assert [line[2:] for line in stage.lines()] == ["one  3.0s", "two"]
    stage.show(output("1", "fine"), ToolStart("2", "two"))
    stage.now += 2
    stage.show(output("2", "fine"), Done())
    stage.presenter.spin(0)
    assert stage.lines() == ["● one  3.0s", "fine", "● two  2.0s", "fine"]


def test_a_tool_that_says_aborted_itself_has_failed() -> None:
    stage = Stage()
    failed = ToolResultEvent("1", "one", is_error=True, content=[TextBlock("aborted: by itself")], arguments="{}")
    stage.show(ToolCall("1", "one", "{}"), ToolStart("1", "one"), failed, Done("aborted"))
    assert stage.lines() == ["✗ one", "aborted: by itself", "stopped"]


@pytest.mark.parametrize(
    ("commands", "below"),
    [
        (1, ["▌ + output of 1 command"]),
        (2, ["▌ + output of 2 commands"]),
        (0, ["▌ … the model reads 5 lines (ctrl+o)"]),
    ],
)
def test_of_a_prompt_behind_the_output_of_commands_the_words_of_the_person_are_shown(
    commands: int, below: list[str]
) -> None:
    stage = Stage()
    message = said("user", "$ ls\n\na\n\nwhat is that?")
    message.display_text, message.commands = "what is that?", commands
    stage.show(UserMessage(message))
    stage.transcript.append(*stage.presenter.stored.cells([message]))
    assert stage.lines() == ["▌ what is that?", *below] * 2


def test_a_run_that_was_stopped_says_so_unless_a_call_does() -> None:
    stage = Stage()
    stage.show(UserMessage(said("user", "go")), TurnStart(1), AssistantStart(), TextDelta("So"), Done("aborted"))
    assert stage.lines() == ["▌ go", "So", "stopped"]
    stage.show(ToolCall("1", "one", "{}"), Done("aborted"))
    assert stage.lines()[3:] == ["■ one"]


def test_a_message_into_the_work_does_not_begin_its_time_anew() -> None:
    stage = Stage()
    stage.show(UserMessage(said("user", "go")))
    stage.now += LONG
    stage.show(UserMessage(said("user", "faster")))
    stage.now += 1
    stage.show(Done())
    assert stage.lines()[-1] == "worked for 11s"


def test_the_reason_of_a_run_that_failed_is_told_once() -> None:
    stage = Stage()
    stage.show(TurnStart(1), TurnEnd("error", "no server"), ErrorEvent("no server"), Done("error"))
    assert stage.lines() == ["✗ no server"]
    stage.show(TurnStart(1), TurnEnd("error", "not on a Sunday"), Done("refused"))
    assert stage.lines() == ["✗ no server", "✗ not on a Sunday"]
    stage.show(TurnStart(1), TurnEnd("end_turn"), Done())
    assert len(stage.lines()) == 2


def test_a_turn_that_took_long_says_so() -> None:
    stage = Stage()
    stage.show(UserMessage(said("user", "go")))
    stage.now += LONG + 1
    stage.show(Done())
    assert stage.lines()[-1] == "worked for 11s"
    stage.show(UserMessage(said("user", "go")), Done())
    assert stage.lines()[-1] == "▌ go"


def test_notices_have_their_level() -> None:
    stage = Stage()
    stage.show(Notice("warn", "careful"), Notice("info", "by the way"))
    assert stage.lines() == ["careful", "by the way"]


def test_notes_of_one_extension_are_taken_away_without_the_others() -> None:
    stage = Stage()
    stage.presenter.note("one", name="a")
    stage.presenter.note("two", name="b")
    stage.presenter.note("own")
    assert stage.presenter.clear_notes("a")
    assert not stage.presenter.clear_notes("a")
    assert stage.lines() == ["[b] two", "own"]
    assert stage.presenter.clear_notes()
    assert stage.lines() == ["own"]
    assert not stage.presenter.clear_notes()


def test_a_conversation_of_before_has_its_calls_with_their_results() -> None:
    stage = Stage()
    messages = [
        said("user", "go"),
        Message("assistant", [TextBlock("I look."), ToolCallBlock("1", "a", "{}"), ToolCallBlock("2", "b", "{}")]),
        Message("tool", [ToolResultBlock("1", [TextBlock("fine")]), ToolResultBlock("9", [TextBlock("stray")])]),
    ]
    stage.transcript.append(*stage.presenter.stored.cells(messages))
    assert stage.lines() == ["▌ go", "I look.", "● a", "fine", "■ b"]


def test_an_answer_in_pieces_that_was_replaced_is_shown_once() -> None:
    stage = Stage()
    blocks: list[Block] = [TextBlock("one"), ToolCallBlock("1", "a", "{}"), TextBlock("two")]
    stage.transcript.append(*stage.presenter.stored.cells([Message("assistant", blocks, display_text="both")]))
    assert stage.lines() == ["both", "■ a"]


def test_text_of_a_result_is_what_the_model_read() -> None:
    stage = Stage()
    stage.show(output("1", "plain"), output("2", "shown", display=[TextDisplay("displayed")]))
    assert stage.lines() == ["● tool", "plain", "● tool", "displayed"]


def test_a_compaction_is_a_row_of_its_own_whose_summary_can_be_read() -> None:
    stage = Stage()
    stage.show(CompactDone("A *shed*.", kept=1, tokens_before=12_300, tokens_after=1200), Done())
    head = "≡ Summary of the conversation"
    assert stage.lines() == [f"{head}  12.3k → 1.2k tokens of messa…"]
    (cell,) = stage.transcript.cells
    cell.expanded = True
    assert stage.lines()[1:] == ["A shed."]
    for before, fact in ((12_300, "  of 12.3k tokens of messages"), (0, "")):
        message = Message("user", [TextBlock("## Context Summary (compacted)\n\nA *shed*.")], summarized_tokens=before)
        (cell,) = stage.presenter.stored.cells([message])
        cell.expanded = True
        rows = ["".join(text for _, text in row).strip() for chunk in cell.chunks for row in chunk.rows(80)]
        assert rows == [head + fact, "", "A shed."]


@pytest.mark.parametrize(
    ("fate", "shown"),
    [("stopped", "■ one"), ("refused", "⊘ one  refused"), ("not_run", "✗ one  not run"), ("ran", "✗ one")],
)
def test_what_became_of_a_call_of_before_is_still_shown(fate: Fate, shown: str) -> None:
    stage = Stage()
    result = ToolResultBlock("1", [TextBlock("aborted: by someone")], is_error=True, fate=fate)
    messages = [Message("assistant", [ToolCallBlock("1", "one", "{}")]), Message("tool", [result])]
    stage.transcript.append(*stage.presenter.stored.cells(messages))
    assert stage.lines()[0] == shown


def test_what_extensions_tell_is_shown_with_their_names() -> None:
    stage = Stage()
    stage.show(Notify("a", "warn", "careful"), Display("b", "one\ntwo"), Submit("c", "hello", "not now"))
    stage.show(Submit("c", "sent"))
    assert stage.lines() == ["[a] careful", "[b] one", "two", "[c] not now"]
    stage.show(ClearNotes("b"))
    assert stage.lines() == ["[a] careful", "[c] not now"]


def test_a_shell_command_shows_its_output_and_how_it_ended() -> None:
    stage = Stage()
    command = ShellCommand("make")
    stage.show(ShellStart(command), ShellOutput("half\n"))
    assert stage.lines()[1:] == ["half"]
    stage.show(ShellEnd(ShellResult(command, "$ make", display=TerminalDisplay("make", "whole\n", 0, 1.0))))
    assert stage.lines() == ["● ! make  1.0s", "whole"]
    stage.show(ShellStart(command))
    stage.show(
        ShellEnd(ShellResult(command, "$ make", stopped=True, display=TerminalDisplay("make", "cut\n", 130, 1.0)))
    )
    assert stage.lines()[2:4] == ["■ ! make  exit 130 · 1.0s", "cut"]
    stage.show(ShellStart(command), ShellEnd(ShellResult(command, "$ make\n\n[there is no shell]")))
    assert stage.lines()[4:] == ["✗ ! make", "✗ $ make", "[there is no shell]"]


def test_the_same_failure_is_one_row_that_counts() -> None:
    stage = Stage()
    stage.show(TurnStart(1), AssistantStart())
    for attempt in (1, 2, 3):
        stage.show(AutoRetryStart(attempt, 5, 100, "overloaded"))
    assert stage.lines() == ["overloaded (3 times)"]
    stage.show(AutoRetryStart(4, 5, 100, "no connection"))
    assert stage.lines() == ["overloaded (3 times)", "no connection"]
