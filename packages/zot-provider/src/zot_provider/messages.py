"""Messages and the blocks they are made of: what a conversation is, whoever the vendor.

One closed union, `Block`. A `Message` of role "user" holds text and images; of role "assistant" text,
reasoning and tool calls, in the order the model wrote them; of role "tool" one tool result per call of the
assistant message before it, in call order.
"""

import json
from typing import Any, ClassVar, Literal, TypeAlias

from zot_provider.record import Record, field, record

Role: TypeAlias = Literal["user", "assistant", "tool"]


@record
class TextBlock(Record):
    """Words, as Unicode text without lone surrogates."""

    type: ClassVar[str] = "text"
    text: str


@record
class ImageBlock(Record):
    """A picture: `data` is standard base64 (RFC 4648) without line breaks, `mime_type` e.g. "image/png"."""

    type: ClassVar[str] = "image"
    mime_type: str
    data: str

    @property
    def size(self) -> int:
        """Bytes of the decoded picture."""
        return len(self.data) * 3 // 4 - self.data[-2:].count("=")


@record
class ToolCallBlock(Record):
    """The model wants a tool to run. `arguments` is the JSON text exactly as the model wrote it.

    It may be no JSON at all (models make mistakes); `parsed` then raises ValueError.
    """

    type: ClassVar[str] = "tool_call"
    id: str
    name: str
    arguments: str

    def parsed(self) -> dict[str, Any]:
        """The arguments as a dict; empty text counts as no arguments. ValueError if they are no JSON object."""
        if not self.arguments.strip():
            return {}
        try:
            value = json.loads(self.arguments)
        except RecursionError as error:
            raise ValueError("the arguments are nested too deeply") from error
        if not isinstance(value, dict):
            raise ValueError(f"the arguments must be a JSON object, not {type(value).__name__}")
        return value


@record
class ToolResultBlock(Record):
    """What a tool answered to the call with id `call_id`; `is_error` tells the model that it failed."""

    type: ClassVar[str] = "tool_result"
    call_id: str
    content: "list[TextBlock | ImageBlock]"
    is_error: bool = False


@record
class ReasoningBlock(Record):
    """Thinking that a provider wants back on the next request, and a summary a person may read.

    `wire` names the wire that wrote it: another wire cannot use the opaque parts and drops the block. `provider` is the
    id of the provider whose model wrote it, empty if unknown: the signature is for that provider, and no other gets it.
    Anthropic: `summary` and `signature`, or `encrypted_content` alone for redacted thinking. OpenAI Responses:
    `reasoning_id`, `summary`, `encrypted_content`. OpenAI Chat style `reasoning_content`: `summary` alone.
    """

    type: ClassVar[str] = "reasoning"
    summary: str = ""
    reasoning_id: str = ""
    encrypted_content: str = ""
    signature: str = ""
    wire: str = ""
    provider: str = ""


Block: TypeAlias = TextBlock | ImageBlock | ToolCallBlock | ToolResultBlock | ReasoningBlock


@record
class Message(Record):
    """One entry of a conversation. `time` is UTC, `2026-11-21T20:29:25.586Z`, or empty if unknown.

    `meta` holds strings about the message that no model sees, such as `display_text` (what a person is shown
    instead of the text) and `hidden`.
    """

    role: Role
    content: list[Block]
    time: str = ""
    meta: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text blocks, joined by a line break."""
        return "\n".join(block.text for block in self.content if isinstance(block, TextBlock))

    @property
    def tool_calls(self) -> list[ToolCallBlock]:
        """The calls in the order the model wrote them."""
        return [block for block in self.content if isinstance(block, ToolCallBlock)]
