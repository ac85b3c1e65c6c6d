from hypothesis import given
from hypothesis import strategies as st

from zot_tui.widgets.scroll import COUNTED, Scroll
from zot_tui.widgets.transcript.chunks import Chunk


def shown(widget: Scroll, rows: int = 3) -> list[str]:
    return [row.decode().rstrip() for row in widget.render((12, rows)).text]


def test_a_text_is_wrapped_in_its_margin_and_scrolls_as_far_as_it_goes() -> None:
    widget = Scroll("one two three four\nfive\nsix")

    assert widget.wanted(12) == 4
    assert shown(widget) == ["  one two", "  three four", "  five"]
    assert widget.position == "1–3/4"
    widget.page(1)
    assert shown(widget) == ["  three four", "  five", "  six"]
    widget.scroll(9)
    assert widget.position == "2–4/4"
    widget.end(last=False)
    assert shown(widget)[0] == "  one two"


def test_a_line_that_is_wrapped_keeps_its_indentation() -> None:
    assert shown(Scroll("one:\n  two three four")) == ["  one:", "    two", "    three"]


def test_what_fits_has_no_position_and_is_padded() -> None:
    widget = Scroll("one")

    assert shown(widget) == ["  one", "", ""]
    assert widget.position == ""


def test_a_taller_screen_leaves_no_blank_rows_below() -> None:
    widget = Scroll("1\n2\n3\n4\n5")
    shown(widget, 2)
    widget.end(last=True)

    assert shown(widget, 2) == ["  4", "  5"]
    assert shown(widget, 4) == ["  2", "  3", "  4", "  5"]


def test_who_saw_the_last_row_sees_the_last_one_of_what_grows_and_who_scrolled_up_stays() -> None:
    rows = ["1"]
    widget = Scroll(lambda: [Chunk(lambda columns: [[("text", row)] for row in rows])])
    assert shown(widget) == ["1", "", ""]
    for more in (["2"], ["3", "4"], ["5"]):
        rows += more
        widget.changed()
    assert widget.wanted(12) == 5
    assert shown(widget) == ["3", "4", "5"]
    widget.scroll(-1)
    rows.append("6")
    widget.changed()
    widget.changed()
    assert shown(widget) == ["2", "3", "4"]
    assert widget.position == "2–4/6"
    widget.changed()
    widget.end(last=False)
    assert shown(widget) == ["1", "2", "3"]


def counted(lines: int, rows: int, drawn: list[int]) -> list[Chunk]:
    """Chunks of a line each, which is wrapped to `rows` rows; `drawn` gets the numbers of those that are drawn."""

    def chunk(number: int) -> Chunk:
        def source(columns: int) -> list[list[tuple[str, str]]]:
            drawn.append(number)
            return [[("text", f"{number}.{row}")] for row in range(rows)]

        return Chunk(source)

    return [chunk(number) for number in range(lines)]


def test_only_what_is_in_view_is_drawn_however_much_there_is() -> None:
    drawn: list[int] = []
    chunks = counted(100_000, 2, drawn)
    widget = Scroll(lambda: chunks)

    assert widget.wanted(12) > 100_000
    assert len(drawn) <= COUNTED
    widget.end(last=True)
    assert shown(widget) == ["99998.1", "99999.0", "99999.1"]
    widget.end(last=False)
    assert shown(widget) == ["0.0", "0.1", "1.0"]
    assert len(drawn) <= COUNTED + 10


def test_what_is_wrapped_otherwise_on_another_screen_stays_in_view() -> None:
    def chunk(number: int) -> Chunk:
        return Chunk(lambda columns: [[("text", f"{number} {row}")] for row in range(24 // columns)])

    chunks = [chunk(number) for number in range(9)]
    widget = Scroll(lambda: chunks)
    widget.render((12, 3))
    widget.scroll(5)
    assert widget.render((12, 3)).text[0].decode().rstrip() == "2 1"
    assert widget.render((6, 3)).text[0].decode().rstrip() == "2 2"


@given(
    st.lists(st.integers(1, 5), max_size=12),
    st.integers(1, 8),
    st.lists(st.integers(-9, 9) | st.booleans(), max_size=12),
)
def test_rows_are_in_view_as_if_all_of_them_were_drawn(heights: list[int], height: int, moves: list[int]) -> None:
    rows = [f"{at}.{row}" for at, count in enumerate(heights) for row in range(count)]
    chunks = [
        Chunk(lambda columns, at=at, count=count: [[("text", f"{at}.{row}")] for row in range(count)])
        for at, count in enumerate(heights)
    ]
    widget = Scroll(lambda: chunks)
    shown(widget, height)
    top, last = 0, max(len(rows) - height, 0)
    for move in moves:
        if isinstance(move, bool):
            widget.end(last=move)
            top = last if move else 0
        else:
            widget.scroll(move)
            top = min(max(top + move, 0), last)
        assert shown(widget, height) == [*rows[top : top + height], *[""] * (height - len(rows))]
