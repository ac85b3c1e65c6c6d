from hypothesis import given
from hypothesis import strategies as st

from zot_tui.widgets.input.paste import Pasted, PasteJoin


def test_a_paste_becomes_one_key_between_those_around_it() -> None:
    keys = ["a", "begin paste", "b", "enter", "tab", "日", "end paste", "enter"]
    joined = PasteJoin()(keys)

    assert joined == ["a", "b\n\t日", "enter"]
    assert [isinstance(key, Pasted) for key in joined] == [False, True, False]


def test_a_paste_may_come_in_several_readings() -> None:
    join = PasteJoin()

    assert join(["begin paste", "a"]) == []
    assert join.open
    assert join(["b", "end paste"]) == ["ab"]
    assert not join.open


def test_keys_that_a_control_sequence_was_taken_for_are_left_out() -> None:
    assert PasteJoin()(["begin paste", "esc", "ctrl c", "<csi 31m>", "x", "end paste"]) == ["x"]


def test_what_is_no_key_passes_during_a_paste() -> None:
    press = ("mouse press", 1, 2, 3)

    assert PasteJoin()(["begin paste", press, "window resize", "x", "end paste"]) == [press, "window resize", "x"]


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])))
def test_every_printed_character_arrives(text: str) -> None:
    assert PasteJoin()(["begin paste", *text, "end paste"]) == [text]
