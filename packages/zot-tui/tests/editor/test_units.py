from hypothesis import given
from hypothesis import strategies as st

from zot_tui.editor.units import BLANK, BREAK, CHIP, PUNCTUATION, WORD, Units
from zot_tui.text.width import graphemes

texts = st.text(alphabet="ab_ .[]#\n漢かé🇩🇪e\u0301\u200d👩👧", max_size=20)


def test_graphemes_and_chips_are_units() -> None:
    units = Units("a [chip]e\u0301\n👩\u200d👧", [(2, 8)])
    assert units.units == ["a", " ", "[chip]", "e\u0301", "\n", "👩\u200d👧"]
    assert units.offsets == [0, 1, 2, 8, 10, 11, 14]
    assert units.kinds == [WORD, BLANK, CHIP + 1, WORD, BREAK, PUNCTUATION]


def test_chips_side_by_side_are_words_of_their_own() -> None:
    kinds = Units("[a][a]", [(0, 3), (3, 6)]).kinds
    assert len(set(kinds)) == 2
    assert min(kinds) >= CHIP


def test_scripts_without_spaces_are_words_of_their_own() -> None:
    kinds = Units("漢字かなabc").kinds
    assert kinds[0] == kinds[1] != kinds[2] == kinds[3] != kinds[4] == WORD


def test_a_mark_behind_a_chip_belongs_to_it() -> None:
    assert Units("[a]\u0301b", [(0, 3)]).units == ["[a]\u0301", "b"]


def test_columns_are_cells() -> None:
    units = Units("漢漢\nabc")
    assert units.cells(1) == 2
    assert units.at_cells(3, 2) == 5
    assert units.at_cells(0, 3) == 1


@given(texts, st.lists(st.integers(0, 30), max_size=4))
def test_units_are_the_text_and_stand_at_borders(text: str, cuts: list[int]) -> None:
    cuts = sorted({min(cut, len(text)) for cut in cuts})
    chips = [pair for pair in zip(cuts[::2], cuts[1::2], strict=False) if pair[0] < pair[1]]
    units = Units(text, chips)
    assert "".join(units.units) == text
    assert [units.index(offset) for offset in units.offsets] == list(range(units.size + 1))
    borders = {0}
    for grapheme in graphemes(text):
        borders.add(max(borders) + len(grapheme))
    assert set(units.offsets) <= borders
    for at in range(units.size + 1):
        assert units.start(at) <= at <= units.end(at)
        assert units.start(at) <= units.first(at) <= units.last(at) <= units.end(at)
