from hypothesis import given
from hypothesis import strategies as st

from zot_tui.text.runs import clip_runs, join, plain, runs_width

runs = st.lists(st.tuples(st.sampled_from(["a", "b"]), st.text(alphabet="x 漢e\u0301", max_size=6)), max_size=6)


def test_neighbours_of_one_style_become_one_run() -> None:
    assert join([("a", "x"), ("a", "y"), ("b", ""), ("a", "z"), ("b", "!")]) == [("a", "xyz"), ("b", "!")]


def test_the_ellipsis_has_the_style_it_cuts_off() -> None:
    assert clip_runs([("a", "one "), ("b", "two")], 6) == [("a", "one "), ("b", "t…")]
    assert clip_runs([("a", "one"), ("b", "two")], 6) == [("a", "one"), ("b", "two")]


@given(runs)
def test_joining_keeps_the_text(row: list[tuple[str, str]]) -> None:
    assert plain(join(row)) == plain(row)


@given(runs, st.integers(0, 12))
def test_clipped_runs_fit_and_those_that_fit_are_kept(row: list[tuple[str, str]], cells: int) -> None:
    clipped = clip_runs(row, cells)
    assert runs_width(clipped) <= cells
    if runs_width(row) <= cells:
        assert plain(clipped) == plain(row)
