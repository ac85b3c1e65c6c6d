"""Parse the front matter of a Markdown file: YAML between two lines `---`, before the text.

Values of one line are parsed here; everything else goes to PyYAML, whose import takes 10 ms and more. A property test
checks that the two agree.
"""

import re
from codecs import getincrementaldecoder
from contextlib import suppress

from zot_provider.record import Record

FENCE = "---"

_DEEPEST = 50
"""Brackets within brackets."""
_FIELD = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,99}):(?: +(.*?))? *")
_TOOL = r"[^\s,()]+(?:\([^)]*\))?"


class FrontMatterError(Exception):
    """Front matter that cannot be used. `line` is the line number in the file, counted from 1."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


class Parts(Record):
    """A file split into its front matter without the fences (None if it has none) and its text.

    `first_line` is the line number of the text in the file, counted from 1.
    """

    front: str | None
    body: str
    first_line: int


def text_of(data: bytes, *, whole: bool = True) -> str:
    """Return the text of a file in the encoding that it has, as the tool `read` shows it. Without the `whole` file, an
    unfinished character at the end is dropped. Raises `FrontMatterError` for a file that is no text."""
    if b"\0" not in data:
        with suppress(UnicodeDecodeError):
            return getincrementaldecoder("utf-8")().decode(data, final=whole)
    from locale import getencoding  # noqa: PLC0415  few files are not UTF-8

    from zot_core.tools.text.encoding import NoText, codec_of, read_text, shown  # noqa: PLC0415  as above

    try:
        text, _ = read_text(data if whole else data[: len(data) // 2 * 2], codec_of(getencoding()))
    except NoText:
        raise FrontMatterError("it looks binary") from None
    if "\0" in text:
        raise FrontMatterError("it looks binary")
    return shown(text)


def split(text: str) -> Parts:
    """Split a file into its parts, without byte order mark and with Unix line ends.

    Raises `FrontMatterError` if the front matter has no end.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n")
    if lines[0].rstrip() != FENCE:
        return Parts(None, text, 1)
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == FENCE:
            front = "".join(f"{each}\n" for each in lines[1:number])
            return Parts(front, "\n".join(lines[number + 1 :]), number + 2)
    raise FrontMatterError(f"the front matter has no end: a line {FENCE} is missing")


def read_tools(value: object) -> list[str]:
    """Parse the field `allowed-tools`: a list, or a line of names separated by commas or spaces, which may be followed
    by parentheses."""
    if isinstance(value, list):
        return [each.strip() for each in value if isinstance(each, str) and each.strip()]
    return re.findall(_TOOL, value) if value and isinstance(value, str) else []


def not_tools(value: object) -> str:
    """Return what `read_tools` leaves out of a line: a parenthesis without its other one."""
    return re.sub(_TOOL, "", value).strip(", \t\n") if isinstance(value, str) else ""


def read_fields(front: str) -> dict[str, object]:
    """Parse the fields: text, lists and mappings of text. Numbers, dates and booleans stay text.

    A value on one line that is not YAML (`description: Use when: ...`) is text, too. Raises `FrontMatterError`.
    """
    fields = plain_fields(front)
    if fields is not None:
        return fields
    try:
        return yaml_fields(front)
    except FrontMatterError as error:
        try:
            return yaml_fields(_quoted(front))
        except FrontMatterError:
            raise error from None


def yaml_fields(front: str) -> dict[str, object]:
    """Parse the fields with PyYAML. Raises `FrontMatterError`."""
    import yaml  # noqa: PLC0415  10 ms, and few files need it

    class Loader(yaml.BaseLoader):
        # The base loader creates only text, lists and dictionaries, whatever tags a file has, so it cannot fail on
        # invalid dates and numbers. It looks at all open brackets with every token: many of them cost it minutes.

        def fetch_flow_collection_start(self, TokenClass: object) -> None:
            if self.flow_level >= _DEEPEST:
                raise yaml.MarkedYAMLError(problem="brackets are nested too deeply", problem_mark=self.get_mark())
            super().fetch_flow_collection_start(TokenClass)

    try:
        value = yaml.load(front, Loader=Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise FrontMatterError(f"not YAML: {error.problem or error.context}", 2 + (mark.line if mark else 0)) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise FrontMatterError(f"not YAML: {' '.join(str(error).split())}", 2) from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise FrontMatterError("the front matter has no fields: write lines such as name: value", 2)
    return value


def line_of(front: str, name: str) -> int:
    """Return the line number in the file at which a field starts; 1 if it is missing."""
    for number, line in enumerate(front.split("\n"), 2):
        if line.startswith(f"{name}:"):
            return number
    return 1


def plain_fields(front: str) -> dict[str, object] | None:
    """Parse the fields if each is one line: words, or quotes without escapes. None for anything else. `front` ends with
    a line break."""
    fields: dict[str, object] = {}
    for line in front.split("\n")[:-1]:
        found = _FIELD.fullmatch(line)
        value = _scalar(found[2] or "") if found and line.isprintable() else None
        if found is None or value is None:
            return None
        fields[found[1]] = value
    return fields


def _scalar(value: str) -> str | None:
    """Parse a value on one line; None if it is not a simple form."""
    if not value or (value[:1].isalnum() and ": " not in value and " #" not in value and value[-1] != ":"):
        return value
    quote, inner = value[0], value[1:-1]
    if len(value) > 1 and value[-1] == quote and quote in "\"'" and quote not in inner and "\\" not in inner:
        return inner
    return None


def _quoted(front: str) -> str:
    """Return `front` with quotes around one-line values that are not YAML by themselves."""
    lines = front.split("\n")
    for number, line in enumerate(lines):
        found = _FIELD.fullmatch(line)
        if found and found[2]:
            try:
                yaml_fields(line)
            except FrontMatterError:
                lines[number] = f"{found[1]}: '{found[2].replace(chr(39), chr(39) * 2)}'"
    return "\n".join(lines)
