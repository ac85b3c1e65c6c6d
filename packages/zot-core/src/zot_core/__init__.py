"""An embeddable coding agent: loop, tools, sessions, conversations.

Importing this package imports nothing else; the module of a name is imported when the name is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_core.agent.run import Run as Run
    from zot_core.compaction.compactor import CompactionError as CompactionError
    from zot_core.compaction.compactor import CompactionLimits as CompactionLimits
    from zot_core.compaction.compactor import NothingToCompact as NothingToCompact
    from zot_core.confirm import Confirm as Confirm
    from zot_core.confirm import Decision as Decision
    from zot_core.conversation.commands import Command as Command
    from zot_core.conversation.commands import CommandAnswer as CommandAnswer
    from zot_core.conversation.commands import CommandError as CommandError
    from zot_core.conversation.commands import CommandRefused as CommandRefused
    from zot_core.conversation.driver import Conversation as Conversation
    from zot_core.conversation.driver import NotRunning as NotRunning
    from zot_core.conversation.events import Changed as Changed
    from zot_core.conversation.events import ConversationEvent as ConversationEvent
    from zot_core.conversation.events import Display as Display
    from zot_core.conversation.events import ExtensionEvent as ExtensionEvent
    from zot_core.conversation.events import Insert as Insert
    from zot_core.conversation.events import Notify as Notify
    from zot_core.conversation.events import ShellEnd as ShellEnd
    from zot_core.conversation.events import ShellOutput as ShellOutput
    from zot_core.conversation.events import ShellStart as ShellStart
    from zot_core.conversation.events import Submit as Submit
    from zot_core.conversation.events import Undelivered as Undelivered
    from zot_core.conversation.extensions import ExtensionHost as ExtensionHost
    from zot_core.conversation.queue import QueueFull as QueueFull
    from zot_core.conversation.shell_command import ShellCommand as ShellCommand
    from zot_core.conversation.shell_command import ShellResult as ShellResult
    from zot_core.errors import Busy as Busy
    from zot_core.errors import Closed as Closed
    from zot_core.errors import InvalidOutput as InvalidOutput
    from zot_core.errors import Refused as Refused
    from zot_core.errors import SessionError as SessionError
    from zot_core.errors import SessionLocked as SessionLocked
    from zot_core.errors import SessionNotFound as SessionNotFound
    from zot_core.errors import ToolError as ToolError
    from zot_core.events import AgentEvent as AgentEvent
    from zot_core.events import AssistantMessage as AssistantMessage
    from zot_core.events import AssistantStart as AssistantStart
    from zot_core.events import AutoRetryEnd as AutoRetryEnd
    from zot_core.events import AutoRetryStart as AutoRetryStart
    from zot_core.events import CompactDone as CompactDone
    from zot_core.events import CompactStart as CompactStart
    from zot_core.events import Done as Done
    from zot_core.events import ErrorEvent as ErrorEvent
    from zot_core.events import Notice as Notice
    from zot_core.events import ReasoningDelta as ReasoningDelta
    from zot_core.events import RunEnd as RunEnd
    from zot_core.events import TextDelta as TextDelta
    from zot_core.events import ToolCall as ToolCall
    from zot_core.events import ToolProgress as ToolProgress
    from zot_core.events import ToolResultEvent as ToolResultEvent
    from zot_core.events import ToolStart as ToolStart
    from zot_core.events import ToolUseArgs as ToolUseArgs
    from zot_core.events import ToolUseEnd as ToolUseEnd
    from zot_core.events import ToolUseStart as ToolUseStart
    from zot_core.events import TurnEnd as TurnEnd
    from zot_core.events import TurnStart as TurnStart
    from zot_core.events import UsageEvent as UsageEvent
    from zot_core.events import UserMessage as UserMessage
    from zot_core.hooks import Compaction as Compaction
    from zot_core.hooks import Hooks as Hooks
    from zot_core.hooks import ModelCallFailure as ModelCallFailure
    from zot_core.hooks import Refusal as Refusal
    from zot_core.hooks import ToolOutcome as ToolOutcome
    from zot_core.hooks import ToolRequest as ToolRequest
    from zot_core.limits import RunLimits as RunLimits
    from zot_core.machine.files import LocalFiles as LocalFiles
    from zot_core.machine.interface import Files as Files
    from zot_core.machine.interface import Shell as Shell
    from zot_core.machine.shell import LocalShell as LocalShell
    from zot_core.result import ToolResult as ToolResult
    from zot_core.runtime.answer import RunFailed as RunFailed
    from zot_core.runtime.answer import RunResult as RunResult
    from zot_core.runtime.blocking import BlockingRuntime as BlockingRuntime
    from zot_core.runtime.runtime import Runtime as Runtime
    from zot_core.runtime.state import RuntimeState as RuntimeState
    from zot_core.runtime.workspace import Workspace as Workspace
    from zot_core.sessions.file import SessionFile as SessionFile
    from zot_core.sessions.store import SessionStore as SessionStore
    from zot_core.skills import Skill as Skill
    from zot_core.skills import find_skills as find_skills
    from zot_core.tools.definition.bounds import AtLeast as AtLeast
    from zot_core.tools.definition.context import ToolContext as ToolContext
    from zot_core.tools.definition.tool import Tool as Tool
    from zot_core.tools.definition.tool import tool as tool
    from zot_core.version import __version__ as __version__
    from zot_provider.errors import ConfigError as ConfigError
    from zot_provider.errors import MissingKey as MissingKey
    from zot_provider.errors import ModelError as ModelError
    from zot_provider.errors import ProviderError as ProviderError
    from zot_provider.errors import UnknownName as UnknownName
    from zot_provider.errors import ZotError as ZotError
    from zot_provider.messages import Block as Block
    from zot_provider.messages import ImageBlock as ImageBlock
    from zot_provider.messages import Message as Message
    from zot_provider.messages import ReasoningBlock as ReasoningBlock
    from zot_provider.messages import TextBlock as TextBlock
    from zot_provider.messages import ToolCallBlock as ToolCallBlock
    from zot_provider.messages import ToolResultBlock as ToolResultBlock
    from zot_provider.model import Model as Model
    from zot_provider.model import Price as Price
    from zot_provider.registry import ModelRegistry as ModelRegistry
    from zot_provider.request import Reasoning as Reasoning
    from zot_provider.request import Request as Request
    from zot_provider.usage import Usage as Usage

_MODULES = {
    "zot_core.agent.run": "Run",
    "zot_core.compaction.compactor": "CompactionError CompactionLimits NothingToCompact",
    "zot_core.confirm": "Confirm Decision",
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
        "ErrorEvent Notice ReasoningDelta RunEnd TextDelta ToolCall ToolProgress ToolResultEvent ToolStart "
        "ToolUseArgs ToolUseEnd ToolUseStart TurnEnd TurnStart UsageEvent UserMessage"
    ),
    "zot_core.hooks": "Compaction Hooks ModelCallFailure Refusal ToolOutcome ToolRequest",
    "zot_core.limits": "RunLimits",
    "zot_core.machine.files": "LocalFiles",
    "zot_core.machine.interface": "Files Shell",
    "zot_core.machine.shell": "LocalShell",
    "zot_core.result": "ToolResult",
    "zot_core.runtime.answer": "RunFailed RunResult",
    "zot_core.runtime.blocking": "BlockingRuntime",
    "zot_core.runtime.runtime": "Runtime",
    "zot_core.runtime.state": "RuntimeState",
    "zot_core.runtime.workspace": "Workspace",
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

_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_HOMES)

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
