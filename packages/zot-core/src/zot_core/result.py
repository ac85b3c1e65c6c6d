"""`ToolResult`: the result of a tool call, for the model, the user and programs."""

from typing import Any

from zot_core.display import DisplayBlock
from zot_provider.messages import ImageBlock, TextBlock
from zot_provider.record import Record, field


class ToolResult(Record):
    """`content` is for the model, `display` for the user, `details` for logs and extensions.

    `details` must be JSON values. `is_error` marks the call as failed for the model.
    """

    content: list[TextBlock | ImageBlock]
    is_error: bool = False
    details: dict[str, Any] = field(default_factory=dict)
    display: list[DisplayBlock] = field(default_factory=list)

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
