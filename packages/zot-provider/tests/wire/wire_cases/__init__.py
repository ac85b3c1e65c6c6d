"""The table by which wires are tested: conversations and the exact body of each, streams and the events of each.

A wire joins by adding itself: its column of bodies to `BODIES`, its streams to `STREAMS`.
"""

from typing import Any

from wire_cases import (
    anthropic_bodies,
    anthropic_streams,
    bedrock_bodies,
    bedrock_streams,
    gemini_bodies,
    gemini_streams,
    openai_chat_bodies,
    openai_chat_streams,
    openai_responses_bodies,
    openai_responses_streams,
)
from wire_cases.conversations import CONVERSATIONS
from wire_cases.stream import StreamCase

__all__ = ["BODIES", "CONVERSATIONS", "STREAMS", "StreamCase"]

BODIES: dict[str, dict[str, dict[str, Any]]] = {
    "anthropic-messages": anthropic_bodies.BODIES,
    "bedrock-converse": bedrock_bodies.BODIES,
    "gemini": gemini_bodies.BODIES,
    "openai-chat": openai_chat_bodies.BODIES,
    "openai-responses": openai_responses_bodies.BODIES,
}
"""By wire and conversation: the body that `Wire.encode` makes of it with default quirks."""

STREAMS: tuple[StreamCase, ...] = (
    *anthropic_streams.STREAMS,
    *bedrock_streams.STREAMS,
    *gemini_streams.STREAMS,
    *openai_chat_streams.STREAMS,
    *openai_responses_streams.STREAMS,
)
