"""Display blocks: what a person is shown of a tool's work, as data.

A screen has one renderer for each kind and knows no tool by name. A tool that gives no blocks is shown as the text
the model reads.
"""

from typing import ClassVar, TypeAlias

from zot_provider.json_text import read_strict
from zot_provider.record import Record, field, record


@record
class TextDisplay(Record):
    """Plain text."""

    kind: ClassVar[str] = "text"
    text: str


@record
class CodeDisplay(Record):
    """Source text of the file `path`; `start_line` is the number of its first line, from 1."""

    kind: ClassVar[str] = "code"
    path: str
    text: str
    start_line: int = 1


@record
class DiffDisplay(Record):
    """A change of the file `path` as context diff rows: each starts with a space, `-` or `+`, or is `...`.

    `starts`: of each place that `...` parts from the others, the number of its first line before and after, from 1;
    empty where that is not known.
    """

    kind: ClassVar[str] = "diff"
    path: str
    diff: str
    starts: list[tuple[int, int]] = field(default_factory=list)


@record
class FilesDisplay(Record):
    """A list of paths; directories end in a slash."""

    kind: ClassVar[str] = "files"
    paths: list[str]


@record
class TerminalDisplay(Record):
    """A command, what it printed, how it ended (None: it was stopped) and how long it took in seconds."""

    kind: ClassVar[str] = "terminal"
    command: str
    output: str
    exit_code: int | None
    duration: float


@record
class ImageDisplay(Record):
    """An image: base64 `data` of type `mime_type`, and where it came from."""

    kind: ClassVar[str] = "image"
    mime_type: str
    data: str
    source: str = ""


DisplayBlock: TypeAlias = TextDisplay | CodeDisplay | DiffDisplay | FilesDisplay | TerminalDisplay | ImageDisplay

MAIN_ARGUMENTS = ("command", "path", "pattern", "file_path", "url", "query", "name")
"""Arguments that say what a call is about, the most telling first."""


def main_argument(arguments: str) -> str:
    """What a call is about, of the JSON text of its arguments; empty if they do not say."""
    try:
        values = read_strict(arguments)
    except ValueError:
        return ""
    if not isinstance(values, dict):
        return ""
    return next((values[name] for name in MAIN_ARGUMENTS if isinstance(values.get(name), str)), "")
