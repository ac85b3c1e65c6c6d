import random
import sys
from collections.abc import Iterable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zot_tui.markdown import Document
from zot_tui.text.runs import plain, runs_width

ANSWER = """\
# Plan

I changed **two** files, see [the app](https://example.org/app):
- one
- two *deep*
  1. nested
     ```python
     def main(argv: list[str]) -> int:
     \t\"\"\"Entry
         point.\"\"\"
     ```
- [x] done
- [ ] open

> quoted
lazy

| name | size |
|:-----|-----:|
| app  | 12 |
| `a\\|b` | 7 |

Title
-----
<div>html</div>

1. run
1. commit

   more

***
```
open fence
"""

HOSTILE = ["\x1b[31m", "\x1b]52;c;AAAA\x07", "\x1b", "\x9b2J", "\u202e", "\u200b", "\ud800", "\r", "\r\n", "&#x202e;"]
BITS = ["- ", "> ", "1. ", "\n", "\n\n", "  ", "    ", "\t", "```", "# ", "===", "---", "a|b", "|-|-|", "<b>", "*", "a"]
texts = st.lists(st.sampled_from(HOSTILE + BITS * 2) | st.text(max_size=4), max_size=25).map("".join)


def drawn(document, width=40):
    return [(block.kind, block.source, block.language, block.rows(width)) for block in document.blocks]


def screen(text: str, width: int = 40) -> list[str]:
    return [plain(row) for block in Document(text).blocks for row in block.rows(width)]


def cut(text: str, places: Iterable[int]) -> Document:
    document = Document()
    start = 0
    for place in sorted(places):
        document.append(text[start:place])
        assert document.open is not None
        start = place
    document.append(text[start:])
    return document


@pytest.mark.parametrize("place", range(0, len(ANSWER), 3))
def test_an_answer_cut_in_two_is_the_answer(place: int) -> None:
    assert drawn(cut(ANSWER, [place])) == drawn(Document(ANSWER))


def test_an_answer_that_comes_by_the_character_is_the_answer() -> None:
    assert drawn(cut(ANSWER, range(len(ANSWER)))) == drawn(Document(ANSWER))


def test_at_every_character_the_screen_shows_what_the_text_so_far_would_show() -> None:
    document = Document()
    for end, char in enumerate(ANSWER, 1):
        document.append(char)
        assert drawn(document) == drawn(Document(ANSWER[:end]))


@settings(max_examples=4 * settings.default.max_examples)
@given(texts, st.lists(st.integers(0, 100), max_size=6))
@example("a\r\nb\x1b[3", [2, 7])
def test_any_text_cut_anywhere_is_the_same_document(text: str, places: list[int]) -> None:
    assert drawn(cut(text, [min(place, len(text)) for place in places])) == drawn(Document(text))


@settings(max_examples=settings.default.max_examples // 5)
@given(st.randoms(use_true_random=False))
def test_lines_and_code_that_are_too_long_are_cut_at_the_same_places(chance: random.Random) -> None:
    text = "word " * 3000 + "\n```py\n" + "x = 1\n" * 130 + "y" * 9000 + "\n```\n- " + "z" * 5000
    places = [chance.randrange(len(text)) for _ in range(30)]
    assert drawn(cut(text, places)) == drawn(Document(text))


def test_closed_blocks_stay_the_objects_they_are() -> None:
    document = Document()
    before = []
    for char in ANSWER:
        document.append(char)
        assert all(one is other for one, other in zip(before, document.closed, strict=False))
        assert len(document.closed) >= len(before)
        before = [*document.closed]


@settings(max_examples=2 * settings.default.max_examples)
@given(texts, st.integers(1, 60))
def test_no_row_is_too_wide_and_none_holds_a_control_character(text: str, width: int) -> None:
    for block in Document(text).blocks:
        for row in block.rows(width):
            assert runs_width(row) <= width
            assert not [char for char in plain(row) if ord(char) < 32 or 127 <= ord(char) < 160]
            assert not set(plain(row)) & set("\u202e\u200b\ud800")


def test_an_answer_is_drawn() -> None:
    assert screen(ANSWER) == [
        "# Plan",
        "",
        "I changed two files, see the app",
        "(https://example.org/app):",
        "• one",
        "• two deep",
        "  1. nested",
        "",
        "       def main(argv: list[str]) -> int:",
        '          """Entry',  # the tab is as wide as the next stop of the line is far
        '           point."""',
        "",
        "[x] done",
        "[ ] open",
        "",
        "▎ quoted lazy",
        "",
        "name │ size",
        "─────┼─────",
        "app  │   12",
        "a|b  │    7",
        "",
        "## Title",
        "",
        "<div>html</div>",
        "",
        "1. run",
        "2. commit",
        "",
        "   more",
        "",
        "─" * 40,
        "",
        "  open fence",
    ]


def test_a_task_in_a_numbered_list_keeps_its_number_and_wraps_behind_its_box() -> None:
    assert screen("1. [x] one two three\n", 15) == ["1. [x] one two", "       three"]


def test_entities_cannot_smuggle_what_the_text_may_not_hold() -> None:
    assert screen("a&#x202e;b&#8203;c&#x1b;[31m&Tab;d") == ["a�bc�[31m       d"]


def test_the_size_of_no_block_grows_without_bound() -> None:
    for text in (
        "a " * 50_000,
        "a\n" * 50_000,
        "```\n" + "b" * 100_000,
        "|a|\n|-|\n" + "|" + "c" * 100_000,
        "<div>\n" + "d\n" * 5000,
    ):
        assert max(len(block.source) for block in Document(text).blocks) <= 4096


def test_an_overlong_line_is_cut_before_a_word_that_begins_no_block() -> None:
    text = "- " + "word - 1. # > " * 500
    blocks = Document(text).blocks
    assert {block.kind for block in blocks} == {"paragraph"}
    assert " ".join(block.source for block in blocks).split() == text.split()[1:]


def test_an_append_to_a_long_document_costs_what_it_costs_in_a_short_one() -> None:
    def calls(text):
        document = Document(text)
        assert sum(len(block.rows(80)) for block in document.blocks)
        count = 0

        def counted(*_):
            nonlocal count
            count += 1

        sys.setprofile(counted)
        document.append("word **and** word")
        rows = [block.rows(80) for block in document.open]
        sys.setprofile(None)
        assert rows
        return count

    for piece in ("Some *words* and `code`.\n\n", "- an *item*\n", "> quoted\n\n", "> - a\n>   - b\n"):
        calls(piece * 3)  # what is imported and kept once
        assert calls(piece * 2000) <= calls(piece * 3) * 1.1
    for opening, row in (("```py\n", "x = 1\n"), ("|a|\n|-|\n", "|*b*|\n"), ("- a\n", "  - b\n"), ("> a\n", "> - b\n")):
        calls(opening + row * 81)
        assert calls(opening + row * 4001) <= calls(opening + row * 81) * 1.1


@pytest.mark.parametrize(
    "text",
    [
        "[" * 4096,
        "![" * 2048,
        "*a " * 1400,
        "<" * 4096,
        "a" + "`" * 4000,
        "[a](" * 1000,
        "&#" * 2000,
        ">" * 4096,
        "e\u0301" * 2000,
    ],
    ids=["brackets", "images", "stars", "tags", "ticks", "links", "entities", "quotes", "accents"],
)
def test_hostile_blocks_are_drawn_as_text(text: str) -> None:
    (first, *_) = Document(text).blocks
    assert plain(first.rows(80)[0])


def test_every_block_has_a_row() -> None:
    assert screen("-\n- ```\n  ```\n#\n\n```") == ["•", "", "•", "", "#", "", ""]


def test_a_table_of_ten_thousand_rows_keeps_its_columns() -> None:
    rows = screen("| a | b |\n|---|---|\n" + "| x | `y` |\n" * 9999 + "| longer | z |\n", 30)
    assert len(rows) == 10_002 + len("longer") - 1
    assert rows[:3] == ["a │ b", "──┼──", "x │ y"]
    assert rows[-6:] == ["l │ z", "o │", "n │", "g │", "e │", "r │"]
