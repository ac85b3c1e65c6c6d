"""The Bedrock wire: `ConverseStream` of Amazon Bedrock, whose answers are binary event streams."""

from zot_provider.wire.base import Wire
from zot_provider.wire.bedrock.encode import encode, history
from zot_provider.wire.bedrock.event_stream import EventStreamSplitter

__all__ = ["WIRE"]


WIRE = Wire(
    name="bedrock-converse",
    path="/model/{model}/converse-stream",
    version="",
    scheme="bearer",
    history=history,
    history_field="messages",
    encode=encode,
    decoder="zot_provider.wire.bedrock.decode:ConverseDecoder",
    splitter=EventStreamSplitter,
)
