"""Write zot extensions: `Extension`, the parameters of handlers, and their return values.

Importing this package imports no other module; a name is loaded from its module when it is first used.
The other frames, and code for hosts, are in `zot_ext.protocol`.
"""

MODULES = {
    "zot_ext.answers": "Response Result display error image_result insert noop prompt text_result",
    "zot_ext.calls.bus": "BusMessage",
    "zot_ext.calls.panels": "ScreenPanel",
    "zot_ext.errors": "HostError NotGranted",
    "zot_ext.extension": "Extension",
    "zot_ext.interception": (
        "AgentStartDecision AgentStartRequest AssistantMessageDecision AssistantMessageRequest Blocked "
        "ToolCallDecision ToolCallRequest TurnStartDecision TurnStartRequest block replace rewrite"
    ),
    "zot_ext.limits": "DEFAULT_LIMITS ExtensionLimits",
    "zot_ext.manifest": "Manifest ManifestError load_manifest parse_manifest",
    "zot_ext.panel": "Panel",
    "zot_ext.protocol": "PROTOCOL_VERSION",
    "zot_ext.protocol.errors": "FrameError",
    "zot_ext.protocol.events.decisions": (
        "BashSpawnDecision BashSpawnRequest CompactDecision CompactRequest ContextDecision ContextRequest "
        "HeadersDecision HeadersRequest InputDecision InputRequest MessageEndDecision MessageEndRequest "
        "PayloadDecision PayloadRequest ProjectTrustDecision ProjectTrustRequest SessionDecision SessionForkRequest "
        "SessionSwitchRequest "
        "StopDecision StopRequest ToolResultDecision ToolResultRequest TreeDecision TreeRequest "
        "UserBashDecision UserBashRequest"
    ),
    "zot_ext.protocol.from_host": "Event HelloAck PanelKey",
    "zot_ext.protocol.groups.panels": "PanelMouse",
    "zot_ext.protocol.values": "Block ImageBlock PanelSpec TextBlock UnknownBlock",
    "zot_ext.providers.provider": (
        "CallPart ModelCall ModelFailure ModelProvider Part SignInEnded SignInPage SignInTokens StopPart TextPart "
        "ThinkingPart TokenCount"
    ),
    "zot_ext.screen.handlers": "CompletionRequest EditorKey EditorText Suggestion",
    "zot_ext.screen.rendering": "RenderRequest",
    "zot_ext.tool_ops": "FileStat ServedOps ToolOps",
    "zot_ext.version": "__version__",
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
