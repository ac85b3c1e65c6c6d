"""`SourceLine`: one line of markdown, read from the left; and how blocks begin (CommonMark 0.31, GFM tables); pure."""

import re
from typing import NamedTuple

from zot_tui.text.width import Align

TAB = 4

_HEADING = re.compile(r"(#{1,6})(?:[ \t]+|$)(.*)")
_UNDERLINE = re.compile(r"(=+|-+)[ \t]*$")
_FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_MARKER = re.compile(r"(?:([-+*])|([0-9]{1,9})([.)]))(?=[ \t]|$)")
_DELIMITERS = re.compile(r"[|:-][|:\- \t]+$")
_DELIMITER = re.compile(r":?-+:?")

_TAG = (
    r"<(?:[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)*\s*/?"
    r"|/[A-Za-z][A-Za-z0-9-]*\s*)>"
)
_BLOCK_NAMES = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu"
    "|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr"
    "|track|ul"
)
# How an HTML block begins and what ends it: None is an empty line. The last kind does not interrupt a paragraph.
_HTML: tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...] = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?:\s|>|$)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{_BLOCK_NAMES})(?:\s|/?>|$)", re.I), None),
    (re.compile(rf"{_TAG}\s*$"), None),
)


class SourceLine:
    """The rest of a line: `rest`, which begins at `column`. Its indentation contains no tabs."""

    __slots__ = ("column", "rest")

    def __init__(self, text: str) -> None:
        self.rest = text
        self.column = 0
        self._expand()

    @property
    def blank(self) -> bool:
        """Whether only spaces are left."""
        return not self.rest or self.rest.isspace()

    @property
    def indent(self) -> int:
        """The number of spaces at the beginning of `rest`."""
        return len(self.rest) - len(self.rest.lstrip(" "))

    @property
    def text(self) -> str:
        """`rest` without surrounding spaces."""
        return self.rest.strip(" \t")

    def skip(self, columns: int) -> None:
        """Skip that many characters, none of them a tab."""
        self.rest = self.rest[columns:]
        self.column += columns
        self._expand()

    def _expand(self) -> None:
        """Replace the tabs of the indentation by spaces; stops are `TAB` columns apart."""
        body = self.rest.lstrip(" \t")
        lead = self.rest[: len(self.rest) - len(body)]
        if "\t" in lead:
            shift = self.column % TAB
            self.rest = (" " * shift + lead).expandtabs(TAB)[shift:] + body


class Fence(NamedTuple):
    """The opening of a code fence: its indentation, its character, the number of them, and the words after it."""

    indent: int
    mark: str
    length: int
    info: str


class Marker(NamedTuple):
    """The marker of a list item: `-`, `+`, `*`, `.` or `)`, the number before the latter two, its cells."""

    sign: str
    number: int
    cells: int


def heading(line: SourceLine) -> tuple[int, str] | None:
    """Return level and text of a heading that begins with `#`, or None."""
    found = _HEADING.match(line.rest.lstrip(" "))
    if found is None:
        return None
    text = found[2].strip(" \t")
    bare = text.rstrip("#")  # trailing `#` are not text if a space is before them
    return len(found[1]), bare.rstrip(" \t") if not bare or bare[-1] in " \t" else text


def underline(line: SourceLine) -> int:
    """Return the level of the heading that the line underlines, 0 if it is not an underline."""
    found = _UNDERLINE.match(line.rest.lstrip(" "))
    return 0 if found is None else 1 if found[1][0] == "=" else 2


def fence(line: SourceLine) -> Fence | None:
    """Return the opening of a fence, or None."""
    found = _FENCE.match(line.rest.lstrip(" "))
    if found is None:
        return None
    run, info = (found[1], found[2]) if found[1] else (found[3], found[4])
    return Fence(line.indent, run[0], len(run), info.strip(" \t"))


def closes(line: SourceLine, opened: Fence) -> bool:
    """Whether the line ends the fence."""
    text = line.text
    return line.indent < TAB and len(text) >= opened.length and not text.strip(opened.mark)


def rule(line: SourceLine) -> bool:
    """Whether the line is a horizontal rule."""
    return _RULE.match(line.rest.lstrip(" ")) is not None


def marker(line: SourceLine) -> Marker | None:
    """Return the marker of a list item, or None."""
    found = _MARKER.match(line.rest.lstrip(" "))
    if found is None:
        return None
    return Marker(found[1] or found[3], int(found[2] or 0), found.end())


def html(line: SourceLine) -> tuple[re.Pattern[str] | None, bool] | None:
    """If an HTML block begins here, return what ends it (None for an empty line), and whether it may interrupt a
    paragraph."""
    text = line.rest.lstrip(" ")
    if text.startswith("<"):
        for index, (begins, ends) in enumerate(_HTML):
            if begins.match(text):
                return ends, index < len(_HTML) - 1
    return None


def delimiters(line: SourceLine) -> list[Align] | None:
    """Return the alignment of a table's columns if the line is the delimiter row below its head, or None."""
    text = line.text
    if not _DELIMITERS.match(text) or (text[0] == "-" and text[1] in " \t"):
        return None
    aligns: list[Align] = []
    cells = [cell.strip(" \t") for cell in text.split("|")]
    for index, cell in enumerate(cells):
        if not cell and index in (0, len(cells) - 1):
            continue
        if not _DELIMITER.fullmatch(cell):
            return None
        right = cell.endswith(":")
        aligns.append("center" if right and cell.startswith(":") else "right" if right else "left")
    return aligns


def split_row(text: str) -> list[str]:
    """Return the cells of a table row: the text between its pipes. A pipe after a backslash is text."""
    cells = [""]
    for piece in re.split(r"(\\.|\|)", text.strip(" \t")):
        if piece == "|":
            cells.append("")
        else:
            cells[-1] += "|" if piece == "\\|" else piece
    if cells[0] == "":
        del cells[0]
    if cells and cells[-1] == "":
        del cells[-1]
    return [cell.strip(" \t") for cell in cells]
