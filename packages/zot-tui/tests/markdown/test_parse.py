import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zot_tui.markdown import Document
from zot_tui.markdown.leaves import Leaf
from zot_tui.markdown.parse import PIECE_LINES, Cut, parse
from zot_tui.markdown.rules import COLUMNS, DEPTH

PREFIXES = [
    *(
        "",
        "",
        "",
        "> ",
        "- ",
        "  ",
        "1. ",
        "2. ",
        "   ",
        "> - ",
        "- - ",
        "* ",
        " - ",
        "   - ",
        "3) ",
        "    ",
        "> > ",
        ">",
    ),
    *(
        "-\t",
        ">\t",
        "      ",
        "  > ",
        "    - ",
        "      - ",
        "1.  ",
        "-   ",
        "10. ",
        ">   ",
        ">  - ",
        "     1. ",
        "\t- ",
    ),
]
BODIES = [
    *("", "word", "two words", "*a* `b`", "# head", "## head ##", "```", "```py", "~~~", "---", "***", "===", "#", "-"),
    *("| a | b |", "|---|:-:|", "| 1 | 2 |", "a|b", "-|-", "[ ] task", "<div>", "</div>", "<!-- x", "-->", "<b>x</b>"),
    *(
        "[a]: /b",
        "\\*",
        "#no",
        "end  ",
        "\t",
        "- ",
        "> ",
        "<pre>",
        "  ```py",
        "1.",
        "    code",
        "long " * 30,
        "w" * 1500,
    ),
]
lines = st.tuples(st.sampled_from(PREFIXES), st.sampled_from(BODIES)).map("".join)


def leaves(text: str) -> list[Leaf]:
    return parse(text.split("\n"), Cut(), 0)[0]


def marks(leaf: Leaf) -> list[str]:
    return [text.strip() for _, text in leaf.margin.first]


def drawn(document: Document) -> list[object]:
    return [(block.kind, block.source, block.language, block.rows(60)) for block in document.blocks]


def by_the_line(text: str) -> Document:
    """The document of a text that was parsed after every line and every half of a line."""
    document = Document()
    for line in text.splitlines(keepends=True):
        for piece in (line[: len(line) // 2], line[len(line) // 2 :]):
            document.append(piece)
            assert document.open is not None
    return document


@settings(max_examples=6 * settings.default.max_examples)
@given(st.lists(lines, max_size=14).map("\n".join))
@example("1. a\n1. b\n\n   c\n2) d")
@example("- a|b\n- c|d\n---|---\ne\n- f\n---|---\n")
@example("- a\n   - b\n- c\n  - d\n   - e\n    - f\n- g")
@example("- a\n  - b\n\n    c\n- d\nlazy\n> e\nlazy\n>\nnot lazy")
@example("para\nhead | two\n---|---\n1 | 2 \\| 3\n\n| a |\n| - |")
@example("-\n\n- b\n-\n  c\n- - d\n-\n\n\n- e")
@example("```\na\n\n  b\n````\nc\n> ```\n> d\ne")
@example("a\n===\nb\nc\n---\n# d #\n####### e\n#f")
@example("<!-- a\n\nb --> c\nd\n<div>\ne\n\nf\n<b>\ng")
@example("x\n>\n\ny\n\n- > \n- z")
@example("* > \n   - \n\nword")
@example("- a\n  >\n  b\n- c\n  d\n")
@example("* 3) <div>\n" + "  -|-\n" * 5)
@example(">   two words\n    > <pre>\n>\t# head\n10.   |---|:-:|\n  end")
@example("-\n\n  - a\n    b\n  - c\n\n\n    - d\n")
@example("> > a\n>\n> > b\n\n> > c\nlazy\n> > d")
@example("> > a\n>\n>\n>\n> > b\n\n\n\n> > c")
@example("1. a\n\n\n\n   b\n\n\n\n2. c\n\n\n\n    d\n\n\n\n    e")
def test_a_text_parsed_by_the_line_is_the_text_parsed_at_once(text: str) -> None:
    assert drawn(by_the_line(text)) == drawn(Document(text))


@settings(max_examples=settings.default.max_examples // 2)
@given(
    st.sampled_from(["", "- ", "> ", "> - ", "- - ", "1. > ", "-\t- "]),
    st.sampled_from(["```py", "   ~~~", "|a|b|\n|-|:-:|", "<div>", "<!-- a", "    a", "a", "- a", "> a"]),
    st.data(),
)
def test_long_blocks_parsed_by_the_line_are_those_parsed_at_once(
    prefix: str, opening: str, data: st.DataObject
) -> None:
    row = data.draw(st.sampled_from(["b", "|*b*|c|", "    b", "- b", "   - b", "> b", "- c|d", "2. b", "b" * 1500]))
    rows = "\n".join([*opening.split("\n"), *[row] * data.draw(st.integers(36, 130))])
    inner = re.sub(r"[^\s>]", " ", prefix)
    end = data.draw(st.lists(lines, max_size=5).map("\n".join))
    text = prefix + rows.replace("\n", "\n" + inner) + "\n" + end
    assert drawn(by_the_line(text)) == drawn(Document(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\tcode", [("code", 0, ["code"], [])]),
        ("-\ta\n\n\tb", [("paragraph", 0, ["a"], ["•"]), ("paragraph", 0, ["b"], [""])]),
        ("7. a\n9. b", [("paragraph", 0, ["a"], ["7."]), ("paragraph", 0, ["b"], ["8."])]),
        ("a\n2. b", [("paragraph", 0, ["a", "2. b"], [])]),
        ("[a]: /b 'c'", [("paragraph", 0, ["[a]: /b 'c'"], [])]),
        ("## a ##\nb\n===", [("heading", 2, ["a"], []), ("heading", 1, ["b"], [])]),
        ("> - ```py\n>   x\n", [("code", 0, ["x"], ["▎", "•"])]),
        ("1.\n2. a", [("paragraph", 0, [""], ["1."]), ("paragraph", 0, ["a"], ["2."])]),
        ("- - a\n    - b", [("paragraph", 0, ["a"], ["•", "◦"]), ("paragraph", 0, ["b"], ["", "", "▪"])]),
    ],
)
def test_leaves_and_their_marks(text: str, expected: list[tuple[str, int, list[str], list[str]]]) -> None:
    assert [(leaf.kind, leaf.level, leaf.lines or [""], marks(leaf)) for leaf in leaves(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "- a\n" * 5000,
        "1. a\n\n" * 5000,
        "```py\n" + "a\n" * 5000,
        "|a|b|\n|-|-|\n" + "|1|2|\n" * 200,
        "> a\n\n" * 1000,
        "> a\n" * 1000,
        "a\n" * 1000,
        "<div>\n" + "a\n" * 1000,
        "- a\n" + "  - b\n    - c\n" * 1000,
        "> - a\n>   > b\n" * 1000,
        "1. a\n   ```py\n" + "   a\n" * 1000,
        "> > a\n" + ">\n" * 1000,
        "1. a\n" + "\n" * 1000,
        "```\n```\n" + "\n" * 1000,
        "\n" * 1000 + "a",
    ],
    ids=lambda text: text[:12],
)
def test_a_longer_text_is_parsed_from_its_second_to_last_line(text: str) -> None:
    document = Document(text)
    assert document.blocks
    assert len(document._lines) <= 2
    assert len(Document(text + "b").open) <= 3
    assert sum(map(len, document._cut.header)) <= 20


def test_long_code_and_long_tables_come_in_pieces_that_continue_the_one_before() -> None:
    code = leaves("```py\n" + "x\n" * 100 + "```")
    assert [len(leaf.lines) for leaf in code] == [PIECE_LINES, PIECE_LINES, 20]
    assert [leaf.continues for leaf in code] == [False, True, True]
    assert {leaf.info for leaf in code} == {"py"}
    table = leaves("|a|b|\n|-|-|\n" + "|1|2|\n" * 90)
    assert [len(leaf.rows) for leaf in table] == [PIECE_LINES, PIECE_LINES, 10]
    assert [leaf.head for leaf in table] == [["a", "b"]] * 3


def test_containers_within_each_other_have_a_limit() -> None:
    (leaf,) = leaves(">" * 1000 + " a")
    assert len(leaf.margin.first) == DEPTH
    assert leaf.lines == [">" * (1000 - DEPTH) + " a"]


def test_a_table_of_very_many_columns_is_text() -> None:
    assert [leaves("|a" * count + "\n" + "|-" * count)[0].kind for count in (COLUMNS, COLUMNS + 2)] == [
        "table",
        "paragraph",
    ]


def test_an_empty_row_parts_blocks_that_an_empty_line_parts_and_those_that_are_no_text() -> None:
    found = leaves("a\n- b\n- c\n\n- d\n# e\nf")
    assert [leaf.margin.above is not None for leaf in found] == [False, False, False, True, True, True]


def test_the_bar_of_a_quote_goes_through_the_empty_row() -> None:
    found = leaves("> a\n>\n> b\n\n> c")
    assert [leaf.margin.above for leaf in found] == [None, [("markdown.quote", "▎ ")], []]
