from hypothesis import given
from hypothesis import strategies as st

from zot_provider.json_text import without_surrogates


def test_a_surrogate_pair_is_joined_and_a_lone_surrogate_is_replaced() -> None:
    assert without_surrogates("a\ud83d\ude00b\ud800c") == "a\U0001f600b\ufffdc"


@given(st.text())
def test_a_text_without_them_stays_as_it_is(text: str) -> None:
    assert without_surrogates(text) == text


@given(st.text(st.sampled_from("a\ud83d\ude00é\U0001f600")))
def test_any_text_can_be_written_as_utf_8_afterwards(text: str) -> None:
    assert without_surrogates(text).encode().decode() == without_surrogates(text)
