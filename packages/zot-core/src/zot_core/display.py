"""Display blocks: what the user sees of a tool's work, as data.

A front end has one renderer for each kind of block and knows no tool by name. For a tool without display blocks it
shows the text that the model reads.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

from zot_provider.json_text import read_object
from zot_provider.messages import ImageBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.record import Record, field


class TextDisplay(Record):
    """Plain text."""

    kind: ClassVar[str] = "text"
    text: str

    @property
    def words(self) -> str:
        """The text that a person sees, for a search."""
        return self.text


class MarkdownDisplay(Record):
    """Text in Markdown."""

    kind: ClassVar[str] = "markdown"
    text: str

    @property
    def words(self) -> str:
        return self.text


class CodeDisplay(Record):
    """Source text from the file `path`; `start_line` is the number of its first line, counted from 1."""

    kind: ClassVar[str] = "code"
    path: str
    text: str
    start_line: int = 1

    @property
    def words(self) -> str:
        return self.text


class DiffDisplay(Record):
    """A change of the file `path` as rows of a diff: each starts with a space, `-` or `+`, or is `...`.

    Rows `...` separate hunks. `starts` has for each hunk the number of its first line before and after the change,
    counted from 1; it is empty if these are unknown.
    """

    kind: ClassVar[str] = "diff"
    path: str
    diff: str
    starts: list[tuple[int, int]] = field(default_factory=list)

    @property
    def words(self) -> str:
        return self.diff


def diff_details(change: DiffDisplay | None) -> dict[str, Any]:
    """Return what the session stores of a change, for `recalled_diff`; None if nothing has changed."""
    return {"diff": change.diff if change else "", "starts": change.starts if change else []}


def recalled_diff(path: str, details: dict[str, Any]) -> "list[DisplayBlock]":
    """Return the change in stored details; empty if they have none, or nothing has changed."""
    rows = str(details.get("diff", ""))
    return [DiffDisplay(path, rows, [(int(old), int(new)) for old, new in details["starts"]])] if rows else []


class FilesDisplay(Record):
    """A list of paths; directories end in a slash."""

    kind: ClassVar[str] = "files"
    paths: list[str]

    @property
    def words(self) -> str:
        return "\n".join(self.paths)


class TerminalDisplay(Record):
    """A command, its output, its exit code (None if it was stopped) and its duration in seconds. `left_out` is how
    many lines more the command has printed: lines of the output that say so are in their place."""

    kind: ClassVar[str] = "terminal"
    command: str
    output: str
    exit_code: int | None
    duration: float
    left_out: int = 0

    @property
    def words(self) -> str:
        return self.output


class ImageDisplay(Record):
    """An image: base64 `data` of type `mime_type`, and its source."""

    kind: ClassVar[str] = "image"
    mime_type: str
    data: str
    source: str = ""

    @property
    def words(self) -> str:
        return self.source


TodoStatus: TypeAlias = Literal["pending", "in_progress", "completed"]


class Todo(Record):
    """Something to do."""

    content: str
    status: TodoStatus


class TodoDisplay(Record):
    """A list of what is to be done."""

    kind: ClassVar[str] = "todo"
    items: list[Todo]

    @property
    def words(self) -> str:
        return "\n".join(each.content for each in self.items)


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

NOTE, INSTRUCTIONS = "[note: ", "[Instructions from "
"""How blocks begin that are added to a result for the model alone."""

SAME = "[the same as "
"""How the line begins that a model reads in place of a result that it has."""

MAIN_ARGUMENTS = ("command", "path", "pattern", "glob", "file_path", "url", "query", "name", "task", "action")
"""Names of arguments that identify a call, most specific first."""


def main_argument(arguments: str | Mapping[str, Any]) -> str:
    """Return the argument that best identifies a call, from its arguments or their JSON text, or an empty string."""
    values = read_object(arguments) if isinstance(arguments, str) else arguments
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


class Recaller(Protocol):
    """A tool that makes the display of a stored call again: see `Tool`."""

    def only_reads(self, arguments: Mapping[str, Any]) -> bool: ...

    def received(self, arguments: str) -> dict[str, Any]: ...

    def recall(
        self, arguments: dict[str, Any], text: str, *, details: dict[str, Any] | None = None, failed: bool = False
    ) -> list[DisplayBlock]: ...


def recalled_display(
    call: ToolCallBlock, result: ToolResultBlock, tools: Mapping[str, Recaller], arguments: dict[str, Any] | None = None
) -> list[DisplayBlock]:
    """Return the display of a stored call as its tool, one of `tools` by name, makes it again, or the content that the
    model read. `arguments` are what `received` returns for the call, if that is known."""
    return recalled(call, result, tools, arguments) or shown_content(result.content)


def recalled(
    call: ToolCallBlock, result: ToolResultBlock, tools: Mapping[str, Recaller], arguments: dict[str, Any] | None = None
) -> list[DisplayBlock]:
    """Return the display of a stored call as its tool makes it again; empty if the tool shows what the model read.
    `arguments` are as above."""
    tool, own = tools.get(call.name), _own_content(result.content)
    texts = [each.text for each in own if isinstance(each, TextBlock)]
    if tool is None or not own or len(texts) != len(own) or texts[0].startswith(SAME):
        return []
    given = received(call, tools) if arguments is None else arguments
    shown = tool.recall(given, texts[0], details=result.details, failed=result.is_error)
    return shown and [*shown, *shown_content(own[1:])]  # what an extension has added to the tool's own


def received(call: ToolCallBlock, tools: Mapping[str, Recaller]) -> dict[str, Any]:
    """Return the arguments of a stored call as its tool received them, as far as that is known; none if nobody could
    read them."""
    tool = tools.get(call.name)
    return read_object(call.arguments) if tool is None else tool.received(call.arguments)


def _own_content(content: list[TextBlock | ImageBlock]) -> list[TextBlock | ImageBlock]:
    """Return the content of a result without what was added for the model: a block each, after the tool's own."""
    return [
        each
        for number, each in enumerate(content)
        if number == 0 or not isinstance(each, TextBlock) or not each.text.startswith((NOTE, INSTRUCTIONS))
    ]
