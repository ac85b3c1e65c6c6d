from hypothesis import given
from hypothesis import strategies as st

from zot_tui.terminal.canvas import canvas, lay_over, rows_of
from zot_tui.text.width import clip, width


def shown(drawn: object) -> list[str]:
    return [b"".join(text for _, _, text in row).decode() for row in rows_of(drawn)]


def test_a_canvas_covers_a_part_of_another() -> None:
    below = canvas([[("text", "abcdef")], [("text", "ghijkl")], [("text", "mnopqr")]], 6)
    above = canvas([[("title", "XY")], [("title", "Z")]], 2, (1, 0))
    whole = lay_over(below, above, 3, 1)
    assert shown(whole) == ["abcdef", "ghiXYl", "mnoZ r"]
    assert whole.cursor == (4, 1)


def test_the_cursor_below_is_shown_where_nothing_is_over_it() -> None:
    below = canvas([[("text", "abcdef")], [("text", "ghijkl")]], 6, (2, 1))
    above = canvas([[("title", "XY")]], 2)
    assert [lay_over(below, above, column, 1).cursor for column in range(5)] == [(2, 1), None, None, (2, 1), (2, 1)]
    assert lay_over(below, above, 2, 0).cursor == (2, 1)


def test_half_of_a_wide_character_is_a_blank() -> None:
    below = canvas([[("text", "漢字漢")]], 6)
    assert shown(lay_over(below, canvas([[("text", "X")]], 1), 1, 0)) == [" X字漢"]
    assert shown(lay_over(below, canvas([[("text", "X")]], 1), 2, 0)) == ["漢X 漢"]


def test_what_is_outside_is_left_out() -> None:
    below = canvas([[("text", "abc")]], 3)
    assert shown(lay_over(below, canvas([[("text", "XYZ")], [("text", "XYZ")]], 3, (2, 0)), 2, 0)) == ["abX"]
    assert lay_over(below, canvas([[("text", "XYZ")]], 3, (2, 0)), 2, 0).cursor is None


@given(st.text("aä漢é́ \u200d👩", max_size=20), st.text("x漢", max_size=8), st.integers(0, 30), st.integers(1, 12))
def test_every_row_keeps_its_width(under: str, over: str, column: int, cells: int) -> None:
    below = canvas([[("text", clip(under, 20, ""))]], 20)
    drawn = lay_over(below, canvas([[("text", clip(over, cells, ""))]], cells), column, 0)
    assert [width(row) for row in shown(drawn)] == [20]
