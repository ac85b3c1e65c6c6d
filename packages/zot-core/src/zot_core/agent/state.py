"""`AgentState`: the part of an agent that the loop reads and changes."""

from collections.abc import Iterable
from typing import Any

from zot_core.agent.history import AsSent, MessageHistory, NewMessages
from zot_core.agent.inbox import Inbox
from zot_core.agent.repeated_calls import RepeatedFailures
from zot_core.agent.run import Run
from zot_core.events import AgentEvent
from zot_core.hooks import Hooks
from zot_core.machine.interface import OtherMachine
from zot_core.prompt.model_lines import model_line
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.seen_files import SeenFiles
from zot_core.tools.definition.tool import Tool
from zot_core.tools.definition.tool_set import ToolSet
from zot_provider.client.http import Client
from zot_provider.messages import Message
from zot_provider.model import Model
from zot_provider.request import CacheTime, Reasoning
from zot_provider.usage import Usage


class ToolPlace:
    """Where tools work: on this machine, or on another one in its place. `context` is what they may use there, `here`
    the same on this one."""

    def __init__(self, here: ToolContext) -> None:
        self.here = self.context = here
        self.machine: OtherMachine | None = None
        """The machine that tools use in place of this one."""
        self._read: tuple[SeenFiles, NewMessages] | None = None

    async def follow(self, history: MessageHistory) -> None:
        """Let tools know what the model has read in a conversation so far: the same in the process that has had it as
        in another one, also where messages were replaced."""
        seen = self.context.seen_files
        if self._read is None or self._read[0] is not seen:
            self._read = seen, NewMessages(history)
        messages, replaced = self._read[1].read()
        if replaced:
            seen.clear()
        await seen.follow(messages, self.here.cwd, self.here.files)

    def forget(self) -> None:
        """Forget what the model has read, so that `follow` reads all of a conversation again."""
        self.context.seen_files.clear()
        self.here.seen_files.clear()
        self._read = None

    def change(self, **changes: Any) -> None:
        """Change what tools may use on this machine."""
        self.here = self.here.replace(**changes)
        self._enter(self.context.seen_files)

    def move(self, machine: OtherMachine | None) -> None:
        """Let tools use another machine, or this one again."""
        self.machine = machine
        self._enter(SeenFiles("" if machine is None else machine.name))

    def inherit(self, context: ToolContext, machine: OtherMachine | None) -> None:
        """Work with `context`, where the tools of another agent do."""
        self.context, self.machine = context, machine

    def _enter(self, seen: SeenFiles) -> None:
        machine, here = self.machine, self.here
        if machine is None:
            self.context = here
            return
        self.context = here if machine.shell is None else here.replace(shell=machine.shell, walls=None)
        if machine.files is not None:
            self.context = self.context.replace(
                files=machine.files, cwd=machine.cwd, home=machine.home, temporary=machine.outputs, seen_files=seen
            )


class AgentState:
    """A model, its tools, its history and the latest run. `cache_time` is that of its requests."""

    cache_time: CacheTime = "5m"

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
        as_sent: AsSent = lambda block: block,
    ) -> None:
        """`context` is passed to tools; `messages` and `usage` continue an earlier conversation. At most
        `parallel_calls` calls of one answer run at a time."""
        self.client = client
        self.model = model
        self.tools = ToolSet(tools)
        self.system = system
        self.system_prompt: str | None = None
        self.reasoning = reasoning
        self.hooks = hooks or Hooks()
        self.place = ToolPlace(context.replace(spawn=self.hooks.spawn.apply))
        self.history = MessageHistory(messages, self.hooks.message, as_sent)
        self.inbox = Inbox()
        self.usage = usage or Usage()
        self.cache_key = cache_key
        self.parallel_calls = parallel_calls
        self.failures = RepeatedFailures()
        self.current: Run | None = None
        """The latest run."""

    def emit(self, event: AgentEvent) -> None:
        """Report what happens in a run."""
        self.hooks.event.notify(event)

    @property
    def context(self) -> ToolContext:
        """The parts that tools may use in the place where they work now."""
        return self.place.context

    def use_machine(self, machine: OtherMachine | None) -> None:
        """Let tools use another machine, or this one again."""
        self.place.move(machine)
        self.system_prompt = None

    @property
    def full_system(self) -> str:
        """The system prompt before any hook: `system`, the lines that the tools bring, by their names, and what this
        model must know about tools."""
        offered = self.tools.next
        lines = [tool.prompt_line for tool in offered]
        lines.append(model_line(self.model.id, {tool.name: tool for tool in offered}))
        machine = "" if self.place.machine is None else self.place.machine.words
        return "\n\n".join(filter(None, [self.system, machine, "\n".join(filter(None, lines))]))
