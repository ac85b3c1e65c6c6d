"""A page of HTML as Markdown, in one pass and in time that grows with its length; standard library only.

Libraries for this take seconds for a page of 1 MB and fail on deep nesting, or have 20 MB. What a model needs is less
than they do: headings, paragraphs, lists, quotes, links, code and tables. Scripts, styles and forms are
left out.

As a program, this converts the page that follows a line of JSON on standard input, see `main`.
"""

import codecs
import json
import re
import sys
from contextlib import suppress
from html.parser import HTMLParser
from urllib.parse import urljoin


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SKIPPED = _words("script style noscript template svg math canvas iframe object select button")
_BLOCKS = _words(
    "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer"
    " form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p pre search section summary table tbody tfoot"
    " thead tr ul"
)
_MARKS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "kbd": "`", "samp": "`", "tt": "`"}
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_CELLS = ("td", "th")
_DEPTH = 12
"""Lists and quotes inside one another that are shown; deeper ones are as this deep."""
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_HEAD = 4096
_SPACES = re.compile(r"[ \t\r\n\f\v]+")
_SLOW_CODECS = _words("idna punycode raw-unicode-escape undefined unicode-escape utf-7")
"""Codecs of Python that no page has, and of which some take quadratic time."""


class _Page(HTMLParser):
    """Collects `lines` of Markdown."""

    def __init__(self, url: str) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self.title = ""
        self._url = url
        self._inline: list[str] = []
        self._open: list[tuple[str, str]] = []
        """Lists, items and quotes that are open: the tag, and what their lines begin with."""
        self._marker = ""
        self._numbers: list[int] = []
        self._skipping: list[str] = []
        self._links: list[tuple[str, int]] = []
        self._row: list[str] | None = None
        self._rows = 0
        self._pre = 0
        self._in_title = False

    # Called by the parser

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED and tag not in self._skipping:
            self._skipping.append(tag)
        if self._skipping:
            return
        self._in_title = tag == "title"
        values = {name: value or "" for name, value in attrs}
        if tag in _BLOCKS:
            self._begin_block(tag, values)
        elif tag in _CELLS and self._row is not None:
            self._end_cell()
        elif tag == "br":
            self._inline.append("\n")
        elif tag == "a":
            self._links.append((values.get("href", ""), len(self._inline)))
        elif tag == "img" and values.get("alt", "").strip():
            self._inline.append(f"[image: {_spaced(values['alt'])}]")
        elif tag in _MARKS and not self._pre:
            self._inline.append(_MARKS[tag])

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False
        if self._skipping:
            if tag in self._skipping:
                del self._skipping[self._skipping.index(tag) :]
            return
        if tag in _BLOCKS:
            self._end_block(tag)
        elif tag in _CELLS and self._row is not None:
            self._end_cell()
        elif tag == "a" and self._links:
            self._end_link(*self._links.pop())
        elif tag in _MARKS and not self._pre:
            self._end_mark(_MARKS[tag])

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._skipping:
            self._inline.append(data)

    # Blocks

    def _begin_block(self, tag: str, values: dict[str, str]) -> None:
        self.flush()
        if self._row is not None:
            if tag not in ("pre", "table", "tr"):
                return
            self._end_row()  # code, and a table in a table, come below the row
        if tag in ("ul", "ol", "menu", "dir"):
            start = values.get("start", "")
            first = int(start) if start.isascii() and start.isdecimal() and len(start) < 9 else 1
            self._numbers.append(first if tag == "ol" else -1)
            self._open.append((tag, ""))
        elif tag == "li":
            if self._open and self._open[-1][0] == "li":  # its end may be left out
                self._open.pop()
            number = self._numbers[-1] if self._numbers else -1
            self._marker = "- " if number < 0 else f"{number}. "
            if number >= 0:
                self._numbers[-1] += 1
            self._open.append((tag, " " * len(self._marker)))
        elif tag == "blockquote":
            self._open.append((tag, "> "))
        elif tag in _HEADINGS:
            self._inline.append(_HEADINGS[tag])
        elif tag == "pre":
            self._pre += 1
            self._gap()
            self._line("```")
        elif tag == "hr":
            self._gap()
            self._line("---")
        elif tag == "table":
            self._rows = 0
        elif tag == "tr":
            self._row = []

    def _end_block(self, tag: str) -> None:
        if tag in ("tr", "table") and self._row is not None:
            self._end_row()
        elif tag == "pre" and self._pre:
            self.flush()
            self._pre -= 1
            self._line("```")
        else:
            self.flush()
        if tag in ("ul", "ol", "menu", "dir") and self._numbers:
            self._numbers.pop()
        for at in range(len(self._open) - 1, max(len(self._open) - 50, -1), -1):
            if self._open[at][0] == tag:
                del self._open[at:]
                break

    def _end_cell(self) -> None:
        text = _spaced("".join(self._inline)).replace("|", "\\|")
        self._inline.clear()
        self._links.clear()
        if text and self._row is not None:
            self._row.append(text)

    def _end_row(self) -> None:
        self._end_cell()
        row, self._row = self._row or [], None
        if not row:
            return
        if not self._rows:
            self._gap()
        self._line(f"| {' | '.join(row)} |")
        if not self._rows:
            self._line("|" + " --- |" * len(row))
        self._rows += 1

    def flush(self) -> None:
        if self._row is not None:  # a block in a cell
            self._inline.append(" ")
            return
        text = "".join(self._inline)
        self._inline.clear()
        self._links.clear()
        if self._pre:
            for line in text.strip("\r\n").splitlines():
                self._line(line.rstrip())
            return
        lines = [found for line in text.split("\n") if (found := _spaced(line))] if "\n" in text else [_spaced(text)]
        if not any(line.strip("#*` ") for line in lines):
            return
        if not self._marker:
            self._gap()
        self._line(" ".join(lines))

    def _gap(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def _line(self, text: str) -> None:
        prefix = "".join(each for _, each in self._open[:_DEPTH])
        if self._marker:
            prefix = prefix[: len(prefix) - len(self._marker)] + self._marker
            self._marker = ""
        self.lines.append((prefix + text).rstrip())

    # Inline

    def _end_link(self, href: str, start: int) -> None:
        text = _spaced("".join(self._inline[start:]))
        del self._inline[start:]
        if not text or self._pre or not href or href.startswith(("#", "javascript:", "data:")):
            self._inline.append(text)
            return
        with suppress(ValueError):  # a wrong port; the link is shown as it is
            href = urljoin(self._url, href.strip())
        self._inline.append(f"[{text}]({href})")

    def _end_mark(self, mark: str) -> None:
        if self._inline and self._inline[-1] == mark:  # nothing is marked
            self._inline.pop()
        else:
            self._inline.append(mark)


def _spaced(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def to_markdown(html: str, url: str = "") -> str:
    """Return a page as Markdown. Links are relative to `url`."""
    page = _Page(url)
    page.feed(html)
    page.close()
    page.flush()
    title = _spaced(page.title)
    if title and f"# {title}" not in page.lines[:20]:
        page.lines[:0] = [f"# {title}", ""]
    return "\n".join(page.lines).strip() + "\n" if page.lines else ""


def decoded(data: bytes, charset: str) -> str:
    """Return text in the charset of its byte order mark, else in `charset`; what does not fit is replaced."""
    for mark, name in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if data.startswith(mark):
            charset = name
    try:
        if codecs.lookup(charset).name.replace("_", "-") not in _SLOW_CODECS:
            return data.decode(charset, "replace").removeprefix("\ufeff")
    except (LookupError, ValueError):  # unknown
        pass
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def main() -> int:
    """Print the page on standard input as Markdown. Its first line is JSON: the URL and the charset, if known."""
    url, charset = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read()
    if not charset and (found := _META.search(data[:_HEAD])):
        charset = found[1].decode("ascii", "replace")
    sys.stdout.buffer.write(to_markdown(decoded(data, charset), url).encode("utf-8", "replace"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
