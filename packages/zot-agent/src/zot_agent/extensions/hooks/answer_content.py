"""Messages and blocks that an interceptor gives back: read strictly, so that the conversation stays whole."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from zot_core.sessions.rows import message_text, read_block, read_message
from zot_ext.protocol.errors import FrameError
from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.near_names import almost

_ALLOWED: dict[str, tuple[type, ...]] = {
    "user": (TextBlock, ImageBlock),
    "assistant": (TextBlock, ReasoningBlock, ToolCallBlock),
    "tool": (ToolResultBlock,),
}
"""The blocks of the messages of each role."""

_TEXTS = ("text", "mime_type", "data", "call_id", "name", "id", "summary", "signature")
"""Members of blocks that are texts."""

_REFUSALS = (
    "block", "blocked", "cancel", "cancelled", "decision", "denied", "deny", "hookSpecificOutput", "permissionDecision",
    "refuse", "refused", "reject", "rejected",
)  # fmt: skip
"""Members by which answers of other programs refuse."""
_ALLOWANCES = (None, False, "", "allow", "approve")


def misspelt_block(members: Mapping[str, object], known: Collection[str]) -> str:
    """Return the member of an answer that seems to refuse, and is none of the `known` ones; empty without one."""
    others = {name: value for name, value in members.items() if name not in known}
    if others.get("continue") is False:
        return "continue"
    return next((name for name, value in others.items() if value not in _ALLOWANCES and almost(name, _REFUSALS)), "")


def read_given(value: Any, role: str = "") -> Message:
    """Return a message, of this `role` if there is one. Raises `FrameError` for anything else."""
    message = read_message(value)
    if message is None or (role and message.role != role):
        raise FrameError(f"is no message of the role {role}" if role else "is no message", field="message")
    content = value.get("content")
    if not isinstance(content, list) or not content:
        raise FrameError("must be a list of blocks that is not empty", field="content")
    message.content = [_block(each, message.role) for each in content]
    message.id = ""
    return message


def _block(value: Any, role: str) -> Block:
    found = read_block(value)
    if found is None or not isinstance(found, _ALLOWED[role]):
        raise FrameError(f"a message of the role {role} cannot have {str(value)[:80]!r}", field="content")
    _check_texts(value)
    if isinstance(found, ToolCallBlock) and not (found.id and found.name):
        raise FrameError("a call needs an id and a name", field="content")
    if isinstance(found, ToolResultBlock):
        if not found.call_id:
            raise FrameError("a result needs the id of its call", field="content")
        found.content = read_blocks(value.get("content"))
    return found


def read_blocks(values: Any) -> list[TextBlock | ImageBlock]:
    """Return text and image blocks. Raises `FrameError` for anything else."""
    if not isinstance(values, list):
        raise FrameError("must be a list of blocks", field="content")
    found: list[TextBlock | ImageBlock] = []
    for value in values:
        block = read_block(value)
        if not isinstance(block, TextBlock | ImageBlock):
            raise FrameError(f"must be text and image blocks, not {str(value)[:80]!r}", field="content")
        _check_texts(value)
        if isinstance(block, ImageBlock) and not (block.data and block.mime_type):
            raise FrameError("an image needs data and a mime_type", field="content")
        found.append(block)
    return found


def _check_texts(value: dict[str, Any]) -> None:
    for name in _TEXTS:
        if name in value and not isinstance(value[name], str):
            raise FrameError("must be a string", field=f"content.{name}")


def image_values(images: Sequence[ImageBlock]) -> list[dict[str, str]]:
    return [{"mime_type": each.mime_type, "data": each.data} for each in images]


def read_images(values: Any) -> list[ImageBlock]:
    """Return images from JSON values. Raises `FrameError`."""
    typed = [{**each, "type": "image"} if isinstance(each, dict) else each for each in values]
    return [each for each in read_blocks(typed) if isinstance(each, ImageBlock)]


class MessageTexts:
    """The JSON texts of messages, each made once: a conversation grows at its end. Used by one thread at a time."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Message, str]] = {}

    def of(self, messages: Sequence[Message]) -> list[str]:
        """Return the text of each message, and forget the texts of others."""
        known, kept = self._known, {}
        for message in messages:
            found = known.get(id(message))
            kept[id(message)] = (message, message_text(message)) if found is None else found
        self._known = kept
        return [text for _, text in kept.values()] if len(kept) == len(messages) else [*map(message_text, messages)]
