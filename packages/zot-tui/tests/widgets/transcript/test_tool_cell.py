from itertools import pairwise

from display_blocks import Code, Terminal, Text, TodoItem, Todos
from hypothesis import given
from hypothesis import strategies as st

from zot_tui.text.ansi import Sgr
from zot_tui.text.runs import plain, runs_width
from zot_tui.widgets.transcript.call_row import Ending
from zot_tui.widgets.transcript.cell import CellStyle
from zot_tui.widgets.transcript.tool_cell import ToolCell


def rows(cell: ToolCell, width: int = 40) -> list[str]:
    return [plain(row) for chunk in cell.chunks for row in chunk.rows(width)]


def lines(count: int) -> str:
    return "\n".join(f"line {number}" for number in range(count))


def test_a_running_call_shows_the_end_of_its_output() -> None:
    cell = ToolCell("bash", "make test", CellStyle(frames=("-", "+")))
    assert rows(cell) == ["- bash make test"]

    cell.append_output(lines(9))
    assert rows(cell) == ["- bash make test", *(f"    line {number}" for number in range(4, 9))]
    cell.append_output("!\n")
    assert rows(cell)[-1] == "    line 8!"
    assert cell.folds(40)
    cell.expanded = True
    assert rows(cell)[1] == "    line 0"


def test_a_frame_of_the_spinner_changes_the_first_part_alone() -> None:
    cell = ToolCell("bash", "make", CellStyle(frames=("-", "+")))
    cell.append_output("out")
    before = list(cell.chunks)

    assert cell.spin(3)
    assert rows(cell) == ["+ bash make", "    out"]
    assert [old is new for old, new in zip(before, cell.chunks, strict=True)] == [False, True]
    cell.finish("ok")
    assert not cell.spin(4)


def test_a_running_call_says_for_how_long() -> None:
    cell = ToolCell("bash", "make", CellStyle(frames=("-",)))
    cell.elapsed(12)

    assert rows(cell) == ["- bash make  12s"]


def test_an_argument_may_come_later() -> None:
    cell = ToolCell("read", style=CellStyle(frames=("-",)))
    assert rows(cell) == ["- read"]
    cell.argument = "src/app.py"

    assert rows(cell) == ["- read src/app.py"]


def test_a_call_says_how_it_ended_without_colours_too() -> None:
    ends: list[tuple[Ending, str, str]] = [
        ("ok", "●", "success"),
        ("failed", "✗", "error"),
        ("stopped", "■", "warning"),
        ("refused", "⊘", "warning"),
    ]
    for state, mark, style in ends:
        cell = ToolCell("touch", "a")
        cell.finish(state, (), 0.1, ["2 retries"])
        assert rows(cell) == [f"{mark} touch a  2 retries · 0.1s"]
        assert cell.chunks[0].rows(40)[0][0] == (style, f"{mark} ")


def test_a_block_that_tells_the_time_is_believed() -> None:
    cell = ToolCell("bash", "make")
    cell.finish("failed", [Terminal("make", "no rule", 2, 1.3)], 5.0)

    assert rows(cell) == ["✗ bash make  exit 2 · 1.3s", "    no rule"]


def test_a_long_body_is_folded_at_its_end_or_its_beginning() -> None:
    read = ToolCell("read", "a.txt", CellStyle(shown=2))
    read.finish("ok", [Code("a.txt", lines(9))])
    assert rows(read) == [
        "● read a.txt  9 lines",
        "       1   line 0",
        "       2   line 1",
        "    … 7 more lines (ctrl+o)",
    ]
    assert read.folds(40)

    run = ToolCell("bash", "x", CellStyle(shown=2))
    run.finish("ok", [Terminal("x", lines(9))])
    assert rows(run) == ["● bash x", "    … 7 earlier lines (ctrl+o)", "    line 7", "    line 8"]
    run.expanded = True
    assert rows(run) == ["● bash x", *(f"    line {number}" for number in range(9))]
    assert run.folds(40)


def test_bodies_can_be_left_out() -> None:
    cell = ToolCell("read", "a.txt", CellStyle(shown=0))
    cell.finish("ok", [Code("a.txt", lines(9))])
    assert rows(cell) == ["● read a.txt  9 lines"]
    assert cell.folds(40)
    assert cell.tight
    cell.expanded = True

    assert len(rows(cell)) == 10
    assert not cell.tight


def test_a_long_argument_is_clipped_before_how_it_ended_and_whole_when_expanded() -> None:
    cell = ToolCell("bash", "echo one two three four\necho five")
    cell.finish("failed", [Terminal("echo one two three four\necho five", "", 1)])

    assert rows(cell, 30) == ["✗ bash echo one two t…  exit 1"]
    assert cell.folds(30)
    cell.expanded = True
    assert rows(cell, 30) == ["✗ bash echo one two three four", "  echo five  exit 1"]
    assert rows(cell, 8) == ["✗ bash", "  echo", "  one", "  two", "  three", "  four", "  echo", "  five", "  exit 1"]


def test_colours_of_a_running_program_are_kept() -> None:
    cell = ToolCell("bash", "x")
    cell.append_output("\x1b[31mred\x1b[0m\r\n10%\r20%")

    assert rows(cell)[1:] == ["    red", "    20%"]
    assert any(isinstance(style, Sgr) for style, _ in cell.chunks[1].rows(40)[0])


def test_much_output_of_a_running_program_is_not_kept() -> None:
    cell = ToolCell("bash", "x")
    for _ in range(50):
        cell.append_output(lines(1000))

    assert len(cell._output) <= 16 * 1024
    assert rows(cell)[-1] == "    line 999"


def test_a_frame_is_drawn_around_a_call_where_there_is_room() -> None:
    cell = ToolCell("bash", "git status", CellStyle(framed=True))
    cell.finish("ok", [Terminal("git status", "clean 日本", 0, 0.3)])

    assert rows(cell, 30) == [
        "╭ ● bash git status  0.3s ───╮",
        "│ clean 日本                 │",
        "╰────────────────────────────╯",
    ]
    assert rows(cell, 16) == ["● bash gi…  0.3s", "clean 日本", "─" * 16]


def test_a_body_that_was_forgotten_is_drawn_again() -> None:
    cell = ToolCell("bash", "x")
    cell.finish("ok", [Terminal("x", "out")])
    before = rows(cell)
    cell.release()

    assert rows(cell) == before


HOSTILE = st.text(st.sampled_from("ab \t\n\r\x1b[31m\x07日é\u0301\u200d👩‍💻\u202e/"), max_size=80)


@given(HOSTILE, HOSTILE, st.integers(1, 50), st.booleans(), st.booleans(), st.booleans())
def test_no_call_is_wider_than_its_width(
    name: str, text: str, width: int, framed: bool, expanded: bool, ended: bool
) -> None:
    cell = ToolCell(name, text, CellStyle(framed=framed, shown=3))
    cell.append_output(text)
    if ended:
        cell.finish("failed", [Terminal(text, text, 1, 2.0), Code(name, text)], 1.0, [text])
    cell.expanded = expanded
    for chunk in cell.chunks:
        for row in chunk.rows(width):
            assert runs_width(row) <= width
            assert not any(ord(sign) < 32 for sign in plain(row))


def quiet(name: str, argument: str, *blocks: object) -> ToolCell:
    cell = ToolCell(name, argument)
    cell.finish("ok", blocks, quiet=True)
    return cell


def test_a_call_that_changes_nothing_is_a_row_until_it_is_expanded_or_fails() -> None:
    cell = quiet("grep", "total", Text(lines(30)))
    assert rows(cell) == ["● grep total  30 lines"]
    assert cell.folds(40)
    cell.expanded = True
    assert len(rows(cell)) == 31
    cell = ToolCell("grep", "(")
    cell.finish("failed", [Text("the pattern is invalid")], quiet=True)
    assert rows(cell) == ["✗ grep (", "    the pattern is invalid"]


def test_calls_that_change_nothing_fold_into_one_row_which_opens_them_all() -> None:
    cells = [quiet("read", f"{name}.py", Code(f"{name}.py", "x = 1\n")) for name in "abc"]
    cells += [quiet("grep", "total", Text("one"))]
    for one, other in pairwise(cells):
        other.join(one)
    assert [cell.shows for cell in cells] == [False, False, False, True]
    assert rows(cells[-1]) == ["● read 3 files, grep total"]
    assert cells[-1].folds(40)
    cells[-1].expanded = True
    assert [rows(cell)[0] for cell in cells] == [
        *(f"● read {name}.py  1 line" for name in "abc"),
        "● grep total  1 line",
    ]
    cells[1].expanded = False
    assert [cell.shows for cell in cells] == [False, False, False, True]


def test_a_call_that_changes_something_or_failed_joins_no_other() -> None:
    edit, read, failed = ToolCell("edit", "a.py"), quiet("read", "a.py", Text("one")), ToolCell("read", "b")
    edit.finish("ok", [Text("done")])
    failed.finish("failed", [Text("no such file")], quiet=True)
    read.join(edit)
    failed.join(read)
    assert [cell.shows for cell in (edit, read, failed)] == [True, True, True]


def test_a_list_that_the_screen_shows_elsewhere_is_a_row_until_it_is_opened() -> None:
    cell = ToolCell("todo")
    cell.finish("ok", [Todos([TodoItem("one", "completed")])])
    assert rows(cell) == ["● todo  1 of 1 done"]
    cell.open()
    cell.release()
    assert rows(cell) == ["● todo  1 of 1 done", "    ✓ one"]
