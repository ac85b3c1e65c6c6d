"""One streaming client for every model provider.

Importing this package imports nothing else; each name is imported from its module on first use.
"""

MODULES = {
    "zot_provider.auth.personal": "PersonalKeys",
    "zot_provider.auth.session": "SignInSession sign_in_methods",
    "zot_provider.client.http": "Client HttpClient",
    "zot_provider.client.retry": "RetryPolicy",
    "zot_provider.completion": "Completion complete stream",
    "zot_provider.credentials": "Credentials EnvironmentKeys",
    "zot_provider.errors": (
        "ConfigError ConnectError EmptyAnswer MissingKey ModelError ProtocolError ProviderError ResponseTimeout "
        "StatusError StreamCut UnknownName ZotError"
    ),
    "zot_provider.events": (
        "AutoRetryStart ReasoningDelta StreamEnd StreamEvent TextDelta ToolUseArgs ToolUseEnd ToolUseStart UsageReport"
    ),
    "zot_provider.messages": "Block ImageBlock Message ReasoningBlock TextBlock ToolCallBlock ToolResultBlock",
    "zot_provider.model": "Model Price",
    "zot_provider.registry": "Endpoint Listing ModelRegistry",
    "zot_provider.request": "Request ToolSpec",
    "zot_provider.router": "RoutingClient open_client",
    "zot_provider.selection": "Selection select",
    "zot_provider.usage": "Usage",
    "zot_provider.version": "__version__",
}
"""The public names of each module, separated by spaces."""

_HOMES = {name: module for module, names in MODULES.items() for name in names.split()}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(__import__(_HOMES[name], fromlist=[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
