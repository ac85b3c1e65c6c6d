"""Inline markdown as styled runs: emphasis, code, links; by markdown-it, which is imported on first use."""

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from zot_tui.text.runs import Row, join
from zot_tui.text.sanitize import detached, sanitize

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

BRACKETS = 200  # most brackets in a text that is parsed: more of them take long, and are not readable links

HEAD = 256  # a longer text is parsed in parts of at least so many characters

_DEFINITION = re.compile(r"\[[^\]]+\]:")
_BREAK_TAG = re.compile(r"<br\s*/?>", re.I)
_PLAIN = re.compile(r"[^\\`*_\[\]<>&!~\n]*(?:(?<![ \t])\n(?![ \t])[^\\`*_\[\]<>&!~\n]*)*")
_OPENER = re.compile(r"[`\[]|<(?=[A-Za-z/!?])")
_CLOSERS = {"`": "`", "[": "]", "<": ">"}  # what must follow so that the sign is more than text
_BRACKETED = re.compile(r"\[[^\[\]`<]*\](?![(:])")  # is text whatever follows
_BORDER = re.compile(r"(?<=[^\s\\])[ \n](?=\S)")
_STYLES = {
    "strong": "markdown.strong",
    "em": "markdown.emphasis",
    "s": "markdown.strike",
    "link": "markdown.link",
}
_RANK = ("markdown.emphasis", "markdown.strong", "markdown.strike", "markdown.link")  # the last active style wins


def inline(text: str, style: str = "text") -> Row[str]:
    """Return the runs of `text`; `style` applies where nothing else does.

    A line break is a space; a hard one (`\\`, two spaces, `<br>`) stays. A link shows its text and then its address, so
    that it cannot mislead; an image shows its description like a link. Other HTML is plain text.
    """
    if _PLAIN.fullmatch(text) or text.count("[") > BRACKETS:
        return [(style, " ".join(map(detached, text.split("\n"))))] if text else []
    row: Row[str] = []
    start, size = 0, HEAD
    while (border := _BORDER.search(text, start + size)) is not None:
        runs, closers = _head(text[start : border.start()], style)
        if any(text.find(each, border.start()) >= 0 for each in closers):
            size *= 2
        else:
            row += runs
            start, size = border.start(), HEAD
    return join([*row, *_runs(text[start:], style)[0]])


def _runs(text: str, style: str) -> tuple[Row[str], set[str]]:
    """Return the runs of `text`, and the signs that may change them if they follow.

    If none of them follows, the runs of a longer text are these and the runs of the rest, which must begin with a
    single space or line break.
    """
    row: Row[str] = []
    closers: set[str] = set()
    for token in _parser().parseInline(text, {"closers": closers}):
        children = token.children or []
        _walk(children, style, row)
        texts = [_BRACKETED.sub("", each.content) for each in children if each.type in ("text", "image")]
        closers.update(_CLOSERS[sign] for each in texts for sign in _OPENER.findall(each))
    if "]" in closers and "](" in text:
        closers.add(")")
    return join((each, detached(sanitize(part))) for each, part in row), closers


_head = lru_cache(maxsize=256)(_runs)  # a long text is drawn again for each bit of it that comes


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415  takes 60 ms, and the first screen has no answer

    def note_closers(state: "StateInline") -> None:
        """Note which signs would end emphasis that does not end in the text."""
        state.env["closers"].update(chr(each.marker) for each in state.delimiters if each.open and each.end < 0)

    parser = MarkdownIt("commonmark").enable("strikethrough")
    parser.inline.ruler2.push("closers", note_closers)
    return parser


def _walk(tokens: "list[Token]", style: str, row: Row[str]) -> None:
    """Append the runs of the tokens to `row`."""
    active: list[str] = []
    links: list[tuple[str, int]] = []  # address, and where the link text begins
    for index, token in enumerate(tokens):
        kind = token.type.removesuffix("_open").removesuffix("_close")
        shown = max(active, key=_RANK.index) if active else style
        if kind in _STYLES and token.nesting > 0:
            active.append(_STYLES[kind])
            if kind == "link":
                links.append((str(token.attrGet("href") or ""), len(row)))
        elif kind in _STYLES:
            active.remove(_STYLES[kind])
            if kind == "link":
                address, start = links.pop()
                _address(address, "".join(text for _, text in row[start:]), row)
        elif kind == "code_inline":
            row.append(("markdown.code", token.content))
        elif kind == "image":
            row.append(("markdown.link", token.content or "image"))
            _address(str(token.attrGet("src") or ""), token.content, row)
        elif kind == "softbreak":
            following = tokens[index + 1].content if index + 1 < len(tokens) else ""
            row.append((shown, "\n" if _DEFINITION.match(following) else " "))
        elif kind == "hardbreak" or (kind == "html_inline" and _BREAK_TAG.fullmatch(token.content)):
            row.append((shown, "\n"))
        else:
            row.append((shown, token.content))


def _address(address: str, text: str, row: Row[str]) -> None:
    """Append the address of a link unless its text is the same."""
    if address and address not in (text, f"mailto:{text}"):
        row.append(("markdown.url", f" ({address})"))
