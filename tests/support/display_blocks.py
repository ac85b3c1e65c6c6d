"""Blocks of a tool's result as plain records: what a transcript accepts from any agent (`RenderableBlock`)."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Text:
    text: str
    kind: str = "text"


@dataclass
class Markdown:
    text: str
    kind: str = "markdown"


@dataclass
class Code:
    path: str
    text: str
    start_line: int = 1
    kind: str = "code"


@dataclass
class Diff:
    path: str
    diff: str
    starts: Sequence[tuple[int, int]] = ()
    kind: str = "diff"


@dataclass
class Files:
    paths: list[str] = field(default_factory=list)
    kind: str = "files"


@dataclass
class Terminal:
    command: str
    output: str
    exit_code: int | None = 0
    duration: float = 0.0
    left_out: int = 0
    kind: str = "terminal"


@dataclass
class Image:
    mime_type: str
    data: str
    source: str = ""
    kind: str = "image"


@dataclass
class TodoItem:
    content: str
    status: str


@dataclass
class Todos:
    items: list[TodoItem] = field(default_factory=list)
    kind: str = "todo"


@dataclass
class Other:
    kind: str = "hologram"
