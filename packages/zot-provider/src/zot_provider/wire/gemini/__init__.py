"""The Gemini wire: `generateContent` of the Gemini API and of Vertex AI."""

from zot_provider.wire.base import Wire
from zot_provider.wire.gemini.encode import encode, history

__all__ = ["WIRE"]


WIRE = Wire(
    name="gemini",
    path="/models/{model}:streamGenerateContent?alt=sse",
    version="/v1beta",
    scheme="x-goog-api-key",
    history=history,
    history_field="contents",
    encode=encode,
    decoder="zot_provider.wire.gemini.decode:GeminiDecoder",
    list_path="/models?pageSize=1000",
)
