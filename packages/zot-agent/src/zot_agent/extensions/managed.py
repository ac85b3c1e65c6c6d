"""`Member`: one extension of a set: brought up, listened to, ended."""

import asyncio
from collections.abc import Callable
from typing import Any

from zot_agent.extensions.connection import Connection
from zot_agent.extensions.discover import Found
from zot_agent.extensions.hooks import Setting
from zot_agent.extensions.launch import LaunchError, command, environment
from zot_agent.extensions.log import ExtensionLog
from zot_agent.extensions.panels import Panels
from zot_agent.extensions.registry import RegistrationError, Registry, Shadow
from zot_agent.extensions.trace import Trace
from zot_agent.version import __version__
from zot_core.conversation import events
from zot_core.hooks import Observe
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol import PROTOCOL_VERSION
from zot_ext.protocol import from_extension as frames
from zot_ext.protocol.from_host import INTERCEPTS, Event, HelloAck
from zot_provider.record import Record, record

_LEVELS: dict[str, events.Level] = {
    "info": "info",
    "success": "success",
    "warn": "warn",
    "warning": "warn",
    "error": "error",
}
"""Levels of notes; unknown ones are "info"."""


@record
class SharedState(Record):
    """What the members of one set share. `changed` is called when names or subscriptions are others than before."""

    registry: Registry
    panels: Panels
    events: Observe[events.ExtensionEvent]
    limits: ExtensionLimits
    about: Callable[[], Setting]
    home: str
    trace: Trace | None
    changed: Callable[[], None]
    shadowed: Callable[[Shadow], None]


class Member:
    """An extension that was found, and its process. `position` is its place in the load order."""

    up: "asyncio.Task[None]"
    """Ends, without ever raising, when the extension has registered what it brings, or could not be started."""

    def __init__(self, position: int, found: Found, board: SharedState) -> None:
        self.position, self.found, self.name = position, found, found.name
        self.observes: set[str] = set()
        self.intercepts: set[str] = set()
        self.shadows: list[str] = []
        """Names it could not have, a line each."""
        self.failure = ""
        """Why it does not run; empty while it does."""
        self.connection: Connection | None = None
        self._board = board
        self._log = ExtensionLog(board.home, found.name)
        self._stopping = False
        self._handlers: dict[type, Callable[[Connection, Any], None]] = {
            frames.RegisterCommand: self._register_command,
            frames.RegisterTool: self._register_tool,
            frames.Subscribe: self._subscribe,
            frames.Notify: lambda _, frame: self._notify(frame.level, frame.message),
            frames.ClearNotes: lambda _, frame: board.events.notify(events.ClearNotes(self.name)),
            frames.Submit: lambda _, frame: board.events.notify(events.Submit(self.name, frame.text)),
            frames.OpenPanel: lambda connection, frame: board.panels.open(connection, frame.panel),
            frames.PanelRender: lambda connection, frame: board.panels.render(connection, frame),
            frames.PanelClose: lambda connection, frame: board.panels.closed_by(connection, frame.panel_id),
        }

    async def bring_up(self, deadline: float, *, first: bool) -> None:
        """Start the process and wait for its registrations: for the hello as long as the limits say, for the rest until
        `deadline` (of the loop's clock). `first`: it is told of the start of the session."""
        board, limits = self._board, self._board.limits
        if self._log.problem:
            self._notify("warn", self._log.problem)
        try:
            argv = command(self.found.manifest, self.found.directory)
            connection = self.connection = Connection(
                self.name,
                argv,
                self.found.directory,
                env=environment(),
                handler=self,
                ack=self._ack,
                log=self._log,
                limits=limits,
                trace=board.trace,
            )
            await connection.start()
        except LaunchError as error:
            self._log.line(str(error))
            self._failed(str(error))
            return
        await connection.wait_greeted()
        left = deadline - asyncio.get_running_loop().time()
        try:
            await asyncio.wait_for(connection.wait_ready(), max(left, limits.ready_idle_seconds))
        except TimeoutError:
            self._log.line("not ready in time; it counts as ready from now on")
        if first and "session_start" in self.observes:
            connection.send(Event("session_start"), droppable=True)

    @property
    def running(self) -> bool:
        """Whether it can be asked and told."""
        return self.connection is not None and self.connection.state == "running"

    def received(self, connection: Connection, frame: object) -> None:
        """A frame that is no reply."""
        self._handlers[type(frame)](connection, frame)

    def ended(self, connection: Connection, why: str) -> None:
        """The process is gone."""
        if not self._stopping:
            self._failed(f"{why}; see zot ext logs {self.name}")
        self._forget()

    async def stop(self) -> None:
        """End the process, within the limits."""
        self._stopping = True
        if self.connection is not None:
            await self.connection.stop()
        self._forget()
        self._log.close()

    def log(self, text: str) -> None:
        """A line of the host's in the extension's log."""
        self._log.line(text)

    def _forget(self) -> None:
        self.observes, self.intercepts = set(), set()
        self._board.registry.drop(self.position)
        if self.connection is not None:
            self._board.panels.drop(self.connection)
        self._board.changed()

    def _failed(self, why: str) -> None:
        self.failure = why
        self._board.events.notify(events.Notify(self.name, "error", why))

    def _ack(self, hello: frames.Hello) -> HelloAck:
        about, directory = self._board.about(), self.found.directory
        granted = tuple(name for name in hello.capabilities if name in frames.CAPABILITIES)
        return HelloAck(
            PROTOCOL_VERSION,
            __version__,
            about.provider,
            about.model,
            about.cwd,
            extension_dir=directory,
            data_dir=directory,
            capabilities=granted,
            session_id=about.session_id,
        )

    def _register_command(self, connection: Connection, frame: frames.RegisterCommand) -> None:
        try:
            shadow = self._board.registry.add_command(self.position, self.name, frame.name, frame.description)
        except RegistrationError as error:
            self._log.line(str(error))
        else:
            self._registered(shadow)

    def _register_tool(self, connection: Connection, frame: frames.RegisterTool) -> None:
        registry = self._board.registry
        try:
            shadow = registry.add_tool(self.position, self.name, frame.name, frame.description, frame.schema)
        except RegistrationError as error:
            self._log.line(str(error))
        else:
            self._registered(shadow)

    def _registered(self, shadow: Shadow | None) -> None:
        if shadow is not None:
            self._board.shadowed(shadow)
        self._board.changed()

    def _subscribe(self, connection: Connection, frame: frames.Subscribe) -> None:
        self.observes.update(frame.events)
        for name in frame.intercept:
            if name in INTERCEPTS:
                self.intercepts.add(name)
            else:
                self._log.line(f"there is no intercept {name!r}; it is ignored")
        self._board.changed()

    def _notify(self, level: str, message: str) -> None:
        self._board.events.notify(events.Notify(self.name, _LEVELS.get(level, "info"), message))
