"""`ManagedExtension`: one extension of a set, from its start to its end."""

import asyncio
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Never

from zot_agent.extensions.calls.intercept_options import read_options
from zot_agent.extensions.connection import Connection
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.launch import LaunchError, command, environment
from zot_agent.extensions.log import ExtensionLog
from zot_agent.extensions.panels import Panels
from zot_agent.extensions.registry import ExtensionRegistry, NameConflict, RegistrationError
from zot_agent.extensions.trace import Trace
from zot_agent.version import __version__
from zot_core.conversation import events
from zot_core.hooks import Observe
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol import PROTOCOL_VERSION
from zot_ext.protocol import from_extension as frames
from zot_ext.protocol.from_extension import FromExtension
from zot_ext.protocol.from_host import INTERCEPTS, Event, HelloAck, HostResult
from zot_ext.protocol.permissions import granted, may_call, may_intercept, may_observe, must_confine
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_agent.extensions.calls.open_calls import OpenCalls
    from zot_agent.extensions.calls.registration_results import RegistrationResults
    from zot_core.sandbox.sandbox import Sandbox

_LEVELS: dict[str, events.Level] = {
    "info": "info",
    "success": "success",
    "warn": "warn",
    "warning": "warn",
    "error": "error",
}
"""Levels of notes by their names on the wire; unknown names count as "info"."""


class SharedState(Record):
    """What all extensions of a set share. `changed` is called when names or subscriptions have changed, `name_taken`
    when an extension cannot have a name. `removed_env` are environment variables that only extensions get whose
    manifest names them. `open_calls` and `greeting` serve extensions with calls, which need both."""

    registry: ExtensionRegistry
    panels: Panels
    events: Observe[events.ExtensionEvent]
    limits: ExtensionLimits
    agent_info: Callable[[], AgentInfo]
    home: str
    trace: Trace | None
    changed: Callable[[], None]
    name_taken: Callable[[NameConflict], None]
    removed_env: Collection[str] = frozenset()
    open_calls: "Callable[[Connection], OpenCalls] | None" = None
    greeting: Callable[[HelloAck], HelloAck] | None = None


class ManagedExtension:
    """A discovered extension and its process. `position` is its place in the load order, from 0."""

    started: "asyncio.Task[None]"
    """Ends, and never raises, when the extension has registered its commands and tools or could not be started."""

    def __init__(self, position: int, found: DiscoveredExtension, shared: SharedState) -> None:
        self.position, self.found, self.name = position, found, found.name
        self.permissions = found.permissions
        self.observes: set[str] = set()
        self.intercepts: set[str] = set()
        self.name_conflicts: list[NameConflict] = []
        """Names that it could not have, a line each."""
        self.failure = ""
        """Why it does not run; empty while it does."""
        self.connection: Connection | None = None
        self.names: RegistrationResults | None = None
        """What became of its registrations, if it wants to know."""
        self._calls: OpenCalls | None = None
        self._shared = shared
        self._log = ExtensionLog(shared.home, found.name)
        self._sandbox: Sandbox | None = None
        self._stopping = False
        self._asked: set[str] = set()  # what it has intercepted when it ended

    async def start(self, deadline: float, *, first: bool) -> None:
        """Start the process and wait for its registrations: for the hello within the limits, for the rest until
        `deadline` (a time of the loop's clock). With `first` it gets the event `session_start`."""
        limits = self._shared.limits
        if self._log.problem:
            self._notify("warn", self._log.problem)
        try:
            argv = command(self.found.manifest, self.found.directory)
            env = environment(removed=set(self._shared.removed_env) - set(self.found.manifest.env))
            around = self._shared.agent_info().sandbox
            if around is not None or must_confine(self.permissions):
                # In a thread: the first one tries whether there is a sandbox here.
                self._sandbox = await asyncio.to_thread(self._open_sandbox)
            sandbox = self._sandbox
            connection = self.connection = Connection(
                self.name,
                argv,
                self.found.directory,
                env=env if sandbox is None else sandbox.environment(env),
                listener=self,
                ack=self._ack,
                log=self._log,
                limits=limits,
                trace=self._shared.trace,
                sandbox=sandbox,
                may_run=self.permissions.exec,
            )
            await connection.start()
        except LaunchError as error:
            self._log.line(str(error))
            self._fail(str(error))
            return
        await connection.wait_greeted()
        left = deadline - asyncio.get_running_loop().time()
        try:
            await asyncio.wait_for(connection.wait_ready(), max(left, limits.ready_idle_seconds))
        except TimeoutError:
            self._log.line("not ready in time; it counts as ready from now on")
        if first and "session_start" in self.observes:
            connection.send(Event("session_start"), droppable=True)

    def _open_sandbox(self) -> "Sandbox":
        """Return what confines the process. Raises `LaunchError`."""
        from zot_agent.extensions.permissions.confinement import extension_sandbox  # noqa: PLC0415  few extensions have permissions

        return extension_sandbox(self.found, self._shared.agent_info(), self._shared.home)

    @property
    def running(self) -> bool:
        """Whether it takes requests and events."""
        return self.connection is not None and self.connection.state == "running"

    def received(self, connection: Connection, frame: FromExtension) -> None:
        """Handle a frame. Every class of `FromExtension` needs a case here: mypy rejects a missing one."""
        shared = self._shared
        match frame:
            case frames.RegisterCommand():
                self._register_command(frame)
            case frames.RegisterTool():
                self._register_tool(frame)
            case frames.Subscribe():
                self._subscribe(frame)
            case frames.Notify():
                self._notify(frame.level, frame.message)
            case frames.ClearNotes():
                shared.events.notify(events.ClearNotes(self.name))
            case frames.Submit():
                self._submit(frame)
            case frames.OpenPanel() | frames.PanelRender() | frames.PanelClose():
                shared.panels.received(connection, frame)
            case frames.HostCall() | frames.CancelCall():
                self._call(connection, frame)
            case frames.Hello() | frames.Ready() | frames.ShutdownAck() | frames.CommandResponse():
                pass  # the connection handles these, and the replies
            case frames.ToolResult() | frames.EventInterceptResponse():
                pass
            case _:
                self._unhandled(frame)

    def _call(self, connection: Connection, frame: frames.HostCall | frames.CancelCall) -> None:
        if isinstance(frame, frames.HostCall) and not may_call(self.permissions, frame.method):
            why = f"the call {frame.method!r} is refused: the permissions of its manifest do not have it"
            self._log.line(why)
            connection.send(HostResult(frame.id, code="denied", error=why))
        elif self._calls is not None:
            self._calls.received(frame)
        elif isinstance(frame, frames.HostCall):
            error = "no group with calls was asked for in hello.capabilities, or zot grants none here"
            connection.send(HostResult(frame.id, code="denied", error=error))

    def _unhandled(self, frame: Never) -> None:
        self._log.line(f"frames of type {getattr(frame, 'type', '')!r} have no handler in zot; skipped")

    def ended(self, connection: Connection, why: str) -> None:
        """The process has ended."""
        if self._calls is not None:
            self._calls.close()
        if not self._stopping:
            self._fail(f"{why}; see zot ext logs {self.name}")
        self._unregister()
        if not self._stopping:  # a guard that must not fail open is still asked, and refuses
            options = connection.intercept_options.items()
            self.intercepts = {event for event, each in options if each.blocks_on_exit and event in self._asked}

    async def stop(self) -> None:
        """End the process, within the limits."""
        self._stopping = True
        if self.connection is not None:
            await self.connection.stop()
        if self._sandbox is not None:
            self._sandbox.close()
        self._unregister()
        self._log.close()

    def log(self, text: str) -> None:
        """Add a line to the log of the extension."""
        self._log.line(text)

    def _unregister(self) -> None:
        self._asked, self.observes, self.intercepts = self.intercepts, set(), set()
        self._shared.registry.drop(self.position)
        if self.connection is not None:
            self._shared.panels.drop(self.connection)
        self._shared.changed()

    def _fail(self, why: str) -> None:
        self.failure = why
        self._shared.events.notify(events.Notify(self.name, "error", why))

    def _ack(self, hello: frames.Hello) -> HelloAck:
        agent, directory = self._shared.agent_info(), self.found.directory
        refused = () if self.permissions.submit else ("submit",)
        groups = tuple(name for name in hello.capabilities if name in frames.CAPABILITIES and name not in refused)
        ack = HelloAck(
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
        if connection is None or {*frames.CALL_GROUPS, "registration_result"}.isdisjoint(groups):
            return ack
        if "registration_result" in groups:
            from zot_agent.extensions.calls.registration_results import RegistrationResults  # noqa: PLC0415  few ask

            self.names = RegistrationResults(connection, self.position, shared.registry)
        if shared.open_calls is not None:
            self._calls = shared.open_calls(connection)
        return ack if shared.greeting is None else shared.greeting(ack)

    def _register_command(self, frame: frames.RegisterCommand) -> None:
        try:
            if not granted(frame.name.removeprefix("/"), self.permissions.commands):
                raise RegistrationError(_refused(f"the command {frame.name!r}", "commands"))
            conflict = self._shared.registry.add_command(self.position, self.name, frame.name, frame.description)
        except RegistrationError as error:
            self._refuse("command", frame.name, str(error))
        else:
            self._registered("command", frame.name, conflict)

    def _register_tool(self, frame: frames.RegisterTool) -> None:
        registry = self._shared.registry
        try:
            if not granted(frame.name, self.permissions.tools):
                raise RegistrationError(_refused(f"the tool {frame.name!r}", "tools"))
            conflict = registry.add_tool(self.position, self.name, frame.name, frame.description, frame.schema)
        except RegistrationError as error:
            self._refuse("tool", frame.name, str(error))
        else:
            self._registered("tool", frame.name, conflict)

    def _refuse(self, kind: str, name: str, why: str) -> None:
        self._log.line(why)
        if self.names is not None:
            self.names.rejected(kind, name, why)

    def _registered(self, kind: str, name: str, conflict: NameConflict | None) -> None:
        if self.names is not None:
            self.names.add(kind, name)
        if conflict is not None:
            self._shared.name_taken(conflict)
        self._shared.changed()

    def _subscribe(self, frame: frames.Subscribe) -> None:
        for name in frame.events:
            if may_observe(self.permissions, name):
                self.observes.add(name)
            else:
                self._refuse("event", name, _refused(f"to observe {name}", "conversation"))
        for name in frame.intercept:
            if name not in INTERCEPTS:
                self._refuse("intercept", name, f"there is no intercept {name!r}; it is ignored")
            elif may_intercept(self.permissions, name):
                self.intercepts.add(name)
            else:
                self._refuse("intercept", name, _refused(f"to intercept {name}", "intercept"))
        if frame.intercept_options is not None and self.connection is not None:
            self.connection.intercept_options |= read_options(frame.intercept_options, self._log.line)
        self._shared.changed()

    def _submit(self, frame: frames.Submit) -> None:
        if self.permissions.submit:
            self._shared.events.notify(events.Submit(self.name, frame.text))
        else:
            self._log.line(_refused("to submit a prompt", "submit"))

    def _notify(self, level: str, message: str) -> None:
        self._shared.events.notify(events.Notify(self.name, _LEVELS.get(level, "info"), message))


def _refused(what: str, permission: str) -> str:
    return f"{what} is refused: permissions.{permission} of its manifest does not have it"
