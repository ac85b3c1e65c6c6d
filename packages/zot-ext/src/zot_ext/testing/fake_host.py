"""`FakeHost`: a host for tests, for an extension in this process or for a process in any language."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.protocol.events import BUS, fits
from zot_ext.protocol.from_extension import (
    CommandResponse,
    EventInterceptResponse,
    Hello,
    HostCall,
    Ready,
    RegisterCommand,
    RegisterTool,
    ShutdownAck,
    Subscribe,
    ToolResult,
)
from zot_ext.protocol.from_host import CommandInvoked, Event, HelloAck, HostResult, Shutdown, ToolCall
from zot_ext.protocol.groups.providers import ProviderEvent, ProviderResult
from zot_ext.protocol.groups.tools import CallTool, UnregisterTool
from zot_ext.protocol.raw import RawObject
from zot_ext.testing.fake_answers import call_result, tool_answer
from zot_ext.testing.machine_user import FakeMachineUser
from zot_ext.testing.panel_user import ROOM, FakePanelUser
from zot_ext.testing.screen_user import REGISTRATIONS, FakeScreenUser

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from zot_ext.extension import Extension
    from zot_ext.limits import ExtensionLimits
    from zot_ext.protocol.frame import Unknown
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import FromHost
    from zot_ext.testing.fake_answers import Answer, ToolText


F = TypeVar("F")
R = TypeVar("R", CommandResponse, ToolResult, EventInterceptResponse, ProviderEvent, ProviderResult)


class FakeHost(FakePanelUser, FakeScreenUser, FakeMachineUser):
    """Drives one extension over real pipes. As a context manager it greets first and shuts down last.

    Everything that the extension has sent is in `frames`, in order; lines that are not frames are in `noise`. A
    wait that exceeds its limit raises `TimeoutError`, which lists what was received instead.
    """

    def __init__(
        self,
        extension: Extension | subprocess.Popen[bytes],
        *,
        provider: str = "fake",
        model: str = "fake",
        cwd: str = "/project",
        data_dir: str = "",
        session_id: str = "",
        capabilities: Sequence[str] = (),
        flags: Mapping[str, bool | int | str] | None = None,
        calls: Mapping[str, Answer] | None = None,
        host_tools: Mapping[str, ToolText] | None = None,
        limits: ExtensionLimits = DEFAULT_LIMITS,
    ) -> None:
        """Take an `Extension`, or a process whose standard input and output are pipes.

        The host grants `capabilities`; without any it behaves like an original host, with an empty `data_dir` like an
        even older one. Calls for another session than `session_id` are stale. `flags` are those on its command line,
        with their values. `calls` answers the calls of the extension, by method: with the fields of a result, or with
        a function that takes the parameters and returns them, or raises `HostError`. Other calls are `unavailable`.
        `host_tools` are the tools that the extension can call, by name: the text of the result, or a function that
        takes the arguments and returns it; what it raises is the error.
        """
        self.ack = HelloAck(
            1, "fake", provider, model, cwd, data_dir, data_dir, tuple(capabilities), session_id=session_id,
            flags=None if flags is None else RawObject.from_value(flags), explicit_flags=tuple(flags or ()),
        )  # fmt: skip
        super().__init__(extension, limits)
        self.calls = {"bus.emit": {"receivers": 0}, **REGISTRATIONS, **ROOM, **(calls or {})}
        self.host_tools = dict(host_tools or {})
        self._commands: set[str] = set()  # that are not answered

    def greet(self) -> None:
        """Wait for `hello`, answer it, and wait until the extension is ready; silence counts as ready too."""
        self.wait_for(Hello, seconds=self.limits.hello_seconds)
        self.send(self.ack)
        with suppress(TimeoutError):
            self.wait_for(Ready, seconds=self.limits.ready_total_seconds)

    def __enter__(self) -> FakeHost:
        self.start()
        self.greet()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and not self._ended:
            self.shutdown()
        self.close()

    # Actions of a host

    def command(self, name: str, args: str = "") -> CommandResponse:
        """Run a command and wait for its reply."""
        invoked = CommandInvoked(self.new_id(), name, args)
        self._commands.add(invoked.id)
        try:
            return self.ask(invoked, CommandResponse, self.limits.command_seconds)
        finally:
            self._commands.discard(invoked.id)

    def tool(self, name: str, args: Mapping[str, object] | str | None = None) -> ToolResult:
        """Call a tool with a dictionary, or with the exact JSON text of one, and wait for its result."""
        raw = RawObject(args) if isinstance(args, str) else RawObject.from_value(args or {})
        return self.ask(ToolCall(self.new_id(), name, raw), ToolResult, self.limits.tool_seconds)

    def prepare(self, name: str, args: Mapping[str, object]) -> dict[str, object] | None:
        """Ask for the arguments of a tool with `prepare`; None if they stay as they are."""
        answer = self.intercept("tool_prepare", tool_name=name, tool_args=args)
        return None if answer.modified_args is None else answer.modified_args.value

    def intercept_call(self, name: str, args: Mapping[str, object]) -> EventInterceptResponse:
        """Ask about a tool call."""
        return self.intercept("tool_call", tool_id="call", tool_name=name, tool_args=args)

    def bus(self, channel: str, data: object = None, sender: str = "other") -> None:
        """Send a message of another extension, once for each pattern of the extension that covers the channel."""
        names = dict.fromkeys(name for each in self.sent(Subscribe) for name in each.events if name.startswith(BUS))
        for name in names:
            if fits(name.removeprefix(BUS), channel):
                self.send(Event(name, extra={"channel": channel, "data": data, "from": sender}))

    @property
    def emitted(self) -> list[tuple[str, object]]:
        """The messages that the extension has sent to others: their channels and data."""
        sent = [call.params.value for call in self.sent(HostCall) if call.method == "bus.emit" and call.params]
        return [(str(params["channel"]), params.get("data")) for params in sent]

    def shutdown(self) -> None:
        """Ask the extension to end; wait for `shutdown_ack` and for the end of its output."""
        self.send(Shutdown())
        self.wait_for(ShutdownAck, seconds=self.limits.shutdown_seconds)
        self._wait(lambda: self._ended or None, self.limits.kill_seconds, "the end")

    @property
    def commands(self) -> dict[str, RegisterCommand]:
        return {frame.name: frame for frame in self.sent(RegisterCommand)}

    @property
    def tools(self) -> dict[str, RegisterTool]:
        """The registered tools that were not taken back, by name."""
        found: dict[str, RegisterTool] = {}
        with self._changed:
            for frame in self.frames:
                if isinstance(frame, RegisterTool):
                    found[frame.name] = frame
                elif isinstance(frame, UnregisterTool):
                    found.pop(frame.name, None)
        return found

    def received(self, frame: FromExtension | Unknown) -> None:
        if isinstance(frame, CallTool):
            self._start_thread(lambda: self._answer(tool_answer(frame, self.host_tools)))
        if isinstance(frame, HostCall):
            self._start_thread(lambda: self._answer(self._result(frame)))

    def _answer(self, frame: FromHost) -> None:
        """Send a frame, unless the extension or this host has closed the pipe meanwhile."""
        with suppress(OSError):
            self.send(frame)

    def _result(self, call: HostCall) -> HostResult:
        in_command = call.parent_id in self._commands
        return call_result(call, self.calls.get(call.method), self.ack, in_command=in_command)
