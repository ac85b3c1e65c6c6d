from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from zot_tui.markdown import Document

CODE = '```python\ndef add(one, two):\n    return one + 2  # a sum\n\nclass A:\n    name = "a"\n```\n\nThat is it.\n'


def drawn(document: Document, width: int = 40) -> list[list[tuple[str, str]]]:
    return [row for block in document.blocks for row in block.rows(width)]


def piece_by_piece(text: str, cuts: Iterable[int], width: int = 40) -> Document:
    """A document that was drawn after every piece."""
    document, start = Document(), 0
    for end in [*sorted(cuts), len(text)]:
        document.append(text[start:end])
        drawn(document, width)
        start = end
    return document


@given(st.lists(st.integers(0, len(CODE))), st.integers(1, 60))
def test_code_that_is_drawn_while_it_grows_looks_like_code_that_came_whole(cuts: list[int], width: int) -> None:
    assert drawn(piece_by_piece(CODE, cuts, width), width) == drawn(Document(CODE), width)


@given(st.lists(st.integers(0, 90), max_size=20))
def test_the_same_at_every_moment_on_the_way(cuts: list[int]) -> None:
    for end in cuts:
        text = CODE[:end]
        assert drawn(piece_by_piece(text, [each for each in cuts if each < end])) == drawn(Document(text))


def test_growing_code_is_wrapped_anew_for_another_width() -> None:
    document = piece_by_piece(CODE[:70], range(0, 70, 7))
    assert drawn(document, 20) == drawn(Document(CODE[:70]), 20)
    document.append(CODE[70:80])
    assert drawn(document, 30) == drawn(Document(CODE[:80]), 30)


def test_a_token_of_many_lines_has_its_colours_once_the_text_is_finished() -> None:
    text = "```c\nint a; /* one\n two\n three */ int b;\nint c;"
    document = piece_by_piece(text, range(0, len(text), 3))
    document.finish()
    assert drawn(document) == drawn(Document(text))


def test_a_long_piece_of_code_goes_on_growing_in_the_next_one() -> None:
    text = "```python\n" + "".join(f"value{number} = {number}\n" for number in range(100))
    document = piece_by_piece(text, range(0, len(text), 11))
    assert len(document.blocks) == 3
    assert drawn(document) == drawn(Document(text))


def test_blocks_that_were_told_to_forget_are_drawn_as_before() -> None:
    text = CODE + "\n```c\n" + "int a; /* one */\n" * 100 + "```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    document = Document(text)
    before = drawn(document)
    for block in document.blocks:
        block.forget()
    assert [row for block in reversed(document.blocks) for row in reversed(block.rows(40))] == before[::-1]
