"""`ToolResult`: the result of a tool call, for the model, the user and programs."""

from collections.abc import Iterable
from typing import Any

from zot_core.display import NOTE, DisplayBlock
from zot_provider.messages import ImageBlock, TextBlock
from zot_provider.record import Record, field


class ToolResult(Record):
    """`content` is for the model, `display` for the user, `details` for logs and extensions.

    `details` must be JSON values; with `kept` the session stores them beside the content. `is_error` marks the call as
    failed for the model. `terminate`: the model need not answer, if all results of its batch say so.
    """

    content: list[TextBlock | ImageBlock]
    is_error: bool = False
    details: dict[str, Any] = field(default_factory=dict)
    display: list[DisplayBlock] = field(default_factory=list)
    kept: bool = False
    terminate: bool = False

    @classmethod
    def of(cls, text: str) -> "ToolResult":
        """Return a successful result with this text."""
        return cls([TextBlock(text)])

    @classmethod
    def error(cls, text: str) -> "ToolResult":
        """Return a failed result with this text for the model."""
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
