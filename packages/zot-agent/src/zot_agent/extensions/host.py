"""`Extensions`: starts, serves and stops all extensions of one agent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Container
from functools import cached_property
from typing import TYPE_CHECKING

from zot_agent.extensions import frames
from zot_agent.extensions.connection import Connection
from zot_agent.extensions.declared.attendance import Attendance
from zot_agent.extensions.declared.resources import BroughtResources
from zot_agent.extensions.discover import Discovery
from zot_agent.extensions.hooks import AgentInfo, ExtensionHooks
from zot_agent.extensions.hooks.subscribers import Subscribers
from zot_agent.extensions.managed import ManagedExtension, SharedState
from zot_agent.extensions.panels.panels import Panels
from zot_agent.extensions.registry import ExtensionRegistry, NameConflict, ProviderRegistrations, ToolOffer
from zot_agent.extensions.setup import ExtensionOwner, ExtensionSetup, ReloadStats
from zot_agent.extensions.tools import AgentTools
from zot_core.agent import Agent
from zot_core.aio import finish, spawn
from zot_core.conversation.commands import Command, CommandAnswer, UnknownCommand
from zot_core.conversation.events import ExtensionEvent
from zot_core.hooks import Observe, Refusal
from zot_provider.errors import ConfigError

if TYPE_CHECKING:
    from zot_agent.extensions.calls.call import CallServices
    from zot_agent.extensions.calls.open_calls import OpenCalls
    from zot_agent.extensions.declared.flags import FlagValues
    from zot_agent.extensions.hooks.interceptor import MorePrograms
    from zot_agent.extensions.machines.claims import MachineClaims


class Extensions:
    """The extensions of one agent. Their notes, panels and prompts go to `events`.

    Every wait for an extension has a limit in `setup`.
    """

    def __init__(
        self,
        find: Callable[[], Discovery],
        agent_info: Callable[[], AgentInfo],
        setup: ExtensionSetup,
        owner: ExtensionOwner | None = None,
        providers: ProviderRegistrations | None = None,
    ) -> None:
        """`find` discovers extensions, at the start and at every reload. `agent_info` describes the agent to them.
        Without an `owner` their calls are unavailable. `providers` is None if no manifest names a provider that its
        extension serves."""
        self.events: Observe[ExtensionEvent] = Observe()
        self.panels = Panels(self.events.notify, setup.limits)
        self.owner = owner
        self._find, self._agent_info, self.setup = find, agent_info, setup
        self.members: list[ManagedExtension] = []
        """The active extensions that have a program, in load order; read-only."""
        self._attendance = Attendance(self.members, setup.limits, strict=setup.strict)
        self.subscribers = Subscribers(
            self.members, self._find_programs, setup.limits, self.ready, lambda: self._attendance.settled
        )
        self.hooks = ExtensionHooks(self.subscribers, agent_info, None if owner is None else owner.conversation)
        self.agent_tools = AgentTools(setup.tools)
        self._registry = ExtensionRegistry(setup.commands, self.agent_tools.reserved, providers)
        self.changed: Observe[None] = Observe()
        """Notified when an extension has registered something, or has ended."""
        self.brought = BroughtResources(self.members, None if owner is None else owner.resources)
        """The skills, prompt templates and themes that the programs of extensions bring."""
        self._machines: MachineClaims | None = None

    def attach(self, agent: Agent) -> None:
        """Connect the extensions to `agent`: its events, its hooks and its tools."""
        self.agent_tools.attach(agent)
        agent.hooks.before_turn.add(self._before_turn)  # before the event `turn_start`
        if self.setup.use_tools:
            self._attendance.attach(agent)
        if self.setup.strict:
            agent.hooks.tool_run.add(self._attendance.refuse)
        self.hooks.attach(agent)
        agent.hooks.system_prompt.add(self._renew_tools)

    def notify(self, event: str, **members: object) -> None:
        """Send an event to its observers that only a front end knows of: see `zot_ext.protocol.events.observable`."""
        self.hooks.send(event, members)

    def reserve(self, commands: Container[str]) -> None:
        """Reserve names of commands, in lower case; this replaces the earlier ones and outlasts a reload."""
        self._registry.reserve(commands)

    def start(self, discovery: Discovery | None = None) -> list[str]:
        """Start all extensions, concurrently and in the background. Returns lines for the user about unusable
        folders. Raises `ConfigError` if the programs beside them cannot be used."""
        self.subscribers.renew_programs()
        problems = self._start_members(discovery or self._find(), first=True)
        self.subscribers.notify_programs("session_start", reason="startup", session_id=self._agent_info().session_id)
        return problems

    def _start_members(self, discovery: Discovery, *, first: bool) -> list[str]:
        shared = SharedState(
            self._registry, self.panels, self.events, self.setup, self._agent_info, self._mark_changed,
            self._log_name_conflict, self._open_calls, self._greeting, self.agent_tools, self._machine_claims,
        )  # fmt: skip
        flags: dict[str, FlagValues] = {}
        found = discovery.members()
        if any(each.manifest.flags or each.pi for each in found):
            from zot_agent.extensions.declared.flags import flag_values  # noqa: PLC0415  few extensions have flags

            flags = flag_values(found, self.setup.flags)
        self.members[:] = [
            ManagedExtension(position, each, shared, flags.get(each.directory)) for position, each in enumerate(found)
        ]
        deadline = self._attendance.begin() + self.setup.limits.busy_seconds
        for member in self.members:
            for why in () if member.flags is None else member.flags.shadowed:
                self._log_name_conflict(NameConflict(member.registrations.position, why))
            if member.found.manifest.remember or member.progress.guards:
                member.expect(use=first and self.setup.use_remembered and not self.setup.strict)
            member.begin(member.start(deadline, first=first))
        self._mark_changed()
        self.brought.remembered()
        return [f"extension in {problem.directory}: {problem.message}" for problem in discovery.problems]

    async def ready(self, *, early: bool = False) -> None:
        """Return once all extensions have registered, in this run or the last one, or the time limit of the start or
        reload has passed. A run that wants none of their tools does not wait for them `early`, before its first
        request."""
        early = early and not (self.setup.use_tools or any(each.found.pi for each in self.members))
        if not (self._attendance.settled or early):
            async with self._attendance.lock:
                await self._attendance.wait()

    def _find_programs(self) -> MorePrograms | None:
        return None if self.owner is None else self.owner.find_programs(self.setup.trace)

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
            raise UnknownCommand(name)
        if self.setup.strict:
            await self.ready()
        self._attendance.check()
        from zot_agent.extensions.commands import run_command  # noqa: PLC0415  not before the first request

        return await run_command(connection, member, found[1], args, self.setup.limits.command_seconds, self.panels)

    async def reload(self) -> ReloadStats:
        """Stop all extensions, discover them again and start them. Open requests fail; the agent continues."""
        self._attendance.settled = False
        async with self._attendance.lock:
            stopped = await self._stop("reload")
            discovery = await asyncio.to_thread(self._find)  # it may read the files of a project
            if self._attendance.closed:
                return ReloadStats(stopped, 0, 0)
            providers = self._registry.providers if self.owner is None else self.owner.serve(discovery)
            self._registry = self._registry.renewed(providers)
            errors = self._start_members(discovery, first=False)
            try:
                self.subscribers.renew_programs()
            except ConfigError as error:
                errors.append(str(error))
            await self._attendance.wait()
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
        self._attendance.closed = True
        await self._stop()
        self.subscribers.notify_programs("session_end", reason="shutdown", detail="quit")
        await self.subscribers.close()
        if self._machines is not None:
            self._machines.close()
        if self.setup.trace is not None:
            self.setup.trace.close()

    async def _stop(self, why: str = "quit") -> int:
        """Stop all extensions and return how many were running."""
        members = [*self.members]
        self.members.clear()
        self.brought.ending = members
        running = sum(member.running for member in members)
        stops = [spawn(member.stop(why), f"stop extension {member.name}") for member in members]
        for task in [*stops, *(member.started for member in members)]:
            await finish(task)
        self._mark_changed()
        return running

    async def _before_turn(self, step: int) -> Refusal | None:
        """Update the agent's tools. Without `use_tools`, wait for registrations only if a turn is intercepted."""
        if self.setup.use_tools or self.setup.strict or self.subscribers.interceptors("turn_start"):
            await self.ready()
        self._attendance.check()
        if step == 1 and (refusal := await self._attendance.flags_served()):
            return refusal
        for late in filter(None, (member.late for member in self.members)):
            late.postpone()
        agent = self.agent_tools.agent
        if step == 1:
            await self.brought.use()
        if step == 1 and agent is not None and self.hooks.ask_again():
            agent.refresh()
        await self._renew_tools("")
        if self._machines is not None:
            self._machines.apply(step)
        return None

    async def _renew_tools(self, prompt: str) -> str:
        """Give the agent the tools that extensions offer now, also what they have registered or chosen while they were
        asked about the system prompt. Return the prompt with the lines of these tools."""
        agent = self.agent_tools.agent
        if agent is None or not self.agent_tools.outdated:
            return prompt
        before = agent.full_system
        self.agent_tools.update(self._offers(), self.setup.limits)
        return prompt.replace(before, agent.full_system, 1)

    def _offers(self) -> dict[str, tuple[Connection, ToolOffer]]:
        if not self.setup.use_tools:
            return {}
        found = [(self._member(position), offer) for position, offer in self._registry.tools()]
        return {offer.name: (at, offer) for member, offer in found if member is not None and (at := member.connection)}

    def _member(self, position: int) -> ManagedExtension | None:
        """Return the owner of a registered name; None while all extensions are being stopped."""
        return self.members[position] if position < len(self.members) else None

    def _mark_changed(self) -> None:
        self.changed.notify(None)
        self.agent_tools.outdated = True
        self.subscribers.changed()
        self.hooks.subscribed()
        for member in self.members:
            if member.registrations.results is not None:
                member.registrations.results.report()
        self.brought.forget_ended()

    def _machine_claims(self, connection: Connection | None) -> MachineClaims | None:
        agent = self.agent_tools.agent
        if self._machines is None and connection is not None and agent is not None:
            from zot_agent.extensions.machines.claims import MachineClaims  # noqa: PLC0415  few offer a machine

            self._machines = MachineClaims(agent, self.setup.limits, self._agent_info, self.events.notify)
        return self._machines

    def _open_calls(self, connection: Connection) -> OpenCalls:
        from zot_agent.extensions.calls.open_calls import OpenCalls  # noqa: PLC0415  few extensions have calls

        return OpenCalls(connection, lambda: self._call_services)

    @cached_property
    def _call_services(self) -> CallServices | None:
        from zot_agent.extensions.calls.call import CallServices  # noqa: PLC0415  as above
        from zot_agent.operations.stored_sessions import StoredSessions  # noqa: PLC0415  as above

        owner = self.owner
        if owner is None:
            return None
        return CallServices(
            owner.conversation, self.setup.limits, self.setup.home, {}, owner.accounts, self._restarted,
            self.events.notify, self._all_observers, self.agent_tools, self.brought.set, self.brought.folders,
            self.panels, lambda: owner.favourites(), self._signed_in, StoredSessions(outside=False),
        )  # fmt: skip

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
        return greeting(ack, conversation, self.setup.limits, flags, project_trusted=trusted)

    def _log_name_conflict(self, conflict: NameConflict) -> None:
        member = self._member(conflict.position)
        if member is not None and conflict not in member.registrations.conflicts:
            member.registrations.conflicts.append(conflict)
            member.registrations.log(conflict.why)
