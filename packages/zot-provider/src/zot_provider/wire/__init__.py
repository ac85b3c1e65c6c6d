"""The table of wires: the name of each, and the module that holds its `WIRE` record.

A wire is imported when the first model that uses it is called.
"""

from importlib import import_module

from zot_provider.wire.base import Wire

WIRES = {
    "anthropic-messages": "zot_provider.wire.anthropic",
    "bedrock-converse": "zot_provider.wire.bedrock",
    "gemini": "zot_provider.wire.gemini",
    "openai-chat": "zot_provider.wire.openai_chat",
    "openai-responses": "zot_provider.wire.openai_responses",
}


def load_wire(name: str) -> Wire:
    """Return the wire called `name`. Raises KeyError for an unknown name."""
    wire: Wire = import_module(WIRES[name]).WIRE
    return wire
