import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.compaction.cut import cut_point
from zot_provider.messages import Message

ROLES = {"u": "user", "a": "assistant", "t": "tool"}


def talk(letters: str) -> list[Message]:
    return [Message(ROLES[letter], []) for letter in letters]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("letters", "head"),
    [
        ("", ""),
        ("u", ""),
        ("uaua", ""),
        ("uauau", "u"),
        ("uauaua", "ua"),
        ("uatatat", "uat"),  # four are left, and they begin with a call
        ("uatauatua", "uatau"),
        ("uatatuau", "uat"),  # the cut would part the second call from its result
        ("uatutata", "u"),  # something was said between a call and its result
        ("ttttt", ""),
    ],
)
def test_the_last_four_are_kept_and_the_results_of_a_call_with_it(letters: str, head: str) -> None:
    assert letters[: cut_point(talk(letters), 4)] == head


@given(st.text("uat", max_size=30), st.integers(1, 6))
def test_a_cut_never_separates_a_result_from_its_call(letters: str, keep: int) -> None:
    cut = cut_point(talk(letters), keep)

    assert 0 <= cut <= max(len(letters) - keep, 0)
    if cut:
        assert not letters[cut:].lstrip("u").startswith("t")


@given(st.text("ua", max_size=30), st.integers(1, 6))
def test_without_results_just_the_last_ones_are_kept(letters: str, keep: int) -> None:
    assert cut_point(talk(letters), keep) == max(len(letters) - keep, 0)
