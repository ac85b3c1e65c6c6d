import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.extensions.panels.layout import Area, Layout, place, read_layout
from zot_ext.protocol.calls.panels import ANCHORS


@pytest.mark.parametrize(
    ("anchor", "column", "row"),
    [
        ("center", 30, 8),
        ("top_left", 0, 0),
        ("top_center", 30, 0),
        ("top_right", 60, 0),
        ("left_center", 0, 8),
        ("right_center", 60, 8),
        ("bottom_left", 0, 17),
        ("bottom_center", 30, 17),
        ("bottom_right", 60, 17),
    ],
)
def test_an_overlay_is_at_its_anchor(anchor: str, column: int, row: int) -> None:
    assert place(Layout(anchor, width=18), "overlay", (80, 24), 5) == Area(column, row, 20, 7, 18, 22)


def test_offsets_move_an_overlay_and_margins_keep_it_from_the_edge() -> None:
    area = place(Layout("top_right", width=18, offset_x=-3, offset_y=2), "overlay", (80, 24), 5)
    assert area is not None
    assert area[:2] == (57, 2)
    area = place(Layout("top_right", width=18, offset_x=30, offset_y=-9, margin=2), "overlay", (80, 24), 5)
    assert area is not None
    assert area[:2] == (58, 2)


def test_percentages_are_of_the_screen_and_places_of_what_is_free() -> None:
    layout = Layout(width="50%", height="25%", row="100%", column="50%", min_width=10)
    assert place(layout, "overlay", (80, 24), 1) == Area(20, 18, 40, 6, 38, 4)
    assert place(Layout(width="10%", min_width=30), "overlay", (80, 24), 1) == Area(24, 10, 32, 3, 30, 22)
    assert place(Layout(row=3, column=4, width=6), "overlay", (80, 24), 1) == Area(4, 3, 8, 3, 6, 22)


def test_a_panel_has_no_place_on_a_screen_that_is_too_small() -> None:
    assert place(Layout(min_terminal_width=81), "overlay", (80, 24), 1) is None
    assert place(Layout(min_terminal_height=25), "inline", (80, 24), 1) is None
    assert place(Layout(), "overlay", (2, 24), 1) is None


def test_a_panel_beside_the_editor_has_the_whole_width() -> None:
    assert place(Layout(), "inline", (80, 24), 3) == Area(0, 0, 80, 5, 80, 16)
    assert place(Layout(height=4), "replace_editor", (80, 24), 30) == Area(0, 0, 80, 6, 80, 4)


sizes = st.none() | st.integers(0, 300) | st.integers(0, 100).map(lambda number: f"{number}%")


@given(
    st.builds(
        Layout,
        st.sampled_from(ANCHORS),
        sizes,
        sizes,
        st.integers(0, 200),
        st.integers(-300, 300),
        st.integers(-300, 300),
        sizes,
        sizes,
        st.integers(0, 50),
    ),
    st.integers(1, 300),
    st.integers(1, 100),
    st.integers(0, 300),
)
def test_an_overlay_is_always_within_the_screen(layout: Layout, columns: int, rows: int, lines: int) -> None:
    area = place(layout, "overlay", (columns, rows), lines)
    if area is None:
        assert columns < 3 or rows < 3
        return
    assert 0 <= area.column <= area.column + area.width <= columns
    assert 0 <= area.row <= area.row + area.height <= rows
    assert area.inner_width == area.width - 2 >= 1
    assert area.inner_height >= area.height - 2 >= 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"width": "wide"}, 'width must be a number of cells, 0 to 10000, or a percentage such as "50%"'),
        ({"height": -1}, "height must be a number of cells"),
        ({"row": True}, "row must be a number of cells"),
        ({"column": "12345%"}, "column must be a number of cells"),
    ],
)
def test_a_wrong_place_is_refused_in_one_line(given: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match="must be") as refused:
        read_layout(given, Layout())
    assert words in str(refused.value)


def test_what_is_left_out_stays() -> None:
    assert read_layout({"row": 1, "width": None}, Layout(width=7)) == Layout(width=7, row=1)
