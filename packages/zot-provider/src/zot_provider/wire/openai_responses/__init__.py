"""The Responses wire: OpenAI's newer API, used without storing the conversation on the server."""

from zot_provider.wire.base import Wire
from zot_provider.wire.openai_responses.encode import encode, history

__all__ = ["WIRE"]


WIRE = Wire(
    name="openai-responses",
    path="/responses",
    version="/v1",
    scheme="bearer",
    history=history,
    history_field="input",
    encode=encode,
    decoder="zot_provider.wire.openai_responses.decode:ResponsesDecoder",
)
