"""Write zot extensions: `Extension`, the parameters of handlers, and their return values.

Importing this package imports no other module; a name is loaded from its module when it is first used.
The other frames, and code for hosts, are in `zot_ext.protocol`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_ext.answers import Response, Result, display, error, image_result, insert, noop, prompt, text_result
    from zot_ext.extension import Extension, NotGranted
    from zot_ext.interception import (
        AgentStartDecision,
        AgentStartRequest,
        AssistantMessageDecision,
        AssistantMessageRequest,
        Blocked,
        ToolCallDecision,
        ToolCallRequest,
        TurnStartDecision,
        TurnStartRequest,
        block,
        replace,
        rewrite,
    )
    from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits
    from zot_ext.manifest import Manifest, ManifestError, load_manifest, parse_manifest
    from zot_ext.panel import Panel
    from zot_ext.protocol import PROTOCOL_VERSION
    from zot_ext.protocol.errors import FrameError
    from zot_ext.protocol.from_host import Event, HelloAck, PanelKey
    from zot_ext.protocol.values import Block, ImageBlock, PanelSpec, TextBlock, UnknownBlock
    from zot_ext.version import __version__

__all__ = [
    "DEFAULT_LIMITS",
    "PROTOCOL_VERSION",
    "AgentStartDecision",
    "AgentStartRequest",
    "AssistantMessageDecision",
    "AssistantMessageRequest",
    "Block",
    "Blocked",
    "Event",
    "Extension",
    "ExtensionLimits",
    "FrameError",
    "HelloAck",
    "ImageBlock",
    "Manifest",
    "ManifestError",
    "NotGranted",
    "Panel",
    "PanelKey",
    "PanelSpec",
    "Response",
    "Result",
    "TextBlock",
    "ToolCallDecision",
    "ToolCallRequest",
    "TurnStartDecision",
    "TurnStartRequest",
    "UnknownBlock",
    "__version__",
    "block",
    "display",
    "error",
    "image_result",
    "insert",
    "load_manifest",
    "noop",
    "parse_manifest",
    "prompt",
    "replace",
    "rewrite",
    "text_result",
]

_HOMES = {
    "answers": ("Response", "Result", "display", "error", "image_result", "insert", "noop", "prompt", "text_result"),
    "extension": ("Extension", "NotGranted"),
    "interception": (
        "AgentStartDecision",
        "AgentStartRequest",
        "AssistantMessageDecision",
        "AssistantMessageRequest",
        "Blocked",
        "ToolCallDecision",
        "ToolCallRequest",
        "TurnStartDecision",
        "TurnStartRequest",
        "block",
        "replace",
        "rewrite",
    ),
    "limits": ("DEFAULT_LIMITS", "ExtensionLimits"),
    "manifest": ("Manifest", "ManifestError", "load_manifest", "parse_manifest"),
    "panel": ("Panel",),
    "protocol": ("PROTOCOL_VERSION",),
    "protocol.errors": ("FrameError",),
    "protocol.from_host": ("Event", "HelloAck", "PanelKey"),
    "protocol.values": ("Block", "ImageBlock", "PanelSpec", "TextBlock", "UnknownBlock"),
    "version": ("__version__",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(__import__(f"{__name__}.{home}", fromlist=[name]), name)
            globals()[name] = value  # later look-ups do not call this function
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
