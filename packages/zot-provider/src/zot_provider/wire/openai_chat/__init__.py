"""The Chat Completions wire: OpenAI's older API, which most other servers speak too."""

from zot_provider.wire.base import Wire
from zot_provider.wire.openai_chat.encode import encode, history

__all__ = ["WIRE"]


WIRE = Wire(
    name="openai-chat",
    path="/chat/completions",
    version="/v1",
    scheme="bearer",
    history=history,
    history_field="messages",
    encode=encode,
    decoder="zot_provider.wire.openai_chat.decode:ChatDecoder",
)
