"""An embeddable coding agent: loop, tools, sessions, conversations.

Importing this package imports nothing else; the module of a name is imported when the name is first used.
"""

MODULES = {
    "zot_core.agent.run": "Run",
    "zot_core.compaction.compactor": "CompactionError CompactionLimits NothingToCompact",
    "zot_core.confirm": "Confirm Decision PermissionAnswer PermissionQuestion Permissions",
    "zot_core.conversation.commands": "Command CommandAnswer CommandError CommandRefused",
    "zot_core.conversation.driver": "Conversation NotRunning",
    "zot_core.conversation.events": (
        "Changed ConversationEvent Display ExtensionEvent Insert Notify ShellEnd ShellOutput ShellStart "
        "Submit Undelivered"
    ),
    "zot_core.conversation.extensions": "ExtensionHost",
    "zot_core.conversation.queue": "QueueFull",
    "zot_core.conversation.shell_command": "ShellCommand ShellResult",
    "zot_core.errors": "Busy Closed InvalidOutput Refused SessionError SessionLocked SessionNotFound ToolError",
    "zot_core.events": (
        "AgentEvent AssistantMessage AssistantStart AutoRetryEnd AutoRetryStart CompactDone CompactStart Done "
        "ErrorEvent Notice ReasoningDelta RunEnd SubagentProgress SubagentStart SubagentStop TextDelta "
        "ToolCall ToolProgress ToolResultEvent ToolStart ToolUseArgs ToolUseEnd ToolUseStart TurnEnd TurnStart "
        "UsageEvent UserMessage"
    ),
    "zot_core.hooks": "Compaction Hooks ModelCallFailure Refusal ToolOutcome ToolRequest",
    "zot_core.limits": "RunLimits",
    "zot_core.machine.files": "LocalFiles",
    "zot_core.machine.interface": "Files Shell",
    "zot_core.machine.shell": "LocalShell",
    "zot_core.permission_mode": "PermissionMode",
    "zot_core.permissions.rule": "parse_permissions",
    "zot_core.result": "ToolResult",
    "zot_core.runtime.answer": "RunFailed RunResult",
    "zot_core.runtime.blocking": "BlockingRuntime",
    "zot_core.runtime.durable": "DurableRun RunWaits",
    "zot_core.runtime.run_rows": "RunRecord RunState read_run",
    "zot_core.runtime.runtime": "Runtime",
    "zot_core.runtime.state": "RuntimeState",
    "zot_core.runtime.subagents.definitions": "AgentDefinition AgentDefinitions agent_places find_agents",
    "zot_core.runtime.subagents.limits": "AgentLimits",
    "zot_core.runtime.subagents.subagent": "AgentResult SubAgent",
    "zot_core.runtime.subagents.subagents": "Subagents",
    "zot_core.runtime.workspace": "Workspace",
    "zot_core.sandbox.files": "SandboxedFiles",
    "zot_core.sandbox.sandbox": "Sandbox open_sandbox",
    "zot_core.sandbox.shell": "SandboxedShell",
    "zot_core.sessions.file": "SessionFile",
    "zot_core.sessions.store": "SessionStore",
    "zot_core.skills": "Skill find_skills",
    "zot_core.tools.definition.bounds": "AtLeast",
    "zot_core.tools.definition.context": "ToolContext",
    "zot_core.tools.definition.tool": "Tool tool",
    "zot_core.version": "__version__",
    "zot_provider.errors": "ConfigError MissingKey ModelError ProviderError UnknownName ZotError",
    "zot_provider.messages": "Block ImageBlock Message ReasoningBlock TextBlock ToolCallBlock ToolResultBlock",
    "zot_provider.model": "Model Price",
    "zot_provider.registry": "ModelRegistry",
    "zot_provider.request": "Reasoning Request",
    "zot_provider.usage": "Usage",
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
