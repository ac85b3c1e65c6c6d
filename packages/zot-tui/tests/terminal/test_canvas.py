import gc
import weakref

from hypothesis import given
from hypothesis import strategies as st

from zot_tui.terminal.canvas import RUNS, Rows, canvas, column, cut
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.ansi import Sgr


def test_rows_are_padded_to_the_width_and_keep_their_styles() -> None:
    drawn = canvas([[("error", "no"), ("muted", " way")], []], 8)

    assert [text.decode() for text in drawn.text] == ["no way  ", "        "]
    assert [
        [(attribute, length) for attribute, _, text in row for length in [len(text)]] for row in drawn.content()
    ] == [
        [("error", 2), ("muted", 4), (None, 2)],
        [(None, 8)],
    ]


def test_a_band_reaches_to_the_edge() -> None:
    (row,) = canvas([[("user", "hi"), ("user_bubble", "")]], 5).content()

    assert [(attribute, text) for attribute, _, text in row] == [("user", b"hi"), ("user_bubble", b"   ")]


def test_wide_letters_take_two_cells() -> None:
    (text,) = canvas([[("text", "日本")]], 6).text

    assert text.decode() == "日本  "


def test_colours_of_programs_become_attributes_of_their_own() -> None:
    ((attribute, _, _),) = next(iter(canvas([[(Sgr("#ff0000", "#000000", ("bold",)), "x")]], 1).content()))

    assert (attribute.foreground, attribute.background) == ("#ff0000,bold", "#000000")


def test_the_source_is_asked_once_a_width_and_again_after_a_change() -> None:
    asked: list[int] = []

    def source(columns: int) -> list[list[tuple[str, str]]]:
        asked.append(columns)
        return [[("text", "x")]]

    widget = Rows(source)
    assert widget.rows((10,)) == 1
    widget.render((10,))
    widget.render((20,))
    widget.changed()
    widget.render((20,))

    assert asked == [10, 20, 20]


def test_a_column_is_its_parts_one_below_the_other_with_the_cursor_of_the_last() -> None:
    first = canvas([[("text", "a")], [("text", "b")]], 4)
    second = canvas([[("text", "c")]], 4, cursor=(1, 0))

    whole = column([first, second], 4)

    assert [text.decode() for text in whole.text] == ["a   ", "b   ", "c   "]
    assert (whole.rows(), whole.cols(), whole.cursor) == (3, 4, (1, 2))
    assert whole.drawn[0] is first.drawn[0]


def test_a_cut_keeps_the_cursor_that_is_in_it_and_ends_in_empty_rows() -> None:
    whole = canvas([[("text", "a")], [("text", "b")], [("text", "c")]], 4, cursor=(2, 1))

    kept = cut(whole, 1, 4)
    above = cut(whole, 0, 1)

    assert [text.decode() for text in kept.text] == ["b   ", "c   ", "    ", "    "]
    assert (kept.cursor, above.cursor) == ((2, 0), None)


def test_a_canvas_without_rows_gives_none_whatever_is_taken_of_it() -> None:
    assert [list(canvas([], 5).content(*of)) for of in ((), (1, 0, 3, 0), (0, 0, 5, 0, {None: "x"}))] == [[], [], []]


def test_rows_of_images_are_kept_by_nobody_but_who_shows_them() -> None:
    class Text(str):
        """A text of which it can be seen whether it is still there."""

    def drawn(runs: int) -> tuple[weakref.ref[Text], object]:
        text = Text(f"text of {runs}")
        row = [("x", text), *[("y", ".")] * (runs - 1)]
        first, second = (canvas([row], 200).drawn[0] for _ in range(2))
        assert first == second
        return weakref.ref(text), first is second

    (text, kept), (pixels, anew) = drawn(RUNS), drawn(RUNS + 1)
    gc.collect()
    assert (kept, anew) == (True, False)
    assert text() is not None
    assert pixels() is None


@given(
    st.lists(st.lists(st.tuples(st.sampled_from(["x", None]), st.text("aä日 ", max_size=4)), max_size=3), min_size=1),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_what_urwid_takes_out_of_it_is_what_it_takes_out_of_a_canvas_of_its_own(
    rows: list[list[tuple[str | None, str]]], left: int, top: int
) -> None:
    drawn = canvas(rows, 24)
    own = urwid.TextCanvas(
        drawn.text, [[(style, len(text)) for style, _, text in row] for row in drawn.content()], maxcol=24
    )
    cols, height = 24 - 2 * left, max(len(rows) - top, 1)
    top = min(top, len(rows) - 1)

    def text(of):
        return [b"".join(text for _, _, text in row) for row in of.content(left, top, cols, height)]

    assert text(drawn) == text(own)


def test_a_widget_that_changes_is_drawn_anew_in_a_column() -> None:
    said = ["one"]
    inner = Rows(lambda columns: [[("text", said[0])]])

    class Outer(urwid.Widget):
        _sizing = frozenset([urwid.FLOW])

        def render(self, size, focus=False):
            return column([inner.render(size)], size[0])

    outer = Outer()
    before = outer.render((5,))
    said[0] = "two"
    inner.changed()

    assert [before.text, outer.render((5,)).text] == [[b"one  "], [b"two  "]]
