from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from zot_provider.wire.openai_chat.think import ThinkTags

TEXTS = st.text("<think>/ ab\n", max_size=40)


def divided(pieces: list[str]) -> tuple[str, str]:
    tags, thought, answer = ThinkTags(), "", ""
    for piece in pieces:
        first, second = tags.feed(piece)
        thought, answer = thought + first, answer + second
    return thought, answer + tags.finish()


def test_thinking_at_the_head_is_no_answer() -> None:
    assert divided(["<think>secret plan</think>hello"]) == ("secret plan", "hello")
    assert divided(["\n<think>\na</think>\n\nb <think>c</think>"]) == ("\na", "b <think>c</think>")


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
