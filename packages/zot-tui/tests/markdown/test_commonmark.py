"""The examples of the CommonMark specification about blocks, which are in `commonmark-0.31.2`."""

import json
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from zot_tui.markdown import Document

EXAMPLES = json.loads((Path(__file__).parent / "commonmark-0.31.2" / "blocks.json").read_text("utf-8"))
KINDS = {"paragraph_open": "paragraph", "fence": "code", "code_block": "code", "html_block": "html", "hr": "rule"}
LINES = sorted({line for each in EXAMPLES for line in each["markdown"].split("\n") if not set(line) & {"\t", "|"}})

Shown: TypeAlias = tuple[str, int, str, list[str], list[str]]  # kind, level, language, marks, lines

examples = pytest.mark.parametrize(
    ("text", "html"),
    [pytest.param(each["markdown"], each["html"], id=f"{each['example']}") for each in EXAMPLES],
)


def ours(text: str) -> list[Shown]:
    leaves = [block._leaf for block in Document(text).blocks]
    return [
        (leaf.kind, leaf.level, leaf.info, [mark.strip() for _, mark in leaf.margin.first], stripped(leaf.lines))
        for leaf in leaves
    ]


def stripped(lines: list[str]) -> list[str]:
    """The lines with no empty ones at the end, which code may have and HTML does not show."""
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def theirs(text: str) -> list[Shown]:
    """What markdown-it finds with its own rules. Definitions of links are text to zot."""
    found: list[Shown] = []
    around: list[list[str]] = []  # of each quote and item its marks: on the next row, and on the rows after that
    numbers: list[int] = []  # of the next item of each list

    def leaf(kind: str, lines: list[str], level: int = 0, language: str = "") -> None:
        lines = [line.lstrip(" \t") for line in lines] if kind in ("paragraph", "heading") else lines
        found.append((kind, level, language, [marks[0] for marks in around], stripped(lines)))
        for marks in around:
            marks[:1] = marks[1:]
            marks.append(marks[-1])

    tokens = MarkdownIt("commonmark").disable("reference").parse(text)
    for token, following in zip(tokens, [*tokens[1:], *tokens[-1:]], strict=True):
        if token.type.endswith("_list_open"):
            numbers.append(int(token.attrs.get("start", 1)))
        elif token.type.endswith("_list_close"):
            numbers.pop()
        elif token.type in ("blockquote_open", "list_item_open"):
            bullet = "•◦▪"[min(len(numbers), 3) - 1]
            item = bullet if token.markup in "-+*" else f"{numbers[-1]}{token.markup}" if numbers else ""
            around.append(["▎", "▎"] if token.type == "blockquote_open" else [item, ""])
            if token.type == "list_item_open":
                numbers[-1] += 1
            if following.nesting < 0:
                leaf("paragraph", [])
        elif token.type in ("blockquote_close", "list_item_close"):
            around.pop()
        elif token.type == "heading_open":
            leaf("heading", following.content.split("\n"), int(token.tag[1]))
        elif token.type in KINDS:
            content = following.content if token.nesting else token.content
            leaf(KINDS[token.type], content.removesuffix("\n").split("\n"), 0, token.info.strip())
    return found


def drawn(document: Document) -> list[object]:
    return [(block.kind, block.source, block.language, block.rows(40)) for block in document.blocks]


def test_all_examples_are_there() -> None:
    assert len(EXAMPLES) == 269


@examples
def test_markdown_it_writes_the_html_of_the_specification(text: str, html: str) -> None:
    written = MarkdownIt("commonmark").render(text)
    assert written.replace("<blockquote></blockquote>", "<blockquote>\n</blockquote>") == html


@examples
def test_a_text_has_the_leaves_that_markdown_it_finds_with_its_own_rules(text: str, html: str) -> None:
    assert ours(text) == theirs(text), html


@settings(max_examples=4 * settings.default.max_examples)
@given(st.lists(st.sampled_from(LINES), max_size=10).map("\n".join))
def test_so_has_a_text_of_lines_from_many_examples(text: str) -> None:
    assert ours(text) == theirs(text)


@examples
def test_a_text_that_comes_by_the_character_is_drawn_as_the_same_text_at_once(text: str, html: str) -> None:
    document = Document()
    assert text != ""
    for end, char in enumerate(text, 1):
        document.append(char)
        assert drawn(document) == drawn(Document(text[:end])), html
