"""`ManagedExtension`: one extension of a set, from its start to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Never, TypeVar

from zot_agent.extensions import frames
from zot_agent.extensions.calls.intercept_options import InterceptOptions, read_options
from zot_agent.extensions.connection import Connection
from zot_agent.extensions.declared.start import ExtensionStart
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.hooks.registrations import OwnRegistrations
from zot_agent.extensions.hooks.subscription import not_permitted
from zot_agent.extensions.log import ExtensionLog
from zot_agent.extensions.panels.panels import Panels
from zot_agent.extensions.registry import ExtensionRegistry, NameConflict
from zot_agent.extensions.setup import ExtensionSetup, ProcessTerms
from zot_agent.extensions.tool_calls.frames import ToolFrames
from zot_agent.version import __version__
from zot_core.aio import spawn
from zot_core.conversation import events
from zot_core.hooks import Observe
from zot_core.machine.shell import Launch
from zot_ext.protocol import PROTOCOL_VERSION
from zot_ext.protocol.permissions import call_problem, may_intercept, must_confine
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_agent.extensions.calls.open_calls import OpenCalls
    from zot_agent.extensions.declared.flags import FlagValues
    from zot_agent.extensions.declared.late_connection import LateConnection
    from zot_agent.extensions.declared.memory import Remembering
    from zot_agent.extensions.machines.claims import MachineClaims
    from zot_agent.extensions.requests import RequestFrame
    from zot_agent.extensions.tools import AgentTools
    from zot_core.sandbox.sandbox import Sandbox

C = TypeVar("C", bound=Connection)

_LEVELS: dict[str, events.Level] = {"success": "success", "warn": "warn", "warning": "warn", "error": "error"}
"""Levels of notes by their names on the wire; unknown names count as "info"."""


class SharedState(Record):
    """The state that all extensions of a set share. `changed` is called when names or subscriptions have changed,
    `name_taken` when an extension cannot have a name. `open_calls` and `greeting` serve extensions with calls, which
    need both."""

    registry: ExtensionRegistry
    panels: Panels
    events: Observe[events.ExtensionEvent]
    setup: ExtensionSetup
    agent_info: Callable[[], AgentInfo]
    changed: Callable[[], None]
    name_taken: Callable[[NameConflict], None]
    open_calls: Callable[[Connection], OpenCalls] | None = None
    greeting: Callable[[frames.HelloAck, FlagValues | None], frames.HelloAck] | None = None
    tools: AgentTools | None = None
    machines: Callable[[Connection | None], MachineClaims | None] = lambda connection: None
    """Returns the claims of machines, and makes them for an extension that offers one."""


class ManagedExtension:
    """A discovered extension and its process. `position` is its place in the load order, from 0."""

    started: asyncio.Task[None]
    """Ends, and never raises, when the extension has registered its commands and tools or could not be started."""

    def __init__(
        self, position: int, found: DiscoveredExtension, shared: SharedState, flags: FlagValues | None = None
    ) -> None:
        """`flags` are the values of its flags, if it has any."""
        self.found, self.name, self.flags = found, found.name, flags
        self.failure = ""
        """Why it does not run; empty while it does."""
        self.connection: Connection | None = None
        self.memory: Remembering | None = None
        """Keeps what it registers for the next run, if its manifest wants that."""
        self._calls: OpenCalls | None = None
        self._shared = shared
        self._log = ExtensionLog(shared.setup.home, found.name)
        self.registrations = OwnRegistrations(
            position, found, shared.registry, self._log.line, shared.changed, shared.name_taken
        )
        self._tools = ToolFrames(self.registrations, shared.tools, shared.setup.limits)
        self._sandbox: Sandbox | None = None
        self._stopping = False
        declared = found.manifest.guards
        self.progress = ExtensionStart(self, {} if declared is None else declared.value, self._log.line)
        """How far its start has come."""

    def expect(self, *, use: bool) -> None:
        """Take note of what is known before the process runs: what it must guard, and what it registered in its last
        complete start. With `use` that holds until the process is ready, and nobody need wait for `started`; without,
        only what it intercepted does. The caller says that names have changed."""
        manifest, setup, known, guards = self.found.manifest, self._shared.setup, None, dict[str, InterceptOptions]()
        if manifest.remember:
            from zot_agent.extensions.declared.memory import Remembering  # noqa: PLC0415  few extensions want it

            self.memory = memory = Remembering(self.registrations, self.found, setup.home, setup.limits)
            known, guards = memory.stored.load(), memory.stored.guards
        guards = {event: each for event, each in guards.items() if may_intercept(self.found.permissions, event)}
        if known is None and not (guards or self.progress.guards):
            return
        self.connection = connection = self._early_connection()
        self.progress.prepare(connection, known if use else None)
        if known is not None and use:
            connection.granted = self._permitted_groups(known.capabilities)
            self.registrations.loading = True
            for tool in known.tools:
                self.registrations.add_tool(tool)
            for command in known.commands:
                self.registrations.add_command(command.name, command.description, hidden=command.hidden)
            self._subscribe(known.events, known.intercept, known.intercept_options)
            self.found.bring(known.brought)
            self.registrations.loading = False
        self.progress.expect(connection, guards)

    def _early_connection(self) -> LateConnection:
        """Return a connection that can be asked before the process has registered."""
        from zot_agent.extensions.declared.late_connection import LateConnection  # noqa: PLC0415  few extensions want it

        return self._connection(LateConnection)

    @property
    def late(self) -> LateConnection | None:
        """The connection, if what it registered in its last run holds until the process is ready."""
        return self.progress.late

    def begin(self, start: Coroutine[Any, Any, None]) -> None:
        """Let `start` run, which is a call of the method of that name or of `restart`."""
        self.started = spawn(start, f"extension {self.name}")

    async def start(self, deadline: float, *, first: bool) -> None:
        """Start the process and wait for its registrations: for the hello within the limits, for the rest until
        `deadline` (a time of the loop's clock). With `first` it gets the event `session_start`."""
        late, early = self.late, self.progress.begin()
        if late is not None and not await late.needed():
            return
        from zot_agent.extensions.launch import LaunchError  # noqa: PLC0415  for a remembered one, after the first request
        from zot_agent.extensions.python.environment import launch_of  # noqa: PLC0415  as above

        if self._log.problem:
            self._notify("warn", self._log.problem)
        try:
            if self.found.undecided:
                raise LaunchError(f"what it asks for is not allowed yet: zot ext enable {self.name}")
            launch = launch_of(self.found, self._shared.setup.home, self._shared.setup.removed_env)
            about = self._shared.agent_info()
            if about.sandbox is not None or must_confine(self.found.permissions):
                from zot_agent.extensions.permissions.confinement import extension_sandbox  # noqa: PLC0415  few are

                # In a thread: the first one tries whether there is a sandbox here.
                self._sandbox = await asyncio.to_thread(extension_sandbox, self.found, about, self._shared.setup.home)
                if self._stopping:
                    self._sandbox.close()
                    return
            before = self.connection
            if early is None and self.registrations.intercepts:  # it runs again
                early = self._early_connection()
                self.progress.expect(early, {} if before is None else before.intercept_options)
            connection = self.connection = early or self._connection(Connection)
            sandbox = self._sandbox
            launch = launch if sandbox is None else launch.replace(env=sandbox.environment(launch.env))
            connection.terms = ProcessTerms(launch, sandbox, self.found.permissions)
            await connection.start()
        except LaunchError as error:
            if not self._stopping:
                self._log.line(str(error))
            if early is not None:
                await early.fail()
                self.ended(early, str(error))
                self.progress.settle(early, first=first)
            elif not self._stopping:
                self._fail(str(error))
            return
        await connection.handshake.greeted.wait()
        left = deadline - asyncio.get_running_loop().time()
        limits = self._shared.setup.limits
        if self.found.pi or (self.flags is not None and self.flags.given and "tool_ops" in connection.granted):
            left = limits.hello_seconds  # nothing may run here meanwhile: see `Extensions.ready`
        await self.progress.wait(
            connection, max(left, limits.ready_idle_seconds if early is None else limits.remembered_seconds)
        )
        self.progress.settle(connection, first=first)

    def _connection(self, kind: type[C]) -> C:
        """Return a connection that has no process yet."""
        setup = self._shared.setup
        terms = ProcessTerms(Launch((), self.found.directory, {}), None, self.found.permissions)
        return kind(self.name, terms, self, self._log, limits=setup.limits, trace=setup.trace)

    def silence_counts(self) -> bool:
        return self.progress.has_begun()

    def has_registered(self, frame: RequestFrame) -> bool:
        return self.progress.has_registered(frame)

    def is_ready(self, connection: Connection) -> None:
        """The process has sent `ready`."""
        self.progress.is_ready(connection)

    def say_missing(self) -> None:
        """Tell the person that nobody waits for it any more."""
        if not self._stopping:
            self._log.line("not ready in time; nobody waits for it from now on")
            self._notify("warn", "not ready yet; until it is, its commands, its tools and its guards are not there")

    def greet(self, connection: Connection, *, first: bool) -> None:
        """Send `session_start`: after a reload only in the group with more events, which says why."""
        if "session_start" not in self.registrations.observes:
            return
        extra = {"reason": "startup" if first else "reload", "session_id": self._shared.agent_info().session_id}
        if "events2" in connection.granted:
            connection.send(frames.Event("session_start", extra=extra), droppable=True)
        elif first:
            connection.send(frames.Event("session_start"), droppable=True)

    async def restart(self, deadline: float) -> None:
        """Start it again after its end, as `start` does."""
        if self.connection is not None:
            await self.connection.stop()
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None
        if not self._stopping:
            self.failure = ""
            await self.start(deadline, first=False)

    @property
    def running(self) -> bool:
        """Whether it takes requests and events."""
        return self.connection is not None and self.connection.state == "running"

    def unanswered(self, connection: Connection, text: str) -> None:
        """It has not answered a question, whose subject is allowed: the person reads that."""
        self._log.line(text)
        self._notify("warn", text)

    def received(self, connection: Connection, frame: frames.FromExtension) -> None:
        """Handle a frame. Every class of `FromExtension` needs a case here: mypy rejects a missing one."""
        shared = self._shared
        if self.memory is not None:
            self.memory.stored.note(frame)
        match frame:
            case frames.RegisterCommand(name, description, hidden=hidden):
                self.registrations.add_command(name, description, hidden=hidden)
            case frames.Subscribe(names, intercept, options):
                self._subscribe(names, intercept, {} if options is None else options.value)
            case (
                frames.RegisterTool() | frames.UnregisterTool() | frames.ShowProgress() | frames.CallTool()
                | frames.CallToolCancel()
            ):  # fmt: skip
                self._tools.received(connection, frame)
            case frames.RegisterFlag():
                self._register_flag(frame)
            case frames.Notify(level, message):
                self._notify(level, message)
            case frames.ClearNotes():
                shared.events.notify(events.ClearNotes(self.name))
            case frames.Submit():
                self._submit(frame)
            case (
                frames.OpenPanel() | frames.PanelRender() | frames.PanelClose() | frames.PanelDraw()
                | frames.PanelKeyResult()
            ):  # fmt: skip
                shared.panels.received(connection, frame)
            case frames.HostCall() | frames.CancelCall():
                self._call(connection, frame)
            case (
                frames.RegisterProvider() | frames.UnregisterProvider() | frames.ProviderEvent() | frames.ProviderStep()
            ):
                from zot_agent.extensions.providers.frames import receive_provider_frame  # noqa: PLC0415  few serve any

                receive_provider_frame(self.registrations, connection, frame, shared.registry.providers)
            case frames.RegisterToolOps() | frames.UnregisterToolOps() | frames.OpOutput():
                self._machine_frame(connection, frame)
            case (
                frames.Hello() | frames.Ready() | frames.ShutdownAck() | frames.CommandResponse() | frames.ToolResult()
                | frames.EventInterceptResponse() | frames.ProviderResult() | frames.OpResponse()
            ):  # fmt: skip
                pass  # the connection handles these
            case _:
                self._unhandled(frame)

    def _call(self, connection: Connection, frame: frames.HostCall | frames.CancelCall) -> None:
        if isinstance(frame, frames.HostCall) and (why := call_problem(self.found.permissions, frame.method)):
            self._log.line(why)
            connection.send(frames.HostResult(frame.id, code="denied", error=why))
        elif self._calls is not None:
            self._calls.received(frame)
        elif isinstance(frame, frames.HostCall):
            error = "no group with calls was asked for in hello.capabilities, or zot grants none here"
            connection.send(frames.HostResult(frame.id, code="denied", error=error))

    def _unhandled(self, frame: Never) -> None:
        self._log.line(f"frames of type {frame.type!r} have no handler in zot; skipped")

    def ended(self, connection: Connection, why: str) -> None:
        if self._calls is not None:
            self._calls.close()
            self._calls = None
        self._tools.close()
        if (claims := self._shared.machines(None)) is not None:
            claims.ended(connection, stopped=self._stopping)
        if not self._stopping:
            self._fail(f"{why}; see zot ext logs {self.name}")
        # What it has intercepted it is still asked about, and cannot answer: that is refused, or a line names it.
        self._unregister(set() if self._stopping else self.registrations.intercepts)

    async def stop(self, why: str = "quit") -> None:
        """End the process, within the limits; `why` is for the extension: `quit` or `reload`."""
        if self.connection is not None and "session_end" in self.registrations.observes:
            extra = {"reason": "shutdown", "detail": why}
            self.connection.send(frames.Event("session_end", extra=extra), droppable=True)
        if self.memory is not None:
            await self.memory.before_stop(self.late, self.started)
        self._stopping = True
        if self.connection is not None:
            await self.connection.stop()
        if self._sandbox is not None:
            self._sandbox.close()
        self._unregister(set())
        self._log.close()

    def _unregister(self, intercepts: set[str]) -> None:
        self.registrations.end(intercepts)
        if self.connection is not None:
            self._shared.panels.drop(self.connection)
        self._shared.changed()

    def _fail(self, why: str) -> None:
        self.failure = why
        if self.memory is not None and self.progress.unfinished:
            self.memory.fail()
        self._shared.events.notify(events.Notify(self.name, "error", why))

    def _permitted_groups(self, groups: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in groups if name != "submit" or self.found.permissions.submit)

    def ack(self, hello: frames.Hello) -> frames.HelloAck:
        groups = self._permitted_groups(name for name in hello.capabilities if name in frames.CAPABILITIES)
        agent, directory = self._shared.agent_info(), self.found.directory
        ack = frames.HelloAck(
            PROTOCOL_VERSION,
            __version__,
            agent.provider,
            agent.model,
            agent.cwd,
            extension_dir=directory,
            data_dir=directory,
            capabilities=groups,
            session_id=agent.session_id,
        )
        connection, shared = self.connection, self._shared
        if connection is None or {*frames.ORIGINAL_GROUPS}.issuperset(groups):
            return ack
        if "registration_result" in groups:
            self.registrations.report_to(connection.send)
        if shared.open_calls is not None and not {*frames.CALL_GROUPS}.isdisjoint(groups):
            self._calls = shared.open_calls(connection)
        return ack if shared.greeting is None else shared.greeting(ack, self.flags)

    def _register_flag(self, frame: frames.RegisterFlag) -> None:
        if not self.found.pi and (self.flags is None or frame.name not in self.flags.values):
            why = f"the flag --{frame.name} is not in the manifest; it can never be given"
            self.registrations.refuse("flag", frame.name, why)

    def _machine_frame(
        self, connection: Connection, frame: frames.RegisterToolOps | frames.UnregisterToolOps | frames.OpOutput
    ) -> None:
        claims = self._shared.machines(connection)
        if claims is not None:
            claims.received(self.registrations, connection, frame)

    def _subscribe(self, names: Iterable[str], intercept: Iterable[str], options: Mapping[str, Any]) -> None:
        groups = () if self.connection is None else self.connection.granted
        intercepts = self.registrations.subscribe(names, intercept, groups)
        if not self.registrations.loading:
            self.progress.intercepts |= intercepts
            if refused := [each for each in intercept if each not in intercepts]:
                self._notify("warn", f"it is not asked about {', '.join(refused):.200}, so it cannot refuse that")
        if options and self.connection is not None:
            self.connection.intercept_options |= self.progress.guarded(read_options(options, self._log.line))
        self.registrations.change()

    def _submit(self, frame: frames.Submit) -> None:
        if self.found.permissions.submit:
            self._shared.events.notify(events.Submit(self.name, frame.text))
        else:
            self._log.line(not_permitted("to submit a prompt", "submit"))

    def _notify(self, level: str, message: str) -> None:
        self._shared.events.notify(events.Notify(self.name, _LEVELS.get(level, "info"), message))
