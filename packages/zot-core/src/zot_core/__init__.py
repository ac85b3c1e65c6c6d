"""An embeddable coding agent: loop, tools, sessions.

Importing this package imports nothing else; a name is fetched from its module when it is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_core.blocking import BlockingRuntime
    from zot_core.compaction.compactor import CompactionError, CompactionLimits, NothingToCompact
    from zot_core.errors import Busy, Closed, Refused, SessionError, ToolError
    from zot_core.events import (
        AgentEvent,
        AssistantMessage,
        CompactDone,
        CompactStart,
        Done,
        ErrorEvent,
        Notice,
        ReasoningDelta,
        TextDelta,
        ToolCall,
        ToolOutput,
        ToolProgress,
        ToolStart,
        TurnEnd,
        TurnStart,
        UsageUpdate,
        UserMessage,
    )
    from zot_core.hooks import Call, Compacted, Failed, Finished, Hooks, Refusal
    from zot_core.result import ToolResult
    from zot_core.run import Run
    from zot_core.runtime import Runtime, Unanswered
    from zot_core.skills import Skill, find_skills
    from zot_core.state import OtherVendor, State
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
    "CompactDone",
    "CompactStart",
    "Compacted",
    "CompactionError",
    "CompactionLimits",
    "Done",
    "ErrorEvent",
    "Failed",
    "Finished",
    "Hooks",
    "InvalidAnswer",
    "NothingToCompact",
    "Notice",
    "OtherVendor",
    "ReasoningDelta",
    "Refusal",
    "Refused",
    "Run",
    "Runtime",
    "SessionError",
    "Skill",
    "State",
    "TextDelta",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolOutput",
    "ToolProgress",
    "ToolResult",
    "ToolStart",
    "TurnEnd",
    "TurnStart",
    "Unanswered",
    "UsageUpdate",
    "UserMessage",
    "ZotError",
    "__version__",
    "find_skills",
    "tool",
]

_MODULES = {
    "zot_core.blocking": ("BlockingRuntime",),
    "zot_core.compaction.compactor": ("CompactionError", "CompactionLimits", "NothingToCompact"),
    "zot_core.errors": ("Busy", "Closed", "Refused", "SessionError", "ToolError"),
    "zot_core.events": (
        "AgentEvent",
        "AssistantMessage",
        "CompactDone",
        "CompactStart",
        "Done",
        "ErrorEvent",
        "Notice",
        "ReasoningDelta",
        "TextDelta",
        "ToolCall",
        "ToolOutput",
        "ToolProgress",
        "ToolStart",
        "TurnEnd",
        "TurnStart",
        "UsageUpdate",
        "UserMessage",
    ),
    "zot_core.hooks": ("Call", "Compacted", "Failed", "Finished", "Hooks", "Refusal"),
    "zot_core.result": ("ToolResult",),
    "zot_core.run": ("Run",),
    "zot_core.runtime": ("Runtime", "Unanswered"),
    "zot_core.skills": ("Skill", "find_skills"),
    "zot_core.state": ("OtherVendor", "State"),
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
