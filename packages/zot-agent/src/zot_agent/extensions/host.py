"""`Extensions`: starts, serves and stops all extensions of one agent."""

import asyncio
import itertools
from collections.abc import Callable, Collection, Container, Iterable
from typing import TYPE_CHECKING, Any, Literal

from zot_agent.extensions.calls.intercept_options import USUAL
from zot_agent.extensions.connection import Connection, ExtensionEnded, TimedOut
from zot_agent.extensions.discover import Discovery
from zot_agent.extensions.hooks import AgentInfo, ExtensionHooks
from zot_agent.extensions.managed import ManagedExtension, SharedState
from zot_agent.extensions.panels import Panels
from zot_agent.extensions.registry import ExtensionRegistry, NameConflict, ToolOffer
from zot_agent.extensions.tools import ExtensionTool
from zot_agent.extensions.trace import Trace
from zot_core.agent import Agent
from zot_core.aio import finish, spawn
from zot_core.conversation.commands import Command, CommandAnswer, CommandError, CommandRefused
from zot_core.conversation.events import ExtensionEvent
from zot_core.hooks import Observe, Refusal
from zot_core.tools.definition.builtin import BuiltinTool
from zot_core.tools.definition.tool import Tool
from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import CommandResponse
from zot_ext.protocol.from_host import CommandInvoked, HelloAck
from zot_ext.protocol.permissions import may_intercept
from zot_provider.record import Record, field

if TYPE_CHECKING:
    from zot_agent.extensions.calls.call import CallServices
    from zot_agent.extensions.calls.open_calls import OpenCalls
    from zot_core.conversation.driver import Conversation
    from zot_provider.auth.store import AccountStore

_ids = itertools.count(1)


class ReloadStats(Record):
    """Counts of a reload; `errors` are lines for the user."""

    stopped: int
    loaded: int
    ready: int
    errors: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"reloaded: {self.stopped} stopped, {self.loaded} loaded ({self.ready} ready)"


class Extensions:
    """The extensions of one agent. Their notes, panels and prompts go to `events`.

    Every wait for an extension has a limit in `limits`.
    """

    def __init__(
        self,
        find: Callable[[], Discovery],
        agent_info: Callable[[], AgentInfo],
        *,
        home: str,
        limits: ExtensionLimits = DEFAULT_LIMITS,
        use_tools: bool = True,
        trace: Trace | None = None,
        commands: Container[str] = (),
        tools: Iterable[str] = (),
        removed_env: Collection[str] = frozenset(),
    ) -> None:
        """`find` discovers extensions, at the start and at each reload. `agent_info` describes the agent to them.
        `home` is zot's own folder, for the logs. Without `use_tools` the model does not get their tools. `commands`, in
        lower case, and `tools` are reserved names, and so are the names of the agent's tools. `removed_env` are
        environment variables that only extensions get whose manifest names them."""
        self.events: Observe[ExtensionEvent] = Observe()
        self.limits = limits
        self.panels = Panels(self.events.notify)
        self._find, self._agent_info, self._home, self._trace = find, agent_info, home, trace
        self._use_tools, self._commands, self._removed_env = use_tools, commands, removed_env
        self._hooks = ExtensionHooks(self, agent_info)
        self._agent: Agent | None = None
        self._own_tools = set(tools)
        self._replaced: dict[str, Tool] = {}  # built-in tools that give way to one of an extension
        self.members: list[ManagedExtension] = []
        """The active extensions that have a program, in load order; read-only."""
        self._registry = ExtensionRegistry()
        self._subscribers: dict[tuple[str, str, str], list[Connection]] = {}
        self.conversation: Conversation | None = None
        """What the calls of extensions act on; without one they are unavailable."""
        self.accounts: Callable[[], AccountStore] | None = None
        """Opens the store for the secrets of extensions; without it they are unavailable."""
        self._process_values: dict[str, dict[str, Any]] = {}
        self._tools_changed = False
        self._ready_deadline = 0.0
        self._reloading = asyncio.Lock()

    def attach(self, agent: Agent) -> None:
        """Connect the extensions to `agent`: its events, its hooks and its tools."""
        self._agent = agent
        self._own_tools.update(name for name, tool in agent.tools.items() if not _replaceable(tool))
        self._tools_changed = True
        agent.hooks.before_turn.add(self._before_turn)  # before the event `turn_start`
        self._hooks.attach(agent.hooks)

    def reserve(self, commands: Container[str]) -> None:
        """Reserve names of commands, in lower case; this replaces the earlier ones and outlasts a reload."""
        self._commands = commands
        self._registry.reserve(commands)

    def start(self, discovery: Discovery | None = None) -> list[str]:
        """Start all extensions, concurrently and in the background. Returns lines for the user about unusable
        folders."""
        return self._start(discovery or self._find(), first=True)

    def _start(self, discovery: Discovery, *, first: bool) -> list[str]:
        self._registry = ExtensionRegistry(self._commands, self._own_tools)
        shared = SharedState(
            self._registry,
            self.panels,
            self.events,
            self.limits,
            self._agent_info,
            self._home,
            self._trace,
            self._mark_changed,
            self._log_name_conflict,
            self._removed_env,
            self._open_calls,
            self._greeting,
        )
        self.members = [
            ManagedExtension(position, found, shared)
            for position, found in enumerate(found for found in discovery.active() if found.manifest.exec)
        ]
        self._ready_deadline = asyncio.get_running_loop().time() + self.limits.ready_total_seconds
        for member in self.members:
            member.started = spawn(member.start(self._ready_deadline, first=first), f"extension {member.name}")
        self._mark_changed()
        return [f"extension in {problem.directory}: {problem.message}" for problem in discovery.problems]

    async def ready(self) -> None:
        """Return once all extensions have registered, or the time limit of the start or reload has passed."""
        async with self._reloading:
            await self._wait_until_started()

    async def _wait_until_started(self) -> None:
        waiting = [member.started for member in self.members if not member.started.done()]
        left = self._ready_deadline - asyncio.get_running_loop().time()
        if waiting and left > 0:
            await asyncio.wait(waiting, timeout=left)

    def observers(self, event: str) -> list[Connection]:
        """The running extensions that observe `event`, in load order."""
        return self._connections("observes", event)

    def interceptors(self, event: str, tool: str = "") -> list[Connection]:
        """The extensions that intercept `event`, and may for `tool`, those of a higher priority first, else in load
        order. An extension that has ended is among them if it wanted the event to be blocked then."""
        return self._connections("intercepts", event, tool)

    def _connections(self, kind: Literal["observes", "intercepts"], event: str, tool: str = "") -> list[Connection]:
        found = self._subscribers.get((kind, event, tool))
        if found is None:
            found = self._subscribers[kind, event, tool] = [
                member.connection
                for member in self.members
                if member.connection is not None
                and event in (member.observes if kind == "observes" else member.intercepts)
                and (not tool or may_intercept(member.permissions, event, tool))
            ]
            if kind == "intercepts":
                found.sort(key=lambda each: -each.intercept_options.get(event, USUAL).priority)
        return found

    @property
    def commands(self) -> list[Command]:
        """The registered slash commands, by name."""
        return self._registry.commands()

    @property
    def tools(self) -> list[ToolOffer]:
        """The registered tools, by name, whether or not the model gets them."""
        return [offer for _, offer in self._registry.tools()]

    async def run_command(self, name: str, args: str = "") -> CommandAnswer:
        """Run a slash command; see `ExtensionCommands`. A panel in its answer is opened before this returns."""
        found = self._registry.command(name)
        member = self.members[found[0]] if found is not None else None
        connection = member.connection if member is not None else None
        if found is None or member is None or connection is None:
            raise CommandError(f"there is no command /{name}")
        command, seconds = found[1], self.limits.command_seconds
        call = CommandInvoked(f"command-{next(_ids)}", command.name, args.strip())
        try:
            answer = await connection.request(call, CommandResponse, seconds)
        except TimedOut:
            raise CommandError(
                f"/{command.name}: extension {connection.name} did not answer in {seconds:g} s"
            ) from None
        except ExtensionEnded as error:
            failed = CommandError(f"/{command.name}: {error}")
            failed.reported = bool(member.failure)
            raise failed from None
        except FrameError as error:
            raise CommandError(f"/{command.name}: extension {connection.name}: {error}") from None
        if answer.error:
            raise CommandRefused(answer.error)
        if answer.action == "prompt" and not member.permissions.submit:
            raise CommandError(f"/{command.name}: extension {connection.name} may not submit prompts")
        return self._read_answer(command, connection, answer)

    def _read_answer(self, command: Command, connection: Connection, answer: CommandResponse) -> CommandAnswer:
        name = command.source
        match answer.action:
            case "prompt":
                return CommandAnswer(name, "prompt", answer.prompt)
            case "insert":
                return CommandAnswer(name, "insert", answer.insert)
            case "display":
                return CommandAnswer(name, "display", answer.display)
            case "open_panel" if answer.open_panel is not None:
                self.panels.open(connection, answer.open_panel)
                return CommandAnswer(name, "open_panel")
            case "" | "noop":
                return CommandAnswer(name, "noop")
            case "open_panel":
                raise CommandError(f"/{command.name}: the answer of extension {name} has no panel to open")
            case unknown:
                raise CommandError(f"/{command.name}: extension {name} wants {unknown!r}, which zot does not know")

    async def reload(self) -> ReloadStats:
        """Stop all extensions, discover them again and start them. Open requests fail; the agent continues."""
        async with self._reloading:
            stopped = await self._stop()
            discovery = await asyncio.to_thread(self._find)  # it may read the files of a project
            errors = self._start(discovery, first=False)
            await self._wait_until_started()
            if self._agent is not None:
                self._agent.refresh()
            failed = [f"{member.name}: {member.failure}" for member in self.members if member.failure]
            ready = sum(member.running and member.started.done() for member in self.members)
            return ReloadStats(stopped, len(self.members) - len(failed), ready, [*errors, *failed])

    async def close(self) -> None:
        """Stop all extensions, concurrently and within the limits."""
        await self._stop()
        if self._trace is not None:
            self._trace.close()

    async def _stop(self) -> int:
        """Stop all extensions and return how many were running."""
        members, self.members = self.members, []
        running = sum(member.running for member in members)
        stops = [spawn(member.stop(), f"stop extension {member.name}") for member in members]
        for task in [*stops, *(member.started for member in members)]:
            await finish(task)
        self._mark_changed()
        return running

    async def _before_turn(self, step: int) -> Refusal | None:
        """Update the agent's tools. Without `use_tools`, wait for registrations only if a turn is intercepted."""
        if self._use_tools or self.interceptors("turn_start"):
            await self.ready()
        agent = self._agent
        if step == 1 and agent is not None and self._hooks.ask_again():
            agent.refresh()
        if self._tools_changed and agent is not None:
            self._tools_changed = False
            offered, now = self._tools(), agent.tools.items()
            own = self._replaced | {name: tool for name, tool in now if not isinstance(tool, ExtensionTool)}
            self._replaced = {name: tool for name, tool in own.items() if name in offered and _replaceable(tool)}
            agent.tools = offered | {name: tool for name, tool in own.items() if name not in self._replaced}
        return None

    def _tools(self) -> dict[str, ExtensionTool]:
        if not self._use_tools:
            return {}
        tools = {}
        for position, offer in self._registry.tools():
            connection = self.members[position].connection
            if connection is not None:
                tools[offer.name] = ExtensionTool(connection, offer, self.limits.tool_seconds)
        return tools

    def _mark_changed(self) -> None:
        self._tools_changed = True
        self._subscribers.clear()
        for member in self.members:
            if member.names is not None:
                member.names.report()

    def _open_calls(self, connection: Connection) -> "OpenCalls":
        from zot_agent.extensions.calls.open_calls import OpenCalls  # noqa: PLC0415  few extensions have calls

        return OpenCalls(connection, self._call_services)

    def _call_services(self) -> "CallServices | None":
        from zot_agent.extensions.calls.call import CallServices  # noqa: PLC0415  as above

        if self.conversation is None:
            return None
        return CallServices(self.conversation, self.limits, self._home, self._process_values, self.accounts)

    def _greeting(self, ack: HelloAck) -> HelloAck:
        from zot_agent.extensions.calls.greeting import greeting  # noqa: PLC0415  as above

        trusted = self._agent_info().project_trusted
        return greeting(ack, self.conversation, self.limits, project_trusted=trusted)

    def _log_name_conflict(self, conflict: NameConflict) -> None:
        if conflict.position < len(self.members):  # no member is left while all of them are being stopped
            member = self.members[conflict.position]
            member.name_conflicts.append(conflict)
            member.log(conflict.why)


def _replaceable(tool: Tool) -> bool:
    return isinstance(tool, BuiltinTool) and tool.replaceable
