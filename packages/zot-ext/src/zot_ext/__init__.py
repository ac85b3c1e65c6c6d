"""Write zot extensions: `Extension` and what handlers give back; below them the protocol, manifest and limits.

Importing this package imports nothing else; a name is fetched from its module when it is first used.
The frames stand in `zot_ext.protocol.from_extension` and `zot_ext.protocol.from_host`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_ext.answers import Response, Result, display, error, image_result, insert, noop, prompt, text_result
    from zot_ext.extension import Extension, NotGranted
    from zot_ext.interception import (
        AssistantMessageDecision,
        PendingCall,
        PendingMessage,
        PendingStart,
        PendingTurn,
        SystemPromptDecision,
        ToolCallDecision,
        TurnStartDecision,
    )
    from zot_ext.limits import DEFAULT_LIMITS, Limits
    from zot_ext.manifest import Manifest, ManifestError, load_manifest, parse_manifest
    from zot_ext.panel import Panel
    from zot_ext.protocol import PROTOCOL_VERSION
    from zot_ext.protocol.codec import decode_from_extension, decode_from_host, encode
    from zot_ext.protocol.errors import FrameError
    from zot_ext.protocol.frame import Unknown
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import FromHost
    from zot_ext.protocol.raw import RawObject
    from zot_ext.protocol.splitter import FrameSplitter, Oversized
    from zot_ext.protocol.values import Block, ImageBlock, PanelSpec, TextBlock, UnknownBlock
    from zot_ext.version import __version__

__all__ = [
    "DEFAULT_LIMITS",
    "PROTOCOL_VERSION",
    "AssistantMessageDecision",
    "Block",
    "Extension",
    "FrameError",
    "FrameSplitter",
    "FromExtension",
    "FromHost",
    "ImageBlock",
    "Limits",
    "Manifest",
    "ManifestError",
    "NotGranted",
    "Oversized",
    "Panel",
    "PanelSpec",
    "PendingCall",
    "PendingMessage",
    "PendingStart",
    "PendingTurn",
    "RawObject",
    "Response",
    "Result",
    "SystemPromptDecision",
    "TextBlock",
    "ToolCallDecision",
    "TurnStartDecision",
    "Unknown",
    "UnknownBlock",
    "__version__",
    "decode_from_extension",
    "decode_from_host",
    "display",
    "encode",
    "error",
    "image_result",
    "insert",
    "load_manifest",
    "noop",
    "parse_manifest",
    "prompt",
    "text_result",
]

_HOMES = {
    "answers": ("Response", "Result", "display", "error", "image_result", "insert", "noop", "prompt", "text_result"),
    "extension": ("Extension", "NotGranted"),
    "interception": (
        "AssistantMessageDecision",
        "PendingCall",
        "PendingMessage",
        "PendingStart",
        "PendingTurn",
        "SystemPromptDecision",
        "ToolCallDecision",
        "TurnStartDecision",
    ),
    "panel": ("Panel",),
    "limits": ("DEFAULT_LIMITS", "Limits"),
    "manifest": ("Manifest", "ManifestError", "load_manifest", "parse_manifest"),
    "protocol": ("PROTOCOL_VERSION",),
    "protocol.codec": ("decode_from_extension", "decode_from_host", "encode"),
    "protocol.errors": ("FrameError",),
    "protocol.frame": ("Unknown",),
    "protocol.from_extension": ("FromExtension",),
    "protocol.from_host": ("FromHost",),
    "protocol.raw": ("RawObject",),
    "protocol.splitter": ("FrameSplitter", "Oversized"),
    "protocol.values": ("Block", "ImageBlock", "PanelSpec", "TextBlock", "UnknownBlock"),
    "version": ("__version__",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(__import__(f"{__name__}.{home}", fromlist=[name]), name)
            globals()[name] = value  # the next look-up does not come here
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
