import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from zot_tui.markdown.line import split_row
from zot_tui.markdown.structure import DEPTH, PIECE_LINES, Structure

ORACLE = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("reference")

PREFIXES = ["", "", "", "> ", "- ", "  ", "1. ", "2. ", "   ", "> - ", "- - ", "* ", "3) ", "3) x\n\n      "]
BODIES = [
    *("", "word", "two words", "*a* `b`", "# head", "## head ##", "```", "```py", "~~~", "---", "***", "==="),
    *("| a | b |\n|---|:-:|\n| 1 | 2 |", "[ ] task", "<div>", "</div>", "<!-- x", "-->", "<b>x</b>", "[a]: /b"),
    *("\\*", "#no", "end  "),
]
lines = st.tuples(st.sampled_from(PREFIXES), st.sampled_from(BODIES)).map("".join)


def structure(text):
    state = Structure()
    for line in text.split("\n"):
        state.feed(line)
    state.finish()
    return state.done


def ours(text):
    """LeafKind, level, text and marks of each leaf."""
    return [(leaf.kind, leaf.level, content(leaf), marks(leaf)) for leaf in structure(text)]


def content(leaf):
    if leaf.kind == "table":
        rows = [split_row(line) for line in leaf.lines]
        return [leaf.head, *((row + [""] * len(leaf.head))[: len(leaf.head)] for row in rows)]
    return trimmed(leaf.kind, "\n".join(leaf.lines))


def marks(leaf):
    shown = [text.strip() for _, text in leaf.margin.first]
    return ["•" if mark in ("◦", "▪") else mark for mark in shown]


def trimmed(kind, text):
    if kind in ("code", "html"):
        return text.rstrip("\n ")
    return "\n".join(line.strip() for line in text.split("\n"))


class Walk:
    """The leaves of a text as markdown-it finds them, in the form of `ours`.

    An item that is empty and two empty lines end a list for markdown-it. CommonMark's reference implementations go on
    with it, and so does this.
    """

    def __init__(self, text):
        self.found = []
        self.open = []  # "▎", or [label, whether it was drawn]
        self.numbers = []  # of the next item of each list, None for bullets
        self.ended = None  # the number that the list which ends here would go on with
        self.tokens = ORACLE.parse(text + "\n")  # without the line break "> - <!-- x\n> " is an IndexError in it
        for index, token in enumerate(self.tokens):
            self.take(index, token)

    def take(self, index, token):
        kind = token.type
        if kind in ("bullet_list_open", "ordered_list_open"):
            before = self.tokens[index - 1]
            goes_on = before.type == "ordered_list_close" and before.markup == token.markup and index
            start = self.ended if goes_on else token.attrGet("start")
            self.numbers.append((1 if start is None else start) if token.tag == "ol" else None)
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self.ended = self.numbers.pop()
        elif kind == "list_item_open":
            number = self.numbers[-1]
            self.open.append(["•" if number is None else f"{number}{token.markup}", False])
            self.numbers[-1] = None if number is None else number + 1
        elif kind == "blockquote_open":
            self.open.append("▎")
        elif kind in ("list_item_close", "blockquote_close"):
            if self.open[-1] != "▎" and not self.open[-1][1]:
                self.add("paragraph", "")
            self.open.pop()
        else:
            self.leaf(index, token)

    def leaf(self, index, token):
        kind = token.type
        if kind == "paragraph_open":
            self.add("paragraph", self.tokens[index + 1].content)
        elif kind == "heading_open":
            self.add("heading", self.tokens[index + 1].content, int(token.tag[1]))
        elif kind in ("fence", "code_block"):
            self.add("code", token.content)
        elif kind == "html_block":
            self.add("html", token.content)
        elif kind == "hr":
            self.add("rule", "")
        elif kind == "table_open":
            self.add("table", self.table(index))

    def add(self, kind, text, level=0):
        shown = []
        for each in self.open:
            shown.append("▎" if each == "▎" else "" if each[1] else each[0])
            if each != "▎":
                each[1] = True
        self.found.append((kind, level, text if kind == "table" else trimmed(kind, text), shown))

    def table(self, index):
        rows = []
        while self.tokens[index].type != "table_close":
            if self.tokens[index].type == "tr_open":
                rows.append([])
            elif self.tokens[index].type == "inline":
                rows[-1].append(self.tokens[index].content)
            index += 1
        return rows


def without_quotes(leaves):
    """An item that holds nothing but an empty quote: we draw the bar of the quote, markdown-it has none to draw."""
    return [(*leaf[:3], [mark for mark in leaf[3] if mark != "▎"]) if leaf[2] == "" else leaf for leaf in leaves]


@settings(max_examples=6 * settings.default.max_examples)
@given(st.lists(lines, max_size=9).map("\n".join))
@example("1. a\n1. b\n\n   c\n2) d")
@example("1. \n\n\n1. ")
@example("- a\n  - b\n\n    c\n- d\nlazy\n> e\nlazy\n>\nnot lazy")
@example("para\nhead | two\n---|---\n1 | 2 \\| 3\n\n| a |\n| - |")
@example("-\n\n- b\n-\n  c\n- - d")
@example("```\na\n\n  b\n````\nc\n> ```\n> d\ne")
@example("    code\n\n    more\n\ntext\n    text")
@example("a\n===\nb\nc\n---\n# d #\n####### e\n#f")
@example("<!-- a\n\nb --> c\nd\n<div>\ne\n\nf\n<b>\ng")
def test_the_leaves_are_those_that_markdown_it_finds(text: str) -> None:
    assert without_quotes(ours(text)) == without_quotes(Walk(text).found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\tcode", [("code", 0, "code", [])]),
        ("-\ta\n\n\tb", [("paragraph", 0, "a", ["•"]), ("paragraph", 0, "b", [""])]),
        ("7. a\n9. b", [("paragraph", 0, "a", ["7."]), ("paragraph", 0, "b", ["8."])]),
        ("1. \n\n\n1. ", [("paragraph", 0, "", ["1."]), ("paragraph", 0, "", ["2."])]),
        ("a\n2. b", [("paragraph", 0, "a\n2. b", [])]),
        ("[a]: /b 'c'", [("paragraph", 0, "[a]: /b 'c'", [])]),
    ],
)
def test_tabs_numbers_and_definitions(text: str, expected: list[tuple[str, int, str, list[str]]]) -> None:
    assert ours(text) == expected


def test_long_code_and_long_tables_come_in_pieces_that_know_the_one_before() -> None:
    code = structure("```py\n" + "x\n" * 100 + "```")
    assert [len(leaf.lines) for leaf in code] == [PIECE_LINES, PIECE_LINES, 20]
    assert [leaf.before for leaf in code] == [None, *code[:2]]
    assert {leaf.fence.info for leaf in code} == {"py"}
    table = structure("|a|b|\n|-|-|\n" + "|1|2|\n" * 90)
    assert [len(leaf.lines) for leaf in table] == [PIECE_LINES, PIECE_LINES, 10]
    assert [leaf.head for leaf in table] == [["a", "b"]] * 3


def test_containers_within_each_other_have_a_limit() -> None:
    (leaf,) = structure(">" * 1000 + " a")
    assert len(leaf.margin.first) == DEPTH
    assert leaf.lines == [">" * (1000 - DEPTH) + " a"]


def test_an_empty_row_parts_blocks_that_an_empty_line_parts_and_those_that_are_no_text() -> None:
    leaves = structure("a\n- b\n- c\n\n- d\n# e\nf")
    assert [leaf.margin.above is not None for leaf in leaves] == [False, False, False, True, True, True]


def test_the_bar_of_a_quote_goes_through_the_empty_row() -> None:
    leaves = structure("> a\n>\n> b\n\n> c")
    assert [leaf.margin.above for leaf in leaves] == [None, [("markdown.quote", "▎ ")], []]
