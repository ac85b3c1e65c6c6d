import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from zot_tui.text.runs import plain
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.chunks import Chunk
from zot_tui.widgets.transcript.viewport import CACHED, View, Viewport


class Block(Cell):
    """Parts of given heights; in a width of 5 each row takes two."""

    def __init__(self, name: str, heights: list[int], tight: bool = False) -> None:
        super().__init__()
        self.name = name
        self.heights = heights
        self.made = 0
        self._tight = tight

    @property
    def tight(self) -> bool:
        return self._tight

    def resize(self, heights: list[int]) -> None:
        self.heights = heights
        self._changed()

    def _make(self) -> list[Chunk]:
        self.made += 1
        return [self._part(index, height) for index, height in enumerate(self.heights)]

    def _part(self, index: int, height: int) -> Chunk:
        return Chunk(
            lambda width: [
                [("text", f"{self.name}.{index}.{row // self.times(width)}")]
                for row in range(height * self.times(width))
            ]
        )

    @staticmethod
    def times(width: int) -> int:
        return 2 if width == 5 else 1


def everything(flow: Viewport, width: int) -> list[str]:
    """Every row there is, by going through all cells."""
    rows: list[str] = []
    above: Cell | None = None
    for cell in flow.cells:
        if not cell.chunks:
            continue
        if above is not None and not (above.tight and cell.tight):
            rows.append("")
        rows += [plain(row) for chunk in cell.chunks for row in chunk.rows(width)]
        above = cell
    return rows


def seen(view: View, width: int) -> list[str]:
    rows: list[str] = []
    for _, chunk, first, count in view.slices:
        rows += [""] * count if chunk is None else [plain(row) for row in chunk.rows(width)[first : first + count]]
    return rows


def test_the_end_is_followed_until_the_view_is_moved() -> None:
    flow = Viewport()
    flow.append([Block("a", [3]), Block("b", [2, 2])])
    assert seen(flow.view(9, 5), 9) == ["", "b.0.0", "b.0.1", "b.1.0", "b.1.1"]

    top = flow.view(9, 5).top
    assert top is not None
    flow.hold(flow.moved(top, -1, 9), 9, 5)
    assert not flow.following
    flow.append([Block("c", [1])])
    assert seen(flow.view(9, 5), 9) == ["a.0.2", "", "b.0.0", "b.0.1", "b.1.0"]
    flow.follow()
    assert seen(flow.view(9, 5), 9)[-1] == "c.0.0"


def test_following_begins_again_when_the_end_comes_into_view() -> None:
    flow = Viewport()
    flow.append([Block("a", [9])])
    for rows, following in ((-3, False), (2, False), (1, True)):
        top = flow.view(9, 4).top
        assert top is not None
        flow.hold(flow.moved(top, rows, 9), 9, 4)
        assert flow.following is following


def test_tight_cells_stand_close_and_empty_ones_do_not_count() -> None:
    flow = Viewport()
    flow.append([Block("a", [1], True), Block("b", []), Block("c", [1], True), Block("d", [1])])

    assert seen(flow.view(9, 9), 9) == ["a.0.0", "c.0.0", "", "d.0.0"]


def test_cells_have_numbers_that_older_ones_do_not_change() -> None:
    flow = Viewport()
    newer = [Block("a", [1]), Block("b", [1])]
    flow.append(newer)
    flow.prepend([Block("y", [1]), Block("z", [1])])

    assert (flow.first, flow.end) == (-2, 2)
    assert [flow.number(cell) for cell in newer] == [0, 1]
    flow.remove(newer[0])
    assert flow.number(newer[1]) == 0
    with pytest.raises(ValueError, match="is not in this transcript"):
        flow.number(newer[0])


def test_a_move_looks_at_no_cell_that_it_does_not_pass() -> None:
    flow = Viewport()
    cells = [Block(str(number), [2, 2]) for number in range(10_000)]
    flow.append(cells)
    flow.view(9, 20)
    for number in (5000, 100):
        place = flow.at(number)
        assert place is not None
        flow.hold(place, 9, 20)

    assert sum(cell.made for cell in cells) < 30


def test_parts_that_were_not_looked_at_for_long_are_forgotten() -> None:
    flow = Viewport()
    cells = [Block(str(number), [1]) for number in range(3 * CACHED)]
    flow.append(cells)
    for number in range(3 * CACHED):
        flow.chunks(number)
    for number in range(3 * CACHED):
        flow.chunks(number)

    assert [cell.made for cell in cells] == [2] * len(cells)
    assert sum(cell._chunks is not None for cell in cells) == CACHED


def test_a_resize_and_back_shows_the_same() -> None:
    flow = Viewport()
    flow.append([Block("a", [40, 40]), Block("b", [40])])
    start = flow.start()
    assert start is not None
    flow.hold(flow.moved(start, 27, 9), 9, 10)
    before = seen(flow.view(9, 10), 9)

    assert seen(flow.view(5, 10), 5)[0] == before[0]
    flow.view(5, 3)
    assert seen(flow.view(9, 10), 9) == before


def test_nothing_is_in_view_of_an_empty_flow() -> None:
    flow = Viewport()

    assert flow.view(9, 5) == View([], None, None, at_end=True)
    assert flow.start() is None
    assert flow.at(3) is None


HEIGHTS = st.lists(st.integers(1, 6), max_size=4)


class Scrolling(RuleBasedStateMachine):
    """Against all rows at once: the view is a stretch of them, full if there are enough."""

    def __init__(self) -> None:
        super().__init__()
        self.flow = Viewport()
        self.width, self.height = 9, 5
        self.count = 0

    def block(self, heights: list[int], tight: bool) -> Block:
        self.count += 1
        return Block(f"c{self.count}", heights, tight)

    @rule(heights=HEIGHTS, tight=st.booleans())
    def append(self, heights: list[int], tight: bool) -> None:
        view = self.flow.view(self.width, self.height)
        before = seen(view, self.width)
        self.flow.append([self.block(heights, tight)])
        if not view.at_end:
            assert seen(self.flow.view(self.width, self.height), self.width) == before

    @rule(heights=HEIGHTS, tight=st.booleans())
    def prepend(self, heights: list[int], tight: bool) -> None:
        before = seen(self.flow.view(self.width, self.height), self.width)
        full = len(before) == self.height
        self.flow.prepend([self.block(heights, tight)])
        after = seen(self.flow.view(self.width, self.height), self.width)
        assert not full or after == before

    @rule(index=st.integers(0, 99), heights=HEIGHTS, tight=st.booleans())
    def insert(self, index: int, heights: list[int], tight: bool) -> None:
        view = self.flow.view(self.width, self.height)
        before = seen(view, self.width)
        number = self.flow.first + index % (len(self.flow.cells) + 1)
        above = view.top is not None and number < view.top.number
        after = None if number == self.flow.first else self.flow.cell(number - 1)
        assert self.flow.insert(after, [self.block(heights, tight)]) == number
        if above and len(before) == self.height and before[0]:
            assert seen(self.flow.view(self.width, self.height), self.width) == before

    @rule(rows=st.integers(-30, 30))
    def scroll(self, rows: int) -> None:
        view = self.flow.view(self.width, self.height)
        if view.top is None:
            return
        everything_ = everything(self.flow, self.width)
        at = self.index(view)
        self.flow.hold(self.flow.moved(view.top, rows, self.width), self.width, self.height)
        last = max(len(everything_) - self.height, 0)
        assert self.index(self.flow.view(self.width, self.height)) == min(max(at + rows, 0), last)
        assert self.flow.following is (min(max(at + rows, 0), last) == last)

    @rule(index=st.integers(0, 99), heights=HEIGHTS)
    def change(self, index: int, heights: list[int]) -> None:
        if self.flow.cells:
            cell = self.flow.cells[index % len(self.flow.cells)]
            assert isinstance(cell, Block)
            view = self.flow.view(self.width, self.height)
            before = seen(view, self.width)
            above = view.top is not None and self.flow.number(cell) < view.top.number
            cell.resize(heights)
            after = seen(self.flow.view(self.width, self.height), self.width)
            if above and len(before) == self.height and before[0]:
                assert after == before

    @rule(index=st.integers(0, 99))
    def remove(self, index: int) -> None:
        if self.flow.cells:
            self.flow.remove(self.flow.cells[index % len(self.flow.cells)])

    @rule(width=st.sampled_from([5, 9]), height=st.integers(1, 12))
    def resize(self, width: int, height: int) -> None:
        self.width, self.height = width, height

    @rule(number=st.integers(-20, 20))
    def show(self, number: int) -> None:
        place = self.flow.at(number)
        if place is not None:
            self.flow.hold(place, self.width, self.height)

    def index(self, view: View) -> int:
        """Where the view begins among all rows."""
        if view.top is None:
            return 0
        rows = 0
        for number in range(self.flow.first, view.top.number):
            chunks = self.flow.chunks(number)
            rows += sum(len(chunk.rows(self.width)) for chunk in chunks) + (self.flow.gap(number) if chunks else 0)
        chunks = self.flow.chunks(view.top.number)
        rows += sum(len(chunk.rows(self.width)) for chunk in chunks[: view.top.chunk])
        return rows + self.flow.gap(view.top.number) + view.top.row

    @invariant()
    def the_view_is_a_full_stretch_of_all_rows(self) -> None:
        view = self.flow.view(self.width, self.height)
        rows = everything(self.flow, self.width)
        shown = seen(view, self.width)
        at = self.index(view)
        assert shown == rows[at : at + self.height]
        assert len(shown) == min(self.height, len(rows))
        assert view.at_end is (at + len(shown) == len(rows))
        assert not self.flow.following or view.at_end


TestScrolling = Scrolling.TestCase
TestScrolling.settings = settings(max_examples=settings.default.max_examples * 3 // 5, stateful_step_count=25)


@given(st.lists(HEIGHTS, min_size=1, max_size=5), st.integers(0, 40), st.integers(0, 40))
def test_moving_down_and_up_again_ends_where_it_began(heights: list[list[int]], down: int, more: int) -> None:
    flow = Viewport()
    flow.append([Block("a", [3]), *(Block(f"b{index}", each) for index, each in enumerate(heights)), Block("z", [90])])
    start = flow.start()
    assert start is not None
    there = flow.moved(start, down, 9)

    assert flow.moved(flow.moved(there, more, 9), -more, 9) == there
