"""The registry of wires: a name and where the `WIRE` record of that name is found.

A wire is imported when the first model that speaks it is used.
"""

from importlib import import_module

from zot_provider.wire.base import Wire

WIRES = {
    "anthropic-messages": "zot_provider.wire.anthropic",
    "openai-chat": "zot_provider.wire.openai_chat",
    "openai-responses": "zot_provider.wire.openai_responses",
}


def load_wire(name: str) -> Wire:
    """The wire called `name`; KeyError if there is none."""
    wire: Wire = import_module(WIRES[name]).WIRE
    return wire
