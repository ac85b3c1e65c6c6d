from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from zot_tui.text.fuzzy import EXACT_CANDIDATES, _fold, _score, match, rank

queries = st.text(alphabet="abAB/", min_size=1, max_size=3)
texts = st.text(alphabet="abAB/_.", max_size=9)


def test_letters_must_stand_in_order() -> None:
    assert match("abc", "xaybzc").positions == [1, 3, 5]
    assert match("abc", "acb") is None
    assert match("", "anything").score == 0


def test_words_of_a_query_may_stand_in_any_order() -> None:
    assert match("view tui", "tui/view.py").positions == [0, 1, 2, 4, 5, 6, 7]
    assert match("view nope", "tui/view.py") is None


def test_beginnings_of_words_are_preferred_to_early_letters() -> None:
    assert match("fb", "oaf_foo_bar").positions == [4, 8]
    assert match("gM", "agmGetModel").positions == [3, 6]


def test_the_best_item_comes_first_and_ties_keep_their_order() -> None:
    paths = ["src/wrapper_app.py", "src/wrap.py", "docs/wap.md", "x"]
    assert [each.item for each in rank("wrap", paths, str)] == ["src/wrap.py", "src/wrapper_app.py"]
    assert [each.item for each in rank("", ["bb", "aa"], str)] == ["bb", "aa"]


def test_a_limit_keeps_the_best() -> None:
    paths = [f"dir{number}/file.py" for number in range(2000)] + ["file.py"]
    best = rank("file", paths, str, limit=3)
    assert best[0].item == "file.py"
    assert len(best) == 3
    assert len(rank("file", paths, str)) == 2001 > EXACT_CANDIDATES


def test_a_letter_whose_small_form_is_longer_shifts_no_position() -> None:
    assert match("x", "İx").positions == [1]
    assert len(_fold("İİ")) == 2


def test_a_long_text_is_matched_too() -> None:
    assert match("end", "x" * 1000 + "end").positions == [1000, 1001, 1002]


@given(queries, texts)
def test_the_score_is_the_best_of_all_placings(query: str, text: str) -> None:
    small, folded = _fold(query), _fold(text)
    placings = [
        list(places)
        for places in combinations(range(len(text)), len(query))
        if all(folded[place] == letter for place, letter in zip(places, small, strict=True))
    ]
    found = match(query, text)
    if not placings:
        assert found is None
    else:
        assert found.score == max(_score(places, query, text) for places in placings)
        assert found.positions in placings


@given(st.text(max_size=8), st.text(max_size=30))
def test_positions_spell_the_query(query: str, text: str) -> None:
    found = match(query, text)
    if found is not None and len(query.split()) == 1:
        assert "".join(_fold(text)[place] for place in found.positions) == _fold(query.split()[0])


@given(st.text(max_size=12))
def test_every_text_fits_itself(text: str) -> None:
    assert match(text, text) is not None
