"""A conversation that was, told to a client that has not seen it."""

from collections.abc import Iterable, Mapping

from zot_agent.acp import calls
from zot_agent.acp.feed import Feed
from zot_core.events import Done, ToolCall, ToolOutput
from zot_provider.messages import (
    Block,
    ImageBlock,
    Message,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)


def replay(messages: Iterable[Message], feed: Feed, tools: Mapping[str, object]) -> None:
    """Tell `feed` of all messages. What an extension replaced or hid stays so; a call without a result has failed."""
    pending: dict[str, ToolCallBlock] = {}
    for message in messages:
        if message.role == "user":
            _user(message, feed)
        for block in message.content if message.role != "user" else ():
            if isinstance(block, ToolCallBlock):
                pending[block.id] = block
                feed.show(ToolCall.of(block))
            elif isinstance(block, ToolResultBlock) and block.call_id in pending:
                feed.show(_output(pending.pop(block.call_id), block, tools))
            else:
                _said(message, block, feed)
    feed.show(Done())


def _user(message: Message, feed: Feed) -> None:
    if message.meta.get("compaction"):
        feed.thought(message.text)
        return
    pictures = [
        f"[{block.mime_type}, {block.size} bytes]" for block in message.content if isinstance(block, ImageBlock)
    ]
    feed.user("\n".join(filter(None, [message.meta.get("display_text", message.text), *pictures])))


def _output(call: ToolCallBlock, result: ToolResultBlock, tools: Mapping[str, object]) -> ToolOutput:
    display = calls.recalled(tools, call.name, calls.parsed(call.arguments), result.content)
    return ToolOutput(call.id, call.name, result.is_error, result.content, call.arguments, display=display)


def _said(message: Message, block: Block, feed: Feed) -> None:
    if isinstance(block, ReasoningBlock):
        feed.thought(block.summary)
    elif isinstance(block, TextBlock) and block.text.strip():
        if "hidden" in message.meta:
            feed.note(message.meta["hidden"])
        elif "display_text" not in message.meta:
            feed.answer(block.text)
        elif block is next(each for each in message.content if isinstance(each, TextBlock)):
            feed.answer(message.meta["display_text"])
