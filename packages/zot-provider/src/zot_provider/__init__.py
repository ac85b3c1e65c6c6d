"""One streaming client for every model provider.

Importing this package imports nothing else; each name is imported from its module on first use.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_provider.client.http import Client, HttpClient
    from zot_provider.client.retry import RetryPolicy
    from zot_provider.completion import Completion, complete, stream
    from zot_provider.credentials import Credentials, EnvironmentKeys
    from zot_provider.errors import (
        ConfigError,
        ConnectError,
        MissingKey,
        ModelError,
        ProtocolError,
        ProviderError,
        ResponseTimeout,
        StatusError,
        StreamCut,
        UnknownName,
        ZotError,
    )
    from zot_provider.events import (
        AutoRetryStart,
        ReasoningDelta,
        StreamEnd,
        StreamEvent,
        TextDelta,
        ToolUseArgs,
        ToolUseEnd,
        ToolUseStart,
        UsageReport,
    )
    from zot_provider.messages import (
        Block,
        ImageBlock,
        Message,
        ReasoningBlock,
        TextBlock,
        ToolCallBlock,
        ToolResultBlock,
    )
    from zot_provider.model import Model, Price
    from zot_provider.registry import Endpoint, Listing, ModelRegistry
    from zot_provider.request import Request, ToolSpec
    from zot_provider.router import RoutingClient, open_client
    from zot_provider.selection import Selection, select
    from zot_provider.usage import Usage
    from zot_provider.version import __version__

__all__ = [
    "AutoRetryStart",
    "Block",
    "Client",
    "Completion",
    "ConfigError",
    "ConnectError",
    "Credentials",
    "Endpoint",
    "EnvironmentKeys",
    "HttpClient",
    "ImageBlock",
    "Listing",
    "Message",
    "MissingKey",
    "Model",
    "ModelError",
    "ModelRegistry",
    "Price",
    "ProtocolError",
    "ProviderError",
    "ReasoningBlock",
    "ReasoningDelta",
    "Request",
    "ResponseTimeout",
    "RetryPolicy",
    "RoutingClient",
    "Selection",
    "StatusError",
    "StreamCut",
    "StreamEnd",
    "StreamEvent",
    "TextBlock",
    "TextDelta",
    "ToolCallBlock",
    "ToolResultBlock",
    "ToolSpec",
    "ToolUseArgs",
    "ToolUseEnd",
    "ToolUseStart",
    "UnknownName",
    "Usage",
    "UsageReport",
    "ZotError",
    "__version__",
    "complete",
    "open_client",
    "select",
    "stream",
]

_MODULES = {
    "zot_provider.client.http": ("Client", "HttpClient"),
    "zot_provider.client.retry": ("RetryPolicy",),
    "zot_provider.completion": ("Completion", "complete", "stream"),
    "zot_provider.credentials": ("Credentials", "EnvironmentKeys"),
    "zot_provider.errors": (
        "ConfigError",
        "ConnectError",
        "MissingKey",
        "ModelError",
        "ProtocolError",
        "ProviderError",
        "ResponseTimeout",
        "StatusError",
        "StreamCut",
        "UnknownName",
        "ZotError",
    ),
    "zot_provider.messages": (
        "Block",
        "ImageBlock",
        "Message",
        "ReasoningBlock",
        "TextBlock",
        "ToolCallBlock",
        "ToolResultBlock",
    ),
    "zot_provider.model": ("Model", "Price"),
    "zot_provider.registry": ("Endpoint", "Listing", "ModelRegistry"),
    "zot_provider.request": ("Request", "ToolSpec"),
    "zot_provider.router": ("RoutingClient", "open_client"),
    "zot_provider.selection": ("Selection", "select"),
    "zot_provider.events": (
        "AutoRetryStart",
        "ReasoningDelta",
        "StreamEnd",
        "StreamEvent",
        "TextDelta",
        "ToolUseArgs",
        "ToolUseEnd",
        "ToolUseStart",
        "UsageReport",
    ),
    "zot_provider.usage": ("Usage",),
    "zot_provider.version": ("__version__",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module  # noqa: PLC0415  needed only on first use

        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
