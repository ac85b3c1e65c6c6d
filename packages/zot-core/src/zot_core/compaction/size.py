"""`ContextSize`: estimates how many tokens of the context window a conversation uses."""

import json
import time
from collections.abc import Iterable, Sequence

from zot_core.agent import Agent
from zot_core.agent.sent_history import SentHistory
from zot_core.compaction.tokens import text_tokens
from zot_core.events import AgentEvent, AssistantStart, AutoRetryStart, CompactDone, TurnEnd, TurnStart, UsageEvent
from zot_core.sessions.stored import StoredMessage
from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock
from zot_provider.model import Model
from zot_provider.usage import Usage

_BYTES_PER_TOKEN = 5
"""Bytes of a row in a session file, roughly: four fifths of it is text, in UTF-8."""

_BEGINNINGS = (TurnStart, AssistantStart, AutoRetryStart, CompactDone)
"""Events after which the tokens of one request and its answer are counted from zero."""

IMAGE_TOKENS = 1500
"""Tokens of an image, roughly: providers scale larger images down."""


def estimate(messages: Iterable[Message]) -> int:
    return int(sum(_tokens(block) for message in messages for block in message.content))


def rough_estimate(messages: Sequence[Message]) -> int:
    """Estimate like `estimate`, but without reading messages from the session file: they are estimated from the size
    of their rows."""
    unread = [message for message in messages if isinstance(message, StoredMessage) and not message.read]
    if not unread:
        return estimate(messages)
    known = (message for message in messages if not isinstance(message, StoredMessage) or message.read)
    return sum(message.size for message in unread) // _BYTES_PER_TOKEN + estimate(known)


def _tokens(block: Block) -> float:
    match block:
        case TextBlock(text):
            return text_tokens(text)
        case ImageBlock():
            return IMAGE_TOKENS
        case ToolCallBlock():
            return text_tokens(block.name) + text_tokens(block.arguments)
        case ReasoningBlock():
            return text_tokens(block.summary)
        case _:
            return sum(map(_tokens, block.content))


class ContextSize:
    """Observes an agent and estimates the tokens of its next request.

    The sum of the provider's count for the last request and its answer, and an estimate for the messages since. Without
    a count (not all providers report one) all of it is an estimate.
    """

    def __init__(self, agent: Agent, sent: SentHistory | None = None) -> None:
        """`sent` says how the messages are sent."""
        self._agent = agent
        self._sent = sent
        self._turn = Usage()
        self._reported = 0
        self._count = 0  # number of messages that `_reported` covers, the last of which is `_last`
        self._last: Message | None = None
        self._cached: tuple[Model, float] | None = None  # the last one whose answer had tokens of a cache, and when
        agent.hooks.event.add(self._on_event, *_BEGINNINGS, UsageEvent, TurnEnd)

    def _on_event(self, event: AgentEvent) -> None:
        kind = type(event)
        if kind in _BEGINNINGS:
            self._turn = Usage()
            if kind is CompactDone:
                self._last = None
        elif isinstance(event, UsageEvent) and not event.agent_id:
            self._turn += event.usage
            if event.usage.cache_read or event.usage.cache_write:
                self._cached = self._agent.model, time.monotonic()
        elif kind is TurnEnd and self._turn.context:
            messages = self._agent.history.messages
            self._reported, self._count = self._turn.context, len(messages)
            self._last = messages[-1] if messages else None

    def cached(self, seconds: float) -> bool:
        """Whether the server has the conversation in a cache that keeps it for so long, as far as it has said so."""
        if self._cached is None or self._cached[0] != self._agent.model:
            return False
        return time.monotonic() - self._cached[1] < seconds

    def tokens(self, *, rough: bool = False) -> int:
        """Estimate the tokens of a request made now. With `rough` no message is read from disk."""
        begin, messages = self._begin()
        return begin + (rough_estimate(messages) if rough else estimate(messages))

    def exceeds(self, tokens: int) -> bool:
        """Whether a request made now has more tokens. A conversation of any length is only read until that is known."""
        begin, messages = self._begin()
        left = float(tokens - begin)
        return left < 0 or any((left := left - sum(map(_tokens, each.content))) < 0 for each in messages)

    def forget(self) -> None:
        """Estimate all of the conversation again: messages are no longer sent as they were."""
        self._last, self._agent.history.counted = None, (0, 0)

    def _begin(self) -> tuple[int, Sequence[Message]]:
        """Return the tokens that are counted already, and the messages that are not, as they are sent."""
        messages: Sequence[Message] = self._agent.history.messages
        # The history may have been replaced.
        if self._last is not None and self._count <= len(messages) and messages[self._count - 1] is self._last:
            return self._reported, messages[self._count :]
        tokens, count = self._agent.history.counted
        if count:
            return tokens, messages[count:]
        return self._overhead(), messages if self._sent is None else self._sent.view(messages)

    def _overhead(self) -> int:
        """Estimate the tokens of the system prompt and the tools."""
        agent = self._agent
        system = agent.system if agent.system_prompt is None else agent.system_prompt
        tools = ((tool.name, tool.description, json.dumps(tool.schema)) for tool in agent.tools.next)
        return int(text_tokens(system) + sum(text_tokens(text) for tool in tools for text in tool))
