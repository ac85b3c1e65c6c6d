"""`Extensions`: starts, serves and stops all extensions of one agent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from zot_agent.extensions import frames
from zot_agent.extensions.calls.intercept_options import USUAL
from zot_agent.extensions.connection import Connection
from zot_agent.extensions.declared.absence import AbsentExtensions
from zot_agent.extensions.declared.resources import BroughtResources
from zot_agent.extensions.discover import Discovery
from zot_agent.extensions.hooks import AgentInfo, ExtensionHooks, Interceptor, MorePrograms
from zot_agent.extensions.managed import ManagedExtension, SharedState
from zot_agent.extensions.panels.panels import Panels
from zot_agent.extensions.registry import ExtensionRegistry, NameConflict, ProviderRegistrations, ToolOffer
from zot_agent.extensions.setup import ExtensionOwner, ExtensionSetup, ReloadStats
from zot_agent.extensions.tool_calls import caller
from zot_agent.extensions.tools import TOOL_SEARCH, AgentTools
from zot_core.agent import Agent
from zot_core.aio import finish, spawn
from zot_core.conversation.commands import Command, CommandAnswer, CommandError
from zot_core.conversation.events import ExtensionEvent
from zot_core.hooks import Observe, Refusal
from zot_ext.protocol.permissions import may_intercept
from zot_provider.errors import ConfigError

if TYPE_CHECKING:
    from zot_agent.extensions.calls.call import CallServices
    from zot_agent.extensions.calls.open_calls import OpenCalls
    from zot_agent.extensions.declared.flags import FlagValues
    from zot_agent.extensions.machines.claims import MachineClaims
    from zot_agent.operations.stored_sessions import StoredSessions


class Extensions:
    """The extensions of one agent. Their notes, panels and prompts go to `events`.

    Every wait for an extension has a limit in `limits`.
    """

    def __init__(
        self,
        find: Callable[[], Discovery],
        agent_info: Callable[[], AgentInfo],
        setup: ExtensionSetup,
        owner: ExtensionOwner | None = None,
        providers: ProviderRegistrations | None = None,
    ) -> None:
        """`find` discovers extensions, at the start and at each reload. `agent_info` describes the agent to them.
        Without an `owner` their calls are unavailable. `providers` is None if no manifest names a provider that its
        extension serves."""
        self.events: Observe[ExtensionEvent] = Observe()
        self.limits = setup.limits
        self.panels = Panels(self.events.notify, setup.limits)
        self.owner, self.providers = owner, providers
        self._find, self._agent_info, self._setup, self._commands = find, agent_info, setup, setup.commands
        self.hooks = ExtensionHooks(self, agent_info)
        self._own_tools, self.agent_tools = {*setup.tools, TOOL_SEARCH}, AgentTools()
        self.members: list[ManagedExtension] = []
        """The active extensions that have a program, in load order; read-only."""
        self._registry = ExtensionRegistry()
        self._subscribers: dict[tuple[str, str, str], list[Interceptor]] = {}
        self._programs: MorePrograms | None = None
        self.changed: Observe[None] = Observe()
        """Notified when an extension has registered something, or has ended."""
        self._absent = AbsentExtensions(lambda: self.members, strict=setup.strict)
        self._closed = False
        self.brought = BroughtResources(lambda: self.members, None if owner is None else owner.resources)
        """The skills, prompt templates and themes that the programs of extensions bring."""
        self._machines: MachineClaims | None = None
        self._process_values: dict[str, dict[str, Any]] = {}
        self._ready_deadline = 0.0
        self._reloading, self._settled = asyncio.Lock(), False  # settled: nobody has to be waited for any more
        if owner is not None:
            self.hooks.follow(owner.conversation)

    def attach(self, agent: Agent) -> None:
        """Connect the extensions to `agent`: its events, its hooks and its tools."""
        self.agent_tools.agent = agent
        self._own_tools.update(name for name, tool in agent.tools.items() if not tool.replaceable)
        self.agent_tools.outdated = True
        agent.hooks.before_turn.add(self._before_turn)  # before the event `turn_start`
        if self._setup.use_tools:
            agent.hooks.extra_messages.add(self._absent.news)
        self.hooks.attach(agent)

    def notify(self, event: str, **members: object) -> None:
        """Send an event to its observers that only a front end knows of: see `zot_ext.protocol.events.observable`."""
        self.hooks.send(event, members)

    def reserve(self, commands: Container[str]) -> None:
        """Reserve names of commands, in lower case; this replaces the earlier ones and outlasts a reload."""
        self._commands = commands
        self._registry.reserve(commands)

    def start(self, discovery: Discovery | None = None) -> list[str]:
        """Start all extensions, concurrently and in the background. Returns lines for the user about unusable
        folders. Raises `ConfigError` if the programs beside them cannot be used."""
        self._programs = self._find_programs()
        problems = self._start(discovery or self._find(), first=True)
        self._notify_programs("session_start", reason="startup", session_id=self._agent_info().session_id)
        return problems

    def _start(self, discovery: Discovery, *, first: bool) -> list[str]:
        self._registry = ExtensionRegistry(self._commands, self._own_tools)
        shared = SharedState(
            self._registry, self.panels, self.events, self._setup, self._agent_info, self._mark_changed,
            self._log_name_conflict, self._open_calls, self._greeting, lambda: self.providers, self.agent_tools,
            self._machine_claims,
        )  # fmt: skip
        self.members = [ManagedExtension(position, found, shared) for position, found in enumerate(discovery.members())]
        self._give_flags()
        self._settled = False
        self._ready_deadline = asyncio.get_running_loop().time() + self.limits.ready_total_seconds
        for member in self.members:
            if member.found.manifest.remember or member.progress.guards:
                member.expect(use=first and self._setup.use_remembered and not self._setup.strict)
            start = member.start(self._ready_deadline + self.limits.busy_seconds, first=first)
            member.started = spawn(start, f"extension {member.name}")
        self._mark_changed()
        self.brought.remembered()
        return [f"extension in {problem.directory}: {problem.message}" for problem in discovery.problems]

    def _give_flags(self) -> None:
        """Give each extension the values of its flags, and say which of them cannot be typed."""
        if any(member.found.manifest.flags or member.found.pi for member in self.members):
            from zot_agent.extensions.declared.flags import flag_values  # noqa: PLC0415  few extensions have flags

            values, shadowed = flag_values([member.found for member in self.members], self._setup.flags)
            for member in self.members:
                member.flags = values.get(member.found.directory)
                for why in shadowed.get(member.found.directory, ()):
                    self._log_name_conflict(NameConflict(member.registrations.position, why))

    async def ready(self, *, early: bool = False) -> None:
        """Return once all extensions have registered, in this run or the last one, or the time limit of the start or
        reload has passed. A run that wants none of their tools does not wait for them `early`, before its first
        request."""
        early = early and not (self._setup.use_tools or any(each.found.pi for each in self.members))
        if not (self._settled or early):
            async with self._reloading:
                await self._wait_until_started()

    async def _wait_until_started(self) -> None:
        waiting = [each for each in self.members if each.late is None and not each.started.done()]
        left = self._ready_deadline - asyncio.get_running_loop().time()
        if waiting and left > 0:
            await asyncio.wait([each.started for each in waiting], timeout=left)
        # Extensions written for pi count on it that nothing runs before they are loaded: a guard must not fail open.
        if loading := [each.started for each in waiting if each.found.pi and not each.started.done()]:
            await asyncio.wait(loading, timeout=self.limits.hello_seconds)
        if busy := [each.started for each in waiting if each.running and not each.started.done()]:
            await asyncio.wait(busy, timeout=self.limits.busy_seconds)
        for each in waiting:
            if not each.started.done():
                each.progress.give_up()
        self._settled = True

    @property
    def observed(self) -> bool:
        return self._programs is not None or any(each.registrations.observes for each in self.members)

    def observers(self, event: str) -> list[Interceptor]:
        """The running extensions that observe `event`, in load order, and the programs beside them."""
        return self._subscribed("observes", event)

    def interceptors(self, event: str, tool: str = "") -> list[Interceptor]:
        """The extensions that intercept `event`, and may for `tool`, those of a higher priority first, else in load
        order, and then the programs beside them. An extension that has ended is among them if it wanted the event to be
        blocked then."""
        return self._subscribed("intercepts", event, tool)

    def _subscribed(self, kind: Literal["observes", "intercepts"], event: str, tool: str = "") -> list[Interceptor]:
        found = self._subscribers.get((kind, event, tool))
        if found is None:
            connections = [
                member.connection
                for member in self.members
                if member.connection is not None
                and (own := member.registrations)
                and event in (own.observes if kind == "observes" else own.intercepts)
                and (not tool or may_intercept(own.permissions, event, tool))
            ]
            if kind == "intercepts":
                connections.sort(key=lambda each: -each.intercept_options.get(event, USUAL).priority)
            more: Sequence[Interceptor] = ()
            if self._programs is not None:
                programs = self._programs
                more = programs.observers(event) if kind == "observes" else programs.interceptors(event, tool)
            found = self._subscribers[kind, event, tool] = [*connections, *more]
        # An extension that calls a tool is not asked about that call: it may wait for the result.
        return [each for each in found if each is not caller.get()] if kind == "intercepts" and tool else found

    def _notify_programs(self, name: str, **members: str) -> None:
        for each in () if self._programs is None else self._programs.observers(name):
            each.send(frames.Event(name, extra=members))

    def _find_programs(self) -> MorePrograms | None:
        return None if self.owner is None else self.owner.find_programs(self._setup.trace)

    def renew_programs(self) -> None:
        """Find the programs again that observe and intercept beside the extensions. Raises `ConfigError`; those from
        before then stay."""
        before, self._programs = self._programs, self._find_programs()
        self._subscribers.clear()
        if before is not None:
            spawn(before.close(), "end programs that observe")

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
        member = self._member(found[0]) if found is not None else None
        connection = member.connection if member is not None else None
        if found is None or member is None or connection is None:
            raise CommandError(f"there is no command /{name}")
        if self._setup.strict:
            await self.ready()
        self._absent.check()
        from zot_agent.extensions.commands import run_command  # noqa: PLC0415  not before the first request

        return await run_command(connection, member, found[1], args, self.limits.command_seconds, self.panels)

    async def reload(self) -> ReloadStats:
        """Stop all extensions, discover them again and start them. Open requests fail; the agent continues."""
        self._settled = False
        async with self._reloading:
            stopped = await self._stop("reload")
            discovery = await asyncio.to_thread(self._find)  # it may read the files of a project
            if self._closed:
                return ReloadStats(stopped, 0, 0)
            self.providers = self.providers if self.owner is None else self.owner.serve(discovery)
            errors = self._start(discovery, first=False)
            try:
                self.renew_programs()
            except ConfigError as error:
                errors.append(str(error))
            await self._wait_until_started()
            if self._machines is not None:
                self._machines.reloaded()
            if self.agent_tools.agent is not None:
                self.agent_tools.agent.refresh()
            failed = [f"{member.name}: {member.failure}" for member in self.members if member.failure]
            ready = sum(member.running and member.started.done() for member in self.members)
            return ReloadStats(stopped, len(self.members) - len(failed), ready, [*errors, *failed])

    async def _restarted(self) -> list[str]:
        restart = self.owner.restart if self.owner is not None else None
        return (await (restart or self.reload)()).errors

    async def close(self) -> None:
        """Stop all extensions, concurrently and within the limits."""
        self._closed = True
        await self._stop()
        self._notify_programs("session_end", reason="shutdown", detail="quit")
        if self._programs is not None:
            await self._programs.close()
        if self._machines is not None:
            self._machines.close()
        if self._setup.trace is not None:
            self._setup.trace.close()

    async def _stop(self, why: str = "quit") -> int:
        """Stop all extensions and return how many were running."""
        members, self.members = self.members, []
        self.brought.ending = members
        running = sum(member.running for member in members)
        stops = [spawn(member.stop(why), f"stop extension {member.name}") for member in members]
        for task in [*stops, *(member.started for member in members)]:
            await finish(task)
        self._mark_changed()
        return running

    async def _before_turn(self, step: int) -> Refusal | None:
        """Update the agent's tools. Without `use_tools`, wait for registrations only if a turn is intercepted."""
        if self._setup.use_tools or self._setup.strict or self.interceptors("turn_start"):
            await self.ready()
        self._absent.check()
        if step == 1 and (refusal := await self._absent.flags_served(self.limits.hello_seconds)):
            return refusal
        for late in filter(None, (member.late for member in self.members)):
            late.postpone()
        agent = self.agent_tools.agent
        if step == 1:
            await self.brought.use()
        if step == 1 and agent is not None and self.hooks.ask_again():
            agent.refresh()
        if self.agent_tools.outdated:
            self.agent_tools.update(self._offers(), self.limits)
        if self._machines is not None:
            self._machines.apply(step)
        return None

    def _offers(self) -> dict[str, tuple[Connection, ToolOffer]]:
        if not self._setup.use_tools:
            return {}
        connections = {
            each.registrations.position: each.connection for each in self.members if each.connection is not None
        }
        return {
            offer.name: (connections[position], offer)
            for position, offer in self._registry.tools()
            if position in connections
        }

    def _member(self, position: int) -> ManagedExtension | None:
        """Return the owner of a registered name; None while all extensions are being stopped."""
        return self.members[position] if position < len(self.members) else None

    def _mark_changed(self) -> None:
        self.changed.notify(None)
        self.agent_tools.outdated = True
        self._subscribers.clear()
        self.hooks.subscribed()
        for member in self.members:
            if member.registrations.results is not None:
                member.registrations.results.report()
        self.brought.forget_ended()

    def _machine_claims(self, connection: Connection | None) -> MachineClaims | None:
        agent = self.agent_tools.agent
        if self._machines is None and connection is not None and agent is not None:
            from zot_agent.extensions.machines.claims import MachineClaims  # noqa: PLC0415  few offer a machine

            self._machines = MachineClaims(agent, self.limits, self._agent_info, self.events.notify)
        return self._machines

    def _open_calls(self, connection: Connection) -> OpenCalls:
        from zot_agent.extensions.calls.open_calls import OpenCalls  # noqa: PLC0415  few extensions have calls

        return OpenCalls(connection, self._call_services)

    def _call_services(self) -> CallServices | None:
        from zot_agent.extensions.calls.call import CallServices  # noqa: PLC0415  as above

        owner = self.owner
        if owner is None:
            return None
        return CallServices(
            owner.conversation, self.limits, self._setup.home, self._process_values, owner.accounts, self._restarted,
            self.events.notify, self._all_observers, self.agent_tools, self.brought.set, self.brought.folders,
            self.panels, owner.favourites, self._signed_in, self._stored,
        )  # fmt: skip

    @cached_property
    def _stored(self) -> StoredSessions:
        from zot_agent.operations.stored_sessions import StoredSessions  # noqa: PLC0415  as above

        return StoredSessions(outside=False)

    def _signed_in(self, connection: Connection) -> None:
        for member in self.members:
            if member.connection is connection and member.memory is not None:
                member.memory.outdate()

    def _all_observers(self) -> list[tuple[Connection, str]]:
        all_of_them = [(each.connection, each.registrations.observes) for each in self.members]
        return [(at, event) for at, events in all_of_them if at is not None for event in sorted(events)]

    def _greeting(self, ack: frames.HelloAck, flags: FlagValues | None) -> frames.HelloAck:
        from zot_agent.extensions.calls.greeting import greeting  # noqa: PLC0415  as above

        trusted = self._agent_info().project_trusted
        conversation = self.owner.conversation if self.owner is not None else None
        return greeting(ack, conversation, self.limits, flags, project_trusted=trusted)

    def _log_name_conflict(self, conflict: NameConflict) -> None:
        member = self._member(conflict.position)
        if member is not None and conflict not in member.registrations.conflicts:
            member.registrations.conflicts.append(conflict)
            member.log(conflict.why)
