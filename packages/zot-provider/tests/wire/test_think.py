from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.wire.think import ThinkTags, split_unopened

TEXTS = st.text("<think>/ ab\n", max_size=40)


def divided(pieces: list[str]) -> tuple[str, str]:
    tags, thought, answer = ThinkTags(), "", ""
    for piece in pieces:
        first, second = tags.feed(piece)
        thought, answer = thought + first, answer + second
    return thought, answer + tags.finish()


def test_thinking_at_the_head_is_no_answer() -> None:
    assert divided(["<think>secret plan</think>hello"]) == ("secret plan", "hello")
    assert divided([*"<think>a</think>\n\nb\n\nc"]) == ("a", "b\n\nc")
    assert divided(["\n<think>\na</think>\n\nb <think>c</think>"]) == ("\na", "b <think>c</think>")


@pytest.mark.parametrize(
    ("begin", "end"),
    [("<thinking>", "</thinking>"), ("<thought>", "</thought>"), ("[THINK]", "[/THINK]"),
     ("<seed:think>", "</seed:think>")],
)  # fmt: skip
def test_other_models_have_other_tags_and_each_ends_with_its_own(begin: str, end: str) -> None:
    assert divided([begin[:4], f"{begin[4:]}plan </think", f"> {end}\n", "hello"]) == ("plan </think> ", "hello")


def test_thinking_whose_first_tag_is_in_the_template_ends_at_a_tag_on_its_own_line() -> None:
    assert split_unopened("Okay.\nSo.\n</think>\n\nHello") == ("Okay.\nSo.", "Hello")
    for text in ("Hello", "use `</think>`\n", "Write <think>\na\n</think>\nb", "</think>\nHello"):
        assert split_unopened(text) == ("", text)


def test_tags_behind_a_text_are_text() -> None:
    assert divided(["use <think> here</think>"]) == ("", "use <think> here</think>")


def test_without_an_end_all_of_it_is_the_answer_too() -> None:
    assert divided(["<think>is ", "a tag"])[1] == "<think>is a tag"


@given(TEXTS, st.lists(st.integers(0, 60), max_size=8))
def test_it_does_not_matter_how_the_text_was_cut(text: str, cuts: list[int]) -> None:
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[start:end] for start, end in pairwise(places)]
    assert divided(pieces)[1] == divided([text])[1]
    assert divided(pieces)[0] == divided([text])[0]


@given(TEXTS)
def test_a_text_without_the_tag_stays_as_it_is(text: str) -> None:
    assert text.lstrip().startswith("<think>") or divided(list(text)) == ("", text)
