from hypothesis import given
from hypothesis import strategies as st

from zot_tui.editor import motions
from zot_tui.text.width import graphemes

texts = st.text(alphabet="ab_ .\n漢🇩🇪e\u0301👩\u200d👧", max_size=30)


def borders(text: str) -> list[int]:
    found = [0]
    for grapheme in graphemes(text):
        found.append(found[-1] + len(grapheme))
    return found


def test_words_are_letters_digits_and_underscores() -> None:
    text = "one, two_2 cafe\u0301!"
    assert [motions.word_right(text, offset) for offset in (0, 3, 10, 16)] == [3, 10, 16, 17]
    assert [motions.word_left(text, offset) for offset in (17, 11, 5, 0)] == [11, 5, 0, 0]


@given(texts)
def test_going_right_and_left_visits_every_border(text: str) -> None:
    forward, offset = [0], 0
    while (after := motions.right(text, offset)) != offset:
        forward.append(offset := after)
    back = [offset]
    while (before := motions.left(text, offset)) != offset:
        back.append(offset := before)
    assert forward == back[::-1] == borders(text)


@given(texts, st.integers(-3, 40))
def test_snapping_finds_the_next_border(text: str, offset: int) -> None:
    assert motions.snap(text, offset) == next((each for each in borders(text) if each >= offset), len(text))


joining = st.sampled_from(
    "\u0600\u0901\u094d\u0915\u1100\u1161\ud7b0\u200d\u0301\ufe0f\u3099\uff9e\U0001f3fb\U0001f1e9©"
)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n") | joining, max_size=12), st.data())
def test_a_step_back_is_to_where_the_grapheme_before_begins_whatever_the_letters(
    text: str, data: st.DataObject
) -> None:
    found = borders(text)
    offset = data.draw(st.sampled_from(found))
    assert motions.left(text, offset) == max((each for each in found if each < offset), default=0)
