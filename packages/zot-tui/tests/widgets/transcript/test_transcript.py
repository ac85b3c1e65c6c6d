from collections.abc import Callable

import urwid
from display_blocks import Terminal
from hypothesis import given, settings
from hypothesis import strategies as st

from zot_tui.keys.key import parse_key
from zot_tui.keys.keymap import Keymap
from zot_tui.text.runs import plain
from zot_tui.widgets.actions import bindings
from zot_tui.widgets.transcript.cell import Cell, CellStyle
from zot_tui.widgets.transcript.cells import AnswerCell, NoteCell, ThoughtCell, UserCell
from zot_tui.widgets.transcript.chunks import Chunk, indented, line_groups, text_lines, wrapped
from zot_tui.widgets.transcript.tool_cell import ToolCell
from zot_tui.widgets.transcript.transcript import (
    DRAWN,
    TRANSCRIPT_ACTIONS,
    Transcript,
    TranscriptHeading,
)

SIZE = (30, 6)


class TextCell(Cell):
    """Lines of text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def _make(self) -> list[Chunk]:
        return [indented(wrapped(group)) for group in line_groups(text_lines(self._text, "text"))]


def screen(transcript: Transcript, size: tuple[int, int] = SIZE) -> list[str]:
    drawn = [b"".join(text for _, _, text in row).decode() for row in transcript.render(size).content()]
    assert len(drawn) == size[1]
    return [row.rstrip() for row in drawn]


def numbered(count: int, prefix: str = "line") -> TextCell:
    return TextCell("\n".join(f"{prefix} {number}" for number in range(count)))


def headings(count: int) -> Transcript:
    """Prompts and answers of two rows each, drawn once."""
    transcript = Transcript()
    for number in range(count):
        transcript.append(UserCell(f"prompt {number}"), AnswerCell(f"answer {number}", finished=True))
    screen(transcript)
    return transcript


def test_a_conversation_begins_at_the_top() -> None:
    transcript = Transcript()
    transcript.append(UserCell("hello"), AnswerCell("Hi **there**.", finished=True))

    assert screen(transcript) == ["▌ hello", "", "  Hi there.", "", "", ""]


def test_the_end_of_what_is_being_written_stays_in_view() -> None:
    transcript = Transcript()
    answer = AnswerCell()
    transcript.append(UserCell("count"), answer)
    screen(transcript)
    for number in range(9):
        answer.append(f"{number}\n\n")

    assert screen(transcript) == ["", "  6", "", "  7", "", "  8"]


def test_scrolling_up_keeps_the_view_while_more_comes_and_says_how_much() -> None:
    transcript = headings(9)
    transcript.page(-1)
    before = screen(transcript)
    assert before[:-1] == ["", "  answer 6", "", "▌ prompt 7", ""]
    assert not transcript.following
    assert transcript.new_below == 0

    transcript.append(UserCell("next"), AnswerCell("yes", finished=True))
    assert transcript.new_below == 2
    after = screen(transcript)
    assert after[:-1] == before[:-1]
    assert after[-1].endswith(f" ↓ 2 new · {int(transcript.position * 100)}%")
    transcript.to_end()
    assert (transcript.new_below, transcript.position, transcript.following) == (0, 1.0, True)
    assert screen(transcript)[-1] == "  yes"


def test_what_was_scrolled_past_is_no_longer_new() -> None:
    transcript = headings(9)
    transcript.home()
    screen(transcript)
    transcript.append(*(NoteCell(f"note {number}") for number in range(20)))
    assert transcript.new_below == 20

    transcript.show(20)
    screen(transcript)
    assert transcript.new_below == 20 + 18 - 26
    transcript.scroll(-12)
    screen(transcript)
    assert transcript.new_below == 12


def test_the_position_goes_from_the_beginning_to_the_end() -> None:
    transcript = headings(50)
    transcript.home()
    screen(transcript)
    positions = [transcript.position]
    while not transcript.following:
        transcript.page(1)
        screen(transcript)
        positions.append(transcript.position)

    assert positions == sorted(positions)
    assert positions[0] < 0.05
    assert positions[-1] == 1.0


def test_the_mark_covers_no_half_of_a_wide_letter() -> None:
    transcript = Transcript()
    transcript.append(TextCell("日本語" * 40))
    screen(transcript, (21, 4))
    transcript.home()

    assert screen(transcript, (21, 4)) == [*["  日本語日本語日本語"] * 3, "  日本語日本語…  28%"]


def test_the_wheel_scrolls() -> None:
    transcript = headings(9)
    assert transcript.mouse_event(SIZE, "mouse press", 4, 0, 0, True)
    assert not transcript.following
    screen(transcript)
    assert transcript.mouse_event(SIZE, "mouse press", 5, 0, 0, True)

    assert transcript.following
    assert not transcript.mouse_event(SIZE, "mouse press", 1, 0, 0, True)


def test_older_cells_come_above_without_moving_the_view() -> None:
    transcript = headings(3)
    transcript.home()
    before = screen(transcript)
    transcript.prepend([UserCell("older"), AnswerCell("still older", finished=True)])

    after = screen(transcript)
    assert after[:-1] == before[:-1]
    assert transcript.headings()[:2] == [TranscriptHeading(-2, "older"), TranscriptHeading(0, "prompt 0")]
    transcript.home()
    assert screen(transcript)[0] == "▌ older"


def test_older_cells_are_asked_for_once_when_the_first_is_near() -> None:
    asked: list[int] = []
    transcript = Transcript()
    transcript.older_wanted.connect(lambda: asked.append(transcript.headings()[0].number))
    transcript.append(*(UserCell(f"prompt {number}") for number in range(30)))
    transcript.older = True
    screen(transcript)
    transcript.page(-1)
    assert asked == []

    for _ in range(20):
        transcript.page(-1)
        screen(transcript)
    assert asked == [0]
    transcript.older = True
    transcript.prepend([UserCell(f"older {number}") for number in range(30)])
    transcript.home()
    assert asked == [0, -30]


def test_prompts_can_be_listed_and_jumped_to() -> None:
    transcript = headings(9)
    assert transcript.headings()[4] == TranscriptHeading(8, "prompt 4")
    transcript.show(8)
    assert screen(transcript)[0] == "▌ prompt 4"

    transcript.previous_heading()
    assert screen(transcript)[0] == "▌ prompt 3"
    transcript.scroll(1)
    transcript.previous_heading()
    assert screen(transcript)[0] == "▌ prompt 3"
    transcript.next_heading()
    transcript.next_heading()
    assert screen(transcript)[0] == "▌ prompt 5"
    for _ in range(9):
        transcript.next_heading()
    assert transcript.following


def test_expanding_leaves_the_top_of_the_view_where_it_is() -> None:
    transcript = headings(3)
    prompt = UserCell("\n".join(f"line {number}" for number in range(40)))
    transcript.append(prompt)
    before = screen(transcript)
    assert before[-1] == "▌ … 20 more lines (ctrl+o)"

    transcript.toggle_expanded()
    after = screen(transcript)
    assert prompt.expanded
    assert after[:-1] == before[:-1]
    assert after[-1].startswith("▌ line 20")
    assert not transcript.following
    transcript.toggle_expanded()
    assert screen(transcript) == before
    assert transcript.following


def output(count: int) -> ToolCell:
    """A call that has printed so many lines, of which the last twelve are shown."""
    tool = ToolCell("bash", "make", CellStyle())
    tool.finish("ok", [Terminal("make", "\n".join(f"out {number}" for number in range(count)))])
    return tool


def test_what_opens_at_the_end_comes_into_view_from_its_beginning() -> None:
    transcript = headings(3)
    transcript.append(output(18), AnswerCell("Done.", finished=True))
    before = screen(transcript, (30, 18))
    assert before[2:4] == ["● bash make", "    … 6 earlier lines (ctrl+o)"]
    assert before[-1] == "  Done."

    transcript.toggle_expanded()
    after = screen(transcript, (30, 18))
    assert after[:2] == ["● bash make", "    out 0"]
    assert after[-1].startswith("    out 16")
    transcript.toggle_expanded()
    assert screen(transcript, (30, 18)) == before
    assert transcript.following


def test_what_fits_when_it_opens_leaves_the_view_at_the_end() -> None:
    transcript = headings(3)
    transcript.append(output(18), AnswerCell("Done.", finished=True))
    before = screen(transcript, (30, 24))

    transcript.toggle_expanded()
    after = screen(transcript, (30, 24))
    assert after[3:5] == ["● bash make", "    out 0"]
    assert after[-1] == "  Done."
    assert transcript.following
    transcript.append(NoteCell("news"))
    transcript.toggle_expanded()
    assert transcript.following
    transcript.remove(transcript.cells[-1])
    assert screen(transcript, (30, 24)) == before


def test_what_opens_further_up_moves_the_view_no_further_than_it_needs() -> None:
    size = (30, 22)
    transcript = headings(2)
    transcript.append(output(18), *(TextCell("later\n" * 9) for _ in range(5)))
    screen(transcript, size)
    transcript.home()
    before = screen(transcript, size)
    assert before[6:10] == ["  answer 1", "", "● bash make", "    … 6 earlier lines (ctrl+o)"]

    transcript.toggle_expanded()
    opened = screen(transcript, size)
    assert opened[1:5] == ["  answer 1", "", "● bash make", "    out 0"]
    assert opened[-1].startswith("    out 17")
    transcript.page(1)
    transcript.scroll(-9)
    transcript.toggle_expanded()
    assert screen(transcript, size) == before

    transcript.scroll(4)
    before = screen(transcript, (30, 30))
    transcript.toggle_expanded()
    assert screen(transcript, (30, 30))[:5] == before[:5]


def test_the_beginning_of_what_opens_is_shown_where_only_its_end_was() -> None:
    transcript = headings(3)
    transcript.append(output(40))
    before = screen(transcript)
    assert before[0] == "    out 34"

    transcript.toggle_expanded()
    assert screen(transcript)[:2] == ["● bash make", "    out 0"]
    transcript.page(1)
    screen(transcript)
    transcript.toggle_expanded()
    assert screen(transcript) == before


def test_folding_does_not_go_back_under_a_person_who_has_gone_further_up() -> None:
    transcript = headings(9)
    transcript.append(output(40))
    screen(transcript)
    transcript.toggle_expanded()
    transcript.scroll(-4)
    above = screen(transcript)
    assert above[4] == "● bash make"

    transcript.toggle_expanded()
    assert screen(transcript)[:5] == above[:5]


def test_folding_a_cell_whose_middle_was_in_view_shows_its_beginning() -> None:
    transcript = Transcript()
    transcript.append(numbered(9), UserCell("\n".join(f"x {number}" for number in range(400))), numbered(9, "end"))
    screen(transcript)
    transcript.toggle_all_expanded()
    transcript.show(1)
    transcript.scroll(200)
    assert screen(transcript)[0] == "▌ x 200"

    transcript.toggle_expanded()
    assert screen(transcript)[0] == "▌ x 0"


def test_what_runs_is_expanded_without_leaving_the_end() -> None:
    transcript = headings(3)
    tool = ToolCell("bash", "make", CellStyle(live=2))
    transcript.append(tool)
    tool.append_output("\n".join(f"line {number}" for number in range(20)))
    screen(transcript)
    transcript.toggle_expanded()

    assert transcript.following
    assert screen(transcript)[0] == "    line 14"


def test_all_cells_are_expanded_those_to_come_too() -> None:
    transcript = Transcript()
    transcript.append(ThoughtCell("first thought", finished=True))
    transcript.toggle_all_expanded()
    transcript.append(ThoughtCell("second thought", finished=True))
    assert screen(transcript)[1::3] == ["  first thought", "  second thought"]

    transcript.toggle_all_expanded()
    assert screen(transcript)[:2] == ["∴ Thought: first thought", "∴ Thought: second thought"]


def test_the_spinner_of_what_is_in_view_turns() -> None:
    transcript = headings(3)
    transcript.append(ToolCell("bash", "make", CellStyle(frames=("-", "+"))))
    assert screen(transcript)[-1] == "- bash make"
    assert transcript.spin(1)
    assert screen(transcript)[-1] == "+ bash make"
    transcript.home()
    screen(transcript)

    assert not transcript.spin(2)


def test_whoever_draws_is_told_of_each_change_and_nothing_is_drawn_twice() -> None:
    told: list[int] = []
    transcript = Transcript()
    transcript.outdated.connect(lambda: told.append(len(told)))
    answer = AnswerCell("a")
    transcript.append(answer)
    first = transcript.render(SIZE)
    assert transcript.render(SIZE) is first
    answer.append("b")

    assert told == [0, 1]
    assert transcript.render(SIZE) is not first
    transcript.remove(answer)
    answer.append("c")
    assert told == [0, 1, 2]
    assert screen(transcript) == [""] * 6


def test_another_look_is_shown_after_a_refresh() -> None:
    style = CellStyle()
    tool = ToolCell("bash", "make", style)
    tool.finish("ok")
    transcript = Transcript()
    transcript.append(tool)
    assert screen(transcript)[0] == "● bash make"

    style.framed = True
    transcript.refresh()
    assert screen(transcript)[:2] == ["╭ ● bash make ───────────────╮", "╰────────────────────────────╯"]


def test_a_transcript_can_be_emptied_and_used_again() -> None:
    transcript = headings(9)
    transcript.home()
    transcript.clear()
    assert screen(transcript) == [""] * 6
    assert (transcript.cells, transcript.headings(), transcript.following) == ([], [], True)
    transcript.append(UserCell("again"))

    assert screen(transcript)[0] == "▌ again"
    assert transcript.headings() == [TranscriptHeading(0, "again")]


def test_its_text_can_be_printed() -> None:
    transcript = headings(2)

    shown = [plain(row).rstrip() for row in transcript.last_rows(30, 99)]
    assert shown == ["▌ prompt 0", "", "  answer 0", "", "▌ prompt 1", "", "  answer 1"]
    assert transcript.last_rows(30, 3) == transcript.last_rows(30, 99)[-3:]


def test_actions_can_be_bound_and_done_by_name() -> None:
    found = Keymap(bindings("chat", TRANSCRIPT_ACTIONS)).find(parse_key("pageup"), ("chat",))
    assert found is not None
    transcript = headings(9)
    {action.name: action.run for action in TRANSCRIPT_ACTIONS}[found.action](transcript)

    assert not transcript.following
    for action in TRANSCRIPT_ACTIONS:
        action.run(transcript)


def test_moving_in_an_empty_or_undrawn_transcript_does_nothing() -> None:
    for transcript in (Transcript(), headings(0)):
        for action in TRANSCRIPT_ACTIONS:
            action.run(transcript)
        assert transcript.following
        assert not transcript.spin(1)


STEPS: list[Callable[[Transcript], object]] = [
    *(action.run for action in TRANSCRIPT_ACTIONS),
    lambda transcript: transcript.scroll(-7),
    lambda transcript: transcript.prepend([numbered(3, "older")]),
    lambda transcript: transcript.append(ToolCell("bash", "日本語 " * 9), AnswerCell("|a|b|\n|-|-|\n|日本|c|")),
    lambda transcript: transcript.append(TextCell("x" * 5000)),
    lambda transcript: transcript.remove(transcript.cells[-1]) if transcript.cells else None,
    lambda transcript: transcript.spin(3),
]


@settings(max_examples=settings.default.max_examples * 3 // 5)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(1, 50), st.integers(1, 14)), max_size=20))
def test_every_frame_fills_its_size_whatever_happened(
    steps: list[tuple[Callable[[Transcript], object], int, int]],
) -> None:
    transcript = headings(4)
    for step, columns, height in steps:
        step(transcript)
        canvas = transcript.render((columns, height))
        assert (canvas.cols(), canvas.rows()) == (columns, height)
        for row in canvas.content():
            assert sum(urwid.calc_width(text, 0, len(text)) for _, _, text in row) == columns


def test_ten_thousand_cells_cost_what_is_in_view() -> None:
    made: list[str] = []

    class Told(AnswerCell):
        def _make(self) -> list[Chunk]:
            made.append(self.text)
            return super()._make()

    transcript = Transcript()
    cells: list[Cell] = [Told(f"answer {number}\n\nmore", finished=True) for number in range(10_000)]
    transcript.append(*cells)
    screen(transcript)
    transcript.page(-1)
    screen(transcript)
    transcript.show(5000)
    screen(transcript)
    transcript.home()
    screen(transcript)

    assert len(made) < 25


def test_rows_of_a_long_cell_that_were_scrolled_past_are_not_kept() -> None:
    transcript = Transcript()
    cell = TextCell("\n".join(f"line {number}" for number in range(26_000)))
    transcript.append(cell)
    screen(transcript, (30, 80))
    while transcript.position > 0.05:
        transcript.page(-1)
        screen(transcript, (30, 80))

    drawn = [chunk for chunk in cell.chunks if chunk._width]
    assert len(cell.chunks) == 650
    assert len(drawn) <= DRAWN + 80


def test_the_very_first_cell_is_reached_though_the_older_ones_come_page_by_page() -> None:
    pages = [[TextCell(f"older {page}.{number}") for number in range(5)] for page in range(3)]

    def more() -> None:
        transcript.prepend(pages.pop())
        transcript.older = bool(pages)

    transcript = Transcript()
    transcript.older_wanted.connect(more)
    transcript.append(*(TextCell(f"new {number}") for number in range(30)))
    transcript.older = True
    transcript.render((20, 8))
    transcript.home()
    assert transcript.render((20, 8)).text[0].strip() == b"older 0.0"
    assert not transcript.older


def test_all_turns_are_told_though_older_ones_were_not_there_yet() -> None:
    def more() -> None:
        transcript.prepend([UserCell("the first question")])

    transcript = Transcript()
    transcript.older_wanted.connect(more)
    transcript.append(UserCell("the second"))
    transcript.older = True
    assert [turn.text for turn in transcript.headings()] == ["the first question", "the second"]
