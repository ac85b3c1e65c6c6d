"""Sends a stored conversation to a client."""

from collections.abc import Iterable, Mapping

from zot_agent.acp.feed import UpdateFeed
from zot_core.display import Recaller, recalled
from zot_core.events import Done, ToolCall, ToolResultEvent
from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock


def replay(messages: Iterable[Message], feed: UpdateFeed, tools: Mapping[str, Recaller]) -> None:
    """Pass all messages to `feed`. Text that an extension replaced or hid stays so; a call without a result has
    failed."""
    pending: dict[str, ToolCallBlock] = {}
    for message in messages:
        if message.role == "user":
            _user(message, feed)
        if message.hidden and message.role == "assistant":
            feed.note(message.hidden)
        for block in message.shown if message.role != "user" else ():
            if isinstance(block, ToolCallBlock):
                pending[block.id] = block
                feed.show(ToolCall.of(block))
            elif isinstance(block, ToolResultBlock) and block.call_id in pending:
                feed.show(_result(pending.pop(block.call_id), block, tools))
            else:
                _assistant(block, feed)
    feed.show(Done())


def _user(message: Message, feed: UpdateFeed) -> None:
    if message.hidden:
        feed.note(message.hidden)
        return
    if message.summarized_tokens is not None:
        feed.thought(message.text)
        return
    images = [f"[{block.mime_type}, {block.size} bytes]" for block in message.content if isinstance(block, ImageBlock)]
    text = message.text if message.display_text is None else message.display_text
    feed.user("\n".join(filter(None, [text, *images])))


def _result(call: ToolCallBlock, result: ToolResultBlock, tools: Mapping[str, Recaller]) -> ToolResultEvent:
    display, fate = recalled(call, result, tools), result.fate
    return ToolResultEvent(
        call.id, call.name, result.is_error, result.content, call.arguments, display=display, fate=fate
    )


def _assistant(block: Block, feed: UpdateFeed) -> None:
    if isinstance(block, ReasoningBlock):
        feed.thought(block.summary)
    elif isinstance(block, TextBlock) and block.text.strip():
        feed.answer(block.text)
