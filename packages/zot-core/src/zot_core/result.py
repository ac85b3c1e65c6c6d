"""`ToolResult`: the result of a tool call, for the model, the user and programs."""

import json
from collections.abc import Iterable
from typing import Any

from zot_core.display import NOTE, DisplayBlock
from zot_provider.messages import ImageBlock, Message, TextBlock
from zot_provider.record import Record, field

SEEN = "seen"
"""The member of a stored result's details with the `Sight` of a file."""


class Sight(Record):
    """The content of a file, by its real path, after a call. The model knows it once it has read the result; with
    `before`, the content before a change of a part, only if that was known. `machine` names the machine that has the
    file, empty for this one. `text`: the content is that of the text which a prompt has of the file."""

    path: str
    content: tuple[int, int]
    before: tuple[int, int] | None = None
    machine: str = ""
    text: bool = False

    def stored(self) -> dict[str, Any]:
        """Return it as the session stores it."""
        return {name: value for name in self.__match_args__ if (value := getattr(self, name))}


def read_sight(value: Any) -> Sight | None:
    """Return the sight in a stored result; None for anything else."""
    match value:
        case {"path": str(path), "content": [int(size), int(check)], **more}:
            where, text = str(more.get("machine", "")), more.get("text") is True
            match more.get("before", ()):
                case ():
                    return Sight(path, (size, check), machine=where, text=text)
                case [int(old_size), int(old_check)]:
                    return Sight(path, (size, check), (old_size, old_check), where, text)
    return None


CARRIED = "carried"
"""The member of `kept_values` with what tools keep, by their names."""


class Carried(Record):
    """Facts of a tool that outlive its calls when a summary replaces them: a `text` for the model, empty for none,
    and a JSON value, for the tool itself, which `kept_values` of the summary has under its name."""

    text: str
    value: Any


def kept_values(summary: Message) -> dict[str, Any]:
    """Return what a compaction has computed of the messages before its summary, by name; empty for other messages, and
    if it is not as it was written."""
    try:
        found = json.loads(summary.kept or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


class ToolResult(Record):
    """`content` is for the model, `display` for the user, `details` for logs and extensions.

    `details` must be JSON values; with `kept` the session stores them beside the content. `is_error` marks the call as
    failed for the model. `terminate`: the model need not answer, if all results of its batch say so. `seen` is the file
    that the model knows from it.
    """

    content: list[TextBlock | ImageBlock]
    is_error: bool = False
    details: dict[str, Any] = field(default_factory=dict)
    display: list[DisplayBlock] = field(default_factory=list)
    kept: bool = False
    terminate: bool = False
    seen: Sight | None = None

    @classmethod
    def of(cls, text: str) -> "ToolResult":
        """Return a successful result with this text."""
        return cls([TextBlock(text)])

    @classmethod
    def error(cls, text: str) -> "ToolResult":
        return cls([TextBlock(text)], is_error=True)

    @property
    def text(self) -> str:
        """The text the model reads, blocks joined by a line break."""
        return "\n".join(block.text for block in self.content if isinstance(block, TextBlock))

    def noted(self, notes: Iterable[str]) -> "ToolResult":
        """Return the result with notes for the model at its end, a block each: what was not as it should be in the
        call, and how it was understood."""
        added = [TextBlock(f"{NOTE}{note}]") for note in notes]
        return self.replace(content=[*self.content, *added]) if added else self
