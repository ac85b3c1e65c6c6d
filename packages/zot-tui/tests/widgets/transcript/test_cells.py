import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.text.runs import plain, runs_width
from zot_tui.widgets.transcript.cell import Cell, CellStyle
from zot_tui.widgets.transcript.cells import AnswerCell, NoteCell, ThoughtCell, UserCell, WorkedCell


def rows(cell: Cell, width: int = 40) -> list[str]:
    return [plain(row) for chunk in cell.chunks for row in chunk.rows(width)]


def test_a_prompt_stands_in_a_band_behind_a_bar() -> None:
    cell = UserCell("list the files\n\nand change 日本")

    assert rows(cell, 16) == ["▌ list the files", "▌ ", "▌ and change 日", "▌ 本"]
    assert cell.chunks[0].rows(16)[0] == [
        ("user", "▌"),
        ("user_bubble", " "),
        ("user_bubble", "list the files"),
        ("user_bubble", ""),
    ]


def test_a_long_prompt_is_folded_until_it_is_expanded() -> None:
    cell = UserCell("\n".join(f"line {number}" for number in range(100)), CellStyle(hint="f5"))

    assert cell.folds(40)
    assert rows(cell)[19:] == ["▌ line 19", "▌ … 80 more lines (f5)"]
    cell.expanded = True
    assert rows(cell)[-1] == "▌ line 99"
    assert len(cell.chunks) == 3


@pytest.mark.parametrize(
    ("text", "heading"), [("\n  \n fix\tit \nnow", "fix it"), ("", ""), ("\x1b[2J\nhello\x07", "hello")]
)
def test_a_prompt_is_called_by_its_first_line(text: str, heading: str) -> None:
    assert UserCell(text).heading == heading


def test_an_answer_is_markdown_with_a_margin() -> None:
    assert rows(AnswerCell("# Plan\n\nI changed **two** files.", finished=True)) == [
        "  # Plan",
        "  ",
        "  I changed two files.",
    ]


def test_only_the_last_parts_of_an_answer_change_while_it_is_written() -> None:
    cell = AnswerCell("one\n\ntwo\n\nthr")
    before = list(cell.chunks)
    cell.append("ee")
    after = list(cell.chunks)

    assert [old is new for old, new in zip(before, after, strict=True)] == [True, True, False]
    assert rows(cell)[-1] == "  three"


@given(st.lists(st.text(st.sampled_from("ab \n-*`|#>1."), max_size=12), max_size=30), st.integers(1, 30))
def test_an_answer_reads_the_same_however_it_came_and_after_it_was_forgotten(pieces: list[str], width: int) -> None:
    whole = AnswerCell("".join(pieces), finished=True)
    streamed = AnswerCell()
    for piece in pieces:
        streamed.append(piece)
        assert all(runs_width(row) <= width for chunk in streamed.chunks for row in chunk.rows(width))
    streamed.finish()

    assert streamed.text == whole.text
    assert rows(streamed, width) == rows(whole, width)
    streamed.release()
    assert rows(streamed, width) == rows(whole, width)


@given(st.text(st.sampled_from("a \n#>*`-\u200b\u202e\x1b[0m"), max_size=8))
def test_an_answer_has_parts_exactly_if_it_says_something(text: str) -> None:
    cell = AnswerCell(text)

    assert cell.shows is bool(cell.chunks)


def test_what_is_being_written_is_not_forgotten() -> None:
    cell = AnswerCell("one\n\ntwo")
    first = cell.chunks[0]
    cell.release()

    assert cell.live
    assert cell.chunks[0] is first


def test_each_change_is_told() -> None:
    told: list[str] = []
    cell = AnswerCell()
    cell.watch(lambda: told.append(cell.text))
    cell.append("a")
    cell.append("")
    cell.append("b")
    cell.finish()

    assert told == ["a", "ab", "ab"]


def test_a_thought_is_one_row_that_follows_it_while_it_goes_on() -> None:
    cell = ThoughtCell()
    assert rows(cell) == ["∴ Thinking"]

    cell.append("**Looking** at the files\n\nThen")
    assert rows(cell) == ["∴ Thinking: Then"]
    cell.append(" the tests")
    assert rows(cell) == ["∴ Thinking: Then the tests"]
    assert rows(cell, 14) == ["∴ Thinking: T…"]

    cell.finish(3.2)
    assert rows(cell) == ["∴ Thought for 3.2s: Looking at the files"]
    assert not cell.live


def test_a_thought_shows_its_text_when_it_is_expanded() -> None:
    cell = ThoughtCell("one\n\ntwo `code`", finished=True)
    assert cell.folds(40)
    cell.expanded = True

    assert rows(cell) == ["∴ Thought", "  one", "  ", "  two code"]
    assert [style for style, _ in cell.chunks[-1].rows(40)[-1]] == [None, "thought", "markdown.code"]


def test_a_thought_without_words_cannot_be_expanded() -> None:
    cell = ThoughtCell(finished=True, seconds=12)

    assert rows(cell) == ["∴ Thought for 12s"]
    assert not cell.folds(40)


def test_a_thought_has_the_word_that_its_style_has_now() -> None:
    style = CellStyle()
    cell = ThoughtCell("why", finished=True, style=style)
    assert rows(cell) == ["∴ Thought: why"]
    style.thinking = "Pondering"
    cell.restyle()
    assert rows(cell) == ["∴ Pondering: why"]


def test_a_note_says_who_it_is_from_in_the_colour_of_its_level() -> None:
    cell = NoteCell("no sudo here", "warning", "guard")

    assert rows(cell) == ["  [guard] no sudo here"]
    assert {style for style, text in cell.chunks[0].rows(40)[0] if text.strip()} == {"warning"}


def test_an_error_has_a_mark() -> None:
    cell = NoteCell("could not reach the model: try again", "error")

    assert rows(cell, 24) == ["✗ could not reach the", "  model: try again"]
    assert cell.chunks[0].rows(24)[0] == [("error", "✗ "), ("error", "could not reach the")]


def test_the_time_that_was_worked_stands_with_other_facts() -> None:
    assert rows(WorkedCell(72, "3.2k tokens")) == ["  worked for 1m 12s · 3.2k tokens"]


def test_a_fact_about_a_run_is_on_one_row_where_it_has_room() -> None:
    cell = WorkedCell(0.2, "$0.041", "1 file changed +2 −2")

    assert rows(cell, 44) == ["  worked for 0.2s · $0.041", "  1 file changed +2 −2"]
    assert rows(cell, 14) == ["  worked for", "  0.2s", "  $0.041", "  1 file", "  changed +2", "  −2"]


HOSTILE = st.text(st.sampled_from("ab \t\n\r\x1b[31m\x07日é\u0301\u200d👩‍💻\u202e*`#|-"), max_size=120)


@given(HOSTILE, st.integers(1, 24), st.booleans())
def test_no_cell_is_wider_than_its_width(text: str, width: int, expanded: bool) -> None:
    cells: list[Cell] = [
        UserCell(text),
        AnswerCell(text),
        ThoughtCell(text),
        ThoughtCell(text, 1.0, finished=True),
        NoteCell(text, "error"),
        NoteCell(text, "info", text),
        WorkedCell(1, text),
    ]
    for cell in cells:
        cell.expanded = expanded
        for chunk in cell.chunks:
            for row in chunk.rows(width):
                assert runs_width(row) <= width
                assert not any(ord(sign) < 32 for sign in plain(row))
