"""The Anthropic Messages wire."""

from zot_provider.wire.anthropic.encode import encode, history
from zot_provider.wire.base import Wire

__all__ = ["WIRE"]

VERSION = "2023-06-01"
"""Version of the API, see https://platform.claude.com/docs/en/api/versioning."""


WIRE = Wire(
    name="anthropic-messages",
    path="/v1/messages",
    version="",
    scheme="x-api-key",
    history=history,
    history_field="messages",
    encode=encode,
    decoder="zot_provider.wire.anthropic.decode:MessagesDecoder",
    headers=(("anthropic-version", VERSION),),
    list_path="/v1/models?limit=1000",
)
