"""`ToolResult`: what a tool gives back, for three readers."""

from typing import Any

from zot_core.display import DisplayBlock
from zot_provider.messages import ImageBlock, TextBlock
from zot_provider.record import Record, field, record


@record
class ToolResult(Record):
    """`content` is what the model reads, `display` what a person sees, `details` what a log or extension keeps.

    `details` must be JSON values. `is_error` tells the model that the call failed.
    """

    content: list[TextBlock | ImageBlock]
    is_error: bool = False
    details: dict[str, Any] = field(default_factory=dict)
    display: list[DisplayBlock] = field(default_factory=list)

    @classmethod
    def of(cls, text: str) -> "ToolResult":
        """A result that is only text."""
        return cls([TextBlock(text)])

    @classmethod
    def error(cls, text: str) -> "ToolResult":
        """A failure the model is told of."""
        return cls([TextBlock(text)], is_error=True)

    @property
    def text(self) -> str:
        """The text the model reads, blocks joined by a line break."""
        return "\n".join(block.text for block in self.content if isinstance(block, TextBlock))
