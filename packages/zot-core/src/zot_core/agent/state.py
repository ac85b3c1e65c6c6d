"""`AgentState`: the part of an agent that the loop reads and changes."""

from collections.abc import Iterable

from zot_core.agent.history import MessageHistory
from zot_core.agent.inbox import Inbox
from zot_core.agent.repeated import RepeatedFailures
from zot_core.agent.run import Run
from zot_core.hooks import Hooks
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import Tool
from zot_provider.client.http import Client
from zot_provider.messages import Message
from zot_provider.model import Model
from zot_provider.request import Reasoning
from zot_provider.usage import Usage


class AgentState:
    """A model, its tools, its history and the latest run."""

    def __init__(
        self,
        client: Client,
        model: Model,
        *,
        tools: Iterable[Tool] = (),
        context: ToolContext,
        system: str = "",
        reasoning: Reasoning = "off",
        messages: Iterable[Message] = (),
        usage: Usage | None = None,
        hooks: Hooks | None = None,
        cache_key: str = "",
        parallel_calls: int = 16,
    ) -> None:
        """`context` is passed to tools; `messages` and `usage` continue an earlier conversation. At most
        `parallel_calls` calls of one answer run at a time."""
        self.client = client
        self.model = model
        self.tools = {tool.name: tool for tool in tools}
        self.context = context
        self.system = system
        self.system_prompt: str | None = None
        self.reasoning = reasoning
        self.hooks = hooks or Hooks()
        self.history = MessageHistory(messages, self.hooks.message)
        self.inbox = Inbox()
        self.usage = usage or Usage()
        self.cache_key = cache_key
        self.parallel_calls = parallel_calls
        self.failures = RepeatedFailures()
        self.emit = self.hooks.event.notify
        self.current: Run | None = None
        """The latest run."""

    @property
    def full_system(self) -> str:
        """The system prompt before any hook: `system`, and the lines that the tools bring, by their names."""
        lines = [getattr(tool, "prompt_line", "") for _, tool in sorted(self.tools.items())]
        return "\n\n".join(filter(None, [self.system, "\n".join(filter(None, lines))]))
