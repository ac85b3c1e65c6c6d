"""An embeddable coding agent: loop, tools, sessions.

Importing this package imports nothing else; a name is fetched from its module when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_core.blocking import BlockingRuntime
    from zot_core.errors import Busy, Closed, Refused, SessionError, ToolError
    from zot_core.events import (
        AgentEvent,
        AssistantMessage,
        Done,
        ErrorEvent,
        Notice,
        ReasoningDelta,
        TextDelta,
        ToolCall,
        ToolOutput,
        ToolProgress,
        TurnEnd,
        TurnStart,
        UsageUpdate,
        UserMessage,
    )
    from zot_core.hooks import Call, Finished, Hooks, Refusal
    from zot_core.result import ToolResult
    from zot_core.runtime import Run, Runtime, Unanswered
    from zot_core.structured import InvalidAnswer
    from zot_core.tools.base import Tool, tool
    from zot_core.tools.context import ToolContext
    from zot_core.version import __version__
    from zot_provider.errors import ZotError

__all__ = [
    "AgentEvent",
    "AssistantMessage",
    "BlockingRuntime",
    "Busy",
    "Call",
    "Closed",
    "Done",
    "ErrorEvent",
    "Finished",
    "Hooks",
    "InvalidAnswer",
    "Notice",
    "ReasoningDelta",
    "Refusal",
    "Refused",
    "Run",
    "Runtime",
    "SessionError",
    "TextDelta",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolOutput",
    "ToolProgress",
    "ToolResult",
    "TurnEnd",
    "TurnStart",
    "Unanswered",
    "UsageUpdate",
    "UserMessage",
    "ZotError",
    "__version__",
    "tool",
]

_MODULES = {
    "zot_core.blocking": ("BlockingRuntime",),
    "zot_core.errors": ("Busy", "Closed", "Refused", "SessionError", "ToolError"),
    "zot_core.events": (
        "AgentEvent",
        "AssistantMessage",
        "Done",
        "ErrorEvent",
        "Notice",
        "ReasoningDelta",
        "TextDelta",
        "ToolCall",
        "ToolOutput",
        "ToolProgress",
        "TurnEnd",
        "TurnStart",
        "UsageUpdate",
        "UserMessage",
    ),
    "zot_core.hooks": ("Call", "Finished", "Hooks", "Refusal"),
    "zot_core.result": ("ToolResult",),
    "zot_core.runtime": ("Run", "Runtime", "Unanswered"),
    "zot_core.structured": ("InvalidAnswer",),
    "zot_core.tools.base": ("Tool", "tool"),
    "zot_core.tools.context": ("ToolContext",),
    "zot_core.version": ("__version__",),
    "zot_provider.errors": ("ZotError",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module  # noqa: PLC0415  only a first use pays for it

        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
