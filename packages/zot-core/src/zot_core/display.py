"""Display blocks: what the user sees of a tool's work, as data.

A front end has one renderer for each kind of block and knows no tool by name. For a tool without display blocks it
shows the text that the model reads.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, TypeAlias

from zot_provider.json_text import read_object
from zot_provider.messages import ImageBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.record import Record, field


class TextDisplay(Record):
    """Plain text."""

    kind: ClassVar[str] = "text"
    text: str


class MarkdownDisplay(Record):
    """Text in Markdown."""

    kind: ClassVar[str] = "markdown"
    text: str


class CodeDisplay(Record):
    """Source text from the file `path`; `start_line` is the number of its first line, counted from 1."""

    kind: ClassVar[str] = "code"
    path: str
    text: str
    start_line: int = 1


class DiffDisplay(Record):
    """A change of the file `path` as rows of a diff: each starts with a space, `-` or `+`, or is `...`.

    Rows `...` separate hunks. `starts` has for each hunk the number of its first line before and after the change,
    counted from 1; it is empty if these are unknown.
    """

    kind: ClassVar[str] = "diff"
    path: str
    diff: str
    starts: list[tuple[int, int]] = field(default_factory=list)


class FilesDisplay(Record):
    """A list of paths; directories end in a slash."""

    kind: ClassVar[str] = "files"
    paths: list[str]


class TerminalDisplay(Record):
    """A command, its output, its exit code (None if it was stopped) and its duration in seconds."""

    kind: ClassVar[str] = "terminal"
    command: str
    output: str
    exit_code: int | None
    duration: float


class ImageDisplay(Record):
    """An image: base64 `data` of type `mime_type`, and its source."""

    kind: ClassVar[str] = "image"
    mime_type: str
    data: str
    source: str = ""


TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]


class Todo(Record):
    """Something to do."""

    content: str
    status: TodoStatus


class TodoDisplay(Record):
    """A list of what is to be done."""

    kind: ClassVar[str] = "todo"
    items: list[Todo]


DisplayBlock: TypeAlias = (
    TextDisplay
    | MarkdownDisplay
    | CodeDisplay
    | DiffDisplay
    | FilesDisplay
    | TerminalDisplay
    | ImageDisplay
    | TodoDisplay
)

MAIN_ARGUMENTS = ("command", "path", "pattern", "file_path", "url", "query", "name", "task", "action")
"""Names of arguments that identify a call, most specific first."""


def main_argument(arguments: str) -> str:
    """Return the argument that best identifies a call, from the JSON text of its arguments, or an empty string."""
    values = read_object(arguments)
    return next((values[name] for name in MAIN_ARGUMENTS if isinstance(values.get(name), str)), "")


def shown_content(content: Iterable[TextBlock | ImageBlock]) -> list[DisplayBlock]:
    """Return display blocks for the content that the model read, for a result without its own display."""
    blocks: list[DisplayBlock] = []
    for block in content:
        if isinstance(block, ImageBlock):
            blocks.append(ImageDisplay(block.mime_type, block.data))
        elif block.text:
            blocks.append(TextDisplay(block.text))
    return blocks


def recalled_display(call: ToolCallBlock, result: ToolResultBlock, tools: Mapping[str, Any]) -> list[DisplayBlock]:
    """Return the display of a stored call as its tool, one of `tools` by name, makes it again, or the content that the
    model read."""
    plain = shown_content(result.content)
    recall = getattr(tools.get(call.name), "recall", None)
    if recall is None or len(plain) != 1 or not isinstance(plain[0], TextDisplay):
        return plain
    try:
        arguments = call.parsed()
    except ValueError:
        return plain
    recalled: list[DisplayBlock] = recall(arguments, plain[0].text, failed=result.is_error)
    return recalled or plain
