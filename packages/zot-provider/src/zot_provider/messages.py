"""`Message` and its blocks: the form of a conversation for all providers.

`Block` is a closed union. A `Message` of role "user" holds text and images; of role "assistant" text,
reasoning and tool calls, in the order the model wrote them; of role "tool" one tool result per call of the
assistant message before it, in call order.
"""

import json
import os
from typing import Any, ClassVar, Literal, TypeAlias

from zot_provider.record import Record, field

Role: TypeAlias = Literal["user", "assistant", "tool"]
Fate: TypeAlias = Literal["ran", "refused", "not_run", "stopped"]
"""The outcome of a tool call. It "ran", with or without success; a person or a hook "refused" it; it was "not_run",
because there is no such tool or its arguments are not a JSON object; or it was "stopped" with the turn, before or after
it began."""


class TextBlock(Record):
    """Unicode text without lone surrogates.

    `phase` is the model's word for the part that its text has in the answer, such as "commentary" before tool calls and
    "final_answer" (OpenAI Responses), empty if it has none. The model expects it back.
    """

    type: ClassVar[str] = "text"
    text: str
    phase: str = ""


class ImageBlock(Record):
    """An image: `data` is standard base64 (RFC 4648) without line breaks, `mime_type` e.g. "image/png"."""

    type: ClassVar[str] = "image"
    mime_type: str
    data: str

    @property
    def size(self) -> int:
        """Bytes of the decoded image."""
        return len(self.data) * 3 // 4 - self.data[-2:].count("=")


class ToolCallBlock(Record):
    """A request of the model to run a tool. `arguments` is the text exactly as the model wrote it.

    It may be invalid JSON (models make mistakes); `parsed` then raises ValueError. `free_text`: the model wrote the
    text `input`, the only member of the arguments, without JSON.
    """

    type: ClassVar[str] = "tool_call"
    id: str
    name: str
    arguments: str
    free_text: bool = False

    def parsed(self) -> dict[str, Any]:
        """Return the arguments as a dict, empty for blank text. Raises ValueError if they are not a JSON object."""
        if not self.arguments.strip():
            return {}
        try:
            value = json.loads(self.arguments)
        except RecursionError as error:
            raise ValueError("the arguments are nested too deeply") from error
        if not isinstance(value, dict):
            raise ValueError(f"the arguments must be a JSON object, not {type(value).__name__}")
        return value


class ToolResultBlock(Record):
    """The result of the tool call with id `call_id`. The model sees whether it failed (`is_error`), but neither `fate`
    nor `details`, which are JSON values that the tool keeps in the session, None without any. `changed_by` names the
    extensions that have changed the result, with commas."""

    type: ClassVar[str] = "tool_result"
    call_id: str
    content: "list[TextBlock | ImageBlock]"
    is_error: bool = False
    fate: Fate = "ran"
    details: dict[str, Any] | None = None
    changed_by: str = ""


class ReasoningBlock(Record):
    """Thinking that a provider expects back in the next request, and a summary that a person may read.

    `wire` names the wire that produced it: another wire cannot use the opaque parts and drops the block. `provider` is
    the id of the provider whose model wrote it, `model` that of the model, empty if unknown: no other provider receives
    it, and on some wires no other model. Anthropic: `summary` and `signature`, or `encrypted_content` alone for
    redacted thinking. OpenAI Responses: `reasoning_id`, `summary`, `encrypted_content`. OpenAI Chat style
    `reasoning_content`: `summary` alone, or also `encrypted_content` with the `reasoning_details` of the answer as
    JSON. Gemini: `summary` and `signature`, or `signature` alone, which is that of the next block.
    """

    type: ClassVar[str] = "reasoning"
    summary: str = ""
    reasoning_id: str = ""
    encrypted_content: str = ""
    signature: str = ""
    wire: str = ""
    provider: str = ""
    model: str = ""


Block: TypeAlias = TextBlock | ImageBlock | ToolCallBlock | ToolResultBlock | ReasoningBlock
"""A part of a message."""


class Message(Record):
    """One entry of a conversation. `time` is UTC, `2026-11-21T20:29:25.586Z`, or empty if unknown.

    Only `role` and `content` are sent to models. `display_text` is shown to a person in place of the text, None to show
    the text. `hidden` is the reason why the text is not shown to a person, empty if it is shown. `summarized_tokens`
    marks the summary of a compaction or of a branch: the estimated tokens of the messages it replaced, 0 if unknown;
    None for other messages. `commands` counts the shell commands whose output the text begins with, `files` the
    attached files that follow. `extension` names the extension that sent the message, `custom_type` what it calls such
    messages, and `details` is what it keeps with one, as JSON. `changed_by` names the extensions that have changed it,
    with commas. `found_tools` are the tools that were found before a summary, and `kept` is what zot has computed of
    the messages before it, as JSON. `extra` holds fields that other programs wrote to the session file. `id` is the id
    of its entry in the session, empty for a message that is not in a conversation yet; it does not count when messages
    are compared.
    """

    role: Role
    content: list[Block]
    time: str = ""
    display_text: str | None = None
    hidden: str = ""
    summarized_tokens: int | None = None
    commands: int = 0
    files: int = 0
    extension: str = ""
    custom_type: str = ""
    details: str = ""
    changed_by: str = ""
    found_tools: tuple[str, ...] = ()
    kept: str = ""
    extra: dict[str, str] = field(default_factory=dict)
    id: str = ""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__match_args__ if name != "id")

    __hash__ = None  # see `Record`

    @property
    def text(self) -> str:
        """The text blocks, joined by a line break."""
        return "\n".join(block.text for block in self.content if isinstance(block, TextBlock))

    @property
    def is_prompt(self) -> bool:
        """Whether a user has sent it: it is not hidden, and no summary."""
        return self.role == "user" and not self.hidden and self.summarized_tokens is None

    @property
    def shown_text(self) -> str:
        """The text that a person sees."""
        if self.hidden:
            return ""
        return self.text if self.display_text is None else self.display_text

    @property
    def shown(self) -> list[Block]:
        """The blocks to show to a person: `display_text` replaces all text; without text if `hidden`."""
        if not self.hidden and self.display_text is None:
            return self.content
        blocks: list[Block] = [block for block in self.content if not isinstance(block, TextBlock)]
        if not self.hidden and len(blocks) < len(self.content):
            first = next(index for index, block in enumerate(self.content) if isinstance(block, TextBlock))
            blocks.insert(first, TextBlock(self.shown_text))
        return blocks

    @property
    def tool_calls(self) -> list[ToolCallBlock]:
        """The calls in the order the model wrote them."""
        return [block for block in self.content if isinstance(block, ToolCallBlock)]


def new_entry_id() -> str:
    """Return an id for a new entry of a session: 16 random hexadecimal digits."""
    return os.urandom(8).hex()
