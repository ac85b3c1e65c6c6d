from typing import Any

import pytest

from zot_tui.text.runs import plain
from zot_tui.text.width import width
from zot_tui.widgets.transcript.cell import CellStyle
from zot_tui.widgets.transcript.fold_cell import FoldCell


def rows(cell: FoldCell, columns: int = 40) -> list[str]:
    return [plain(row) for chunk in cell.chunks for row in chunk.rows(columns)]


def styles(cell: FoldCell) -> list[Any]:
    return [style for style, _ in cell.chunks[0].rows(40)[0]]


def test_a_text_is_a_row_until_it_is_expanded() -> None:
    cell = FoldCell("Summary", "## Goal\n\nA *shed*.", ["2k tokens", "4 kept"], CellStyle(hint="f9"))
    assert rows(cell) == ["≡ Summary  2k tokens · 4 kept · f9"]
    assert styles(cell) == ["dim", "thought", "muted"]
    assert cell.folds(40)
    cell.expanded = True

    assert rows(cell) == ["≡ Summary  2k tokens · 4 kept", "", "  ## Goal", "  ", "  A shed."]
    cell.release()
    assert len(rows(cell)) == 5
    cell.expanded = False
    assert len(rows(cell)) == 1


def test_without_a_text_there_is_nothing_to_expand() -> None:
    cell = FoldCell("Summary", " \n")

    assert rows(cell) == ["≡ Summary"]
    assert not cell.folds(40)


@pytest.mark.parametrize("columns", [1, 2, 7, 30])
def test_no_row_is_wider_than_the_screen_nor_obeyed_by_a_terminal(columns: int) -> None:
    cell = FoldCell("a\x1b[2J\u202e", "b\x1b]0;x\x07 " * 9, ["c\nd\x9b1m"])
    for expanded in (False, True):
        cell.expanded = expanded
        shown = rows(cell, columns)
        assert all(width(row) <= columns for row in shown)
        assert not set("".join(shown)) & set("\x1b\x07\x9b\n\u202e")
