"""`Extensions`: all extensions of one agent, started, listened to and stopped."""

import asyncio
import itertools
from collections.abc import Callable, Container, Iterable

from zot_agent.extensions.connection import Connection, Ended, TimedOut
from zot_agent.extensions.discover import Discovery
from zot_agent.extensions.hooks import ExtensionHooks, Setting
from zot_agent.extensions.managed import Member, SharedState
from zot_agent.extensions.panels import Panels
from zot_agent.extensions.registry import Registry, Shadow, ToolOffer
from zot_agent.extensions.tools import ExtensionTool
from zot_agent.extensions.trace import Trace
from zot_core.agent import Agent
from zot_core.aio import finish, spawn
from zot_core.conversation.commands import Command, CommandAnswer, CommandError, CommandRefused
from zot_core.conversation.events import ExtensionEvent
from zot_core.hooks import Observe, Refusal
from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import CommandResponse
from zot_ext.protocol.from_host import CommandInvoked
from zot_provider.record import Record, field, record

_ids = itertools.count(1)


@record
class ReloadStats(Record):
    """What a reload did; `errors` are lines for the person."""

    stopped: int
    loaded: int
    ready: int
    errors: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"reloaded: {self.stopped} stopped, {self.loaded} loaded ({self.ready} ready)"


class Extensions:
    """Starts, serves and stops extensions; what they want shown is told to `events`.

    Nothing here waits for an extension longer than `limits` say.
    """

    def __init__(
        self,
        find: Callable[[], Discovery],
        about: Callable[[], Setting],
        *,
        home: str,
        limits: ExtensionLimits = DEFAULT_LIMITS,
        use_tools: bool = True,
        trace: Trace | None = None,
        commands: Container[str] = (),
        tools: Iterable[str] = (),
    ) -> None:
        """`find` looks for extensions, again at each reload; `about` tells what they are told of the agent; `home` is
        zot's own folder, for the logs; without `use_tools` the model gets no tools of theirs; `commands`, in
        lower case, and `tools` are names that they cannot have, and so are the tools of the agent."""
        self.events: Observe[ExtensionEvent] = Observe()
        self.limits = limits
        self.panels = Panels(self.events.notify)
        self._find, self._about, self._home, self._trace = find, about, home, trace
        self._use_tools, self._commands = use_tools, commands
        self._hooks = ExtensionHooks(self, about)
        self._agent: Agent | None = None
        self._own_tools = set(tools)
        self.members: list[Member] = []
        """Those that were found and have a program, in load order; not to be changed."""
        self._registry = Registry()
        self._asked: dict[tuple[str, str], list[Connection]] = {}
        self._stale = False
        self._deadline = 0.0
        self._reloading = asyncio.Lock()

    def attach(self, agent: Agent) -> None:
        """Let the extensions watch and change what `agent` does, and give it their tools; from now on it is the one."""
        self._agent = agent
        self._own_tools.update(agent.tools)
        self._stale = True
        agent.hooks.before_turn.add(self._before_turn)  # before anybody is told that the turn starts
        self._hooks.attach(agent.hooks)

    def reserve(self, commands: Container[str]) -> None:
        """Names of commands, in lower case, that extensions cannot have from now on, after a reload too."""
        self._commands = commands
        self._registry.reserve(commands)

    def start(self, discovery: Discovery | None = None) -> list[str]:
        """Start what was found, side by side and in the background; lines for the person on what cannot be used."""
        return self._start(discovery or self._find(), first=True)

    def _start(self, discovery: Discovery, *, first: bool) -> list[str]:
        self._registry = Registry(self._commands, self._own_tools)
        board = SharedState(
            self._registry,
            self.panels,
            self.events,
            self.limits,
            self._about,
            self._home,
            self._trace,
            self._change,
            self._log_shadow,
        )
        self.members = [
            Member(position, found, board)
            for position, found in enumerate(found for found in discovery.active() if found.manifest.exec)
        ]
        self._deadline = asyncio.get_running_loop().time() + self.limits.ready_total_seconds
        for member in self.members:
            member.up = spawn(member.bring_up(self._deadline, first=first), f"extension {member.name}")
        self._change()
        return [f"extension in {problem.directory}: {problem.message}" for problem in discovery.problems]

    async def ready(self) -> None:
        """Return once all extensions have registered, or after the time that a start, or a reload, may take."""
        async with self._reloading:
            await self._all_up()

    async def _all_up(self) -> None:
        waiting = [member.up for member in self.members if not member.up.done()]
        left = self._deadline - asyncio.get_running_loop().time()
        if waiting and left > 0:
            await asyncio.wait(waiting, timeout=left)

    def observers(self, event: str) -> list[Connection]:
        """Who is told of `event`, in load order."""
        return self._who("observes", event)

    def interceptors(self, event: str) -> list[Connection]:
        """Who is asked about `event`, in load order."""
        return self._who("intercepts", event)

    def _who(self, what: str, event: str) -> list[Connection]:
        found = self._asked.get((what, event))
        if found is None:
            found = self._asked[what, event] = [
                member.connection
                for member in self.members
                if member.connection is not None and event in getattr(member, what)
            ]
        return found

    @property
    def commands(self) -> list[Command]:
        """The slash commands there are now, by name."""
        return self._registry.commands()

    @property
    def tools(self) -> list[ToolOffer]:
        """The tools there are now, by name, whether or not the model gets them."""
        return [offer for _, offer in self._registry.tools()]

    async def run_command(self, name: str, args: str = "") -> CommandAnswer:
        """See `ExtensionCommands`. A panel that the command wants open is open."""
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
        except Ended as error:
            failed = CommandError(f"/{command.name}: {error}")
            failed.reported = bool(member.failure)
            raise failed from None
        except FrameError as error:
            raise CommandError(f"/{command.name}: extension {connection.name}: {error}") from None
        if answer.error:
            raise CommandRefused(answer.error)
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
        """Stop all, look again for what there is, start that. Questions under way fail; the agent goes on."""
        async with self._reloading:
            stopped = await self._stop()
            errors = self._start(self._find(), first=False)
            await self._all_up()
            if self._agent is not None:
                self._agent.refresh()
            failed = [f"{member.name}: {member.failure}" for member in self.members if member.failure]
            ready = sum(member.running and member.up.done() for member in self.members)
            return ReloadStats(stopped, len(self.members) - len(failed), ready, [*errors, *failed])

    async def close(self) -> None:
        """Stop all, side by side and within the limits."""
        await self._stop()
        if self._trace is not None:
            self._trace.close()

    async def _stop(self) -> int:
        """Stop all members; how many ran."""
        members, self.members = self.members, []
        running = sum(member.running for member in members)
        stops = [spawn(member.stop(), f"stop extension {member.name}") for member in members]
        for task in [*stops, *(member.up for member in members)]:
            await finish(task)
        self._change()
        return running

    async def _before_turn(self, step: int) -> Refusal | None:
        """Give the agent the tools there are. A run that wants none of them waits only for who may stop the turn."""
        if self._use_tools or self.interceptors("turn_start"):
            await self.ready()
        agent = self._agent
        if self._stale and agent is not None:
            self._stale = False
            own = {name: tool for name, tool in agent.tools.items() if not isinstance(tool, ExtensionTool)}
            agent.tools = self._tools() | own
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

    def _change(self) -> None:
        self._stale = True
        self._asked.clear()

    def _log_shadow(self, shadow: Shadow) -> None:
        member = self.members[shadow.position]
        member.shadows.append(shadow.why)
        member.log(shadow.why)
