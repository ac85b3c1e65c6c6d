"""`HandlerRunner`: runs the handlers of an extension and turns their answers into frames."""

from __future__ import annotations

from zot_ext.answers import command_frame, tool_frame
from zot_ext.protocol.from_extension import CommandResponse, ToolResult
from zot_ext.protocol.values import TextBlock
from zot_ext.runtime.threads import LoopThread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from zot_ext.calls.caller import Caller
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.from_host import (
        CommandInvoked,
        Event,
        EventIntercept,
        HelloAck,
        PanelClose,
        PanelKey,
        ToolCall,
    )
    from zot_ext.registrations import Registrations


class HandlerRunner:
    """Calls the registered handlers, plain and `async`, in the thread of the caller.

    Failures of observers and panels go to the log. Handlers of requests may raise anything.
    """

    def __init__(self, registrations: Registrations, log: Callable[[str], None], caller: Caller | None = None) -> None:
        """`caller` cancels the coroutines whose answers nobody waits for."""
        self._registrations = registrations
        self._log = log
        self._loop = LoopThread(None if caller is None else caller.running)

    def greet(self, host: HelloAck | None) -> None:
        """Run the `on_hello` handlers."""
        for handler in list(self._registrations.hello):
            self._call_logged("on_hello", handler, host)

    def observe(self, frame: Event) -> None:
        """Run the observers of an event."""
        for handler in list(self._registrations.events[frame.event]):
            self._call_logged(f"event {frame.event!r}", handler, frame)

    def press_key(self, frame: PanelKey) -> None:
        """Pass a key to its panel and draw the panel again."""
        panel = self._registrations.panels.get(frame.panel_id)
        if panel is None or not panel.is_open:
            return  # closed while the key was on its way
        if panel.key_handler is not None:
            self._call_logged(f"panel {panel.id!r}, key {frame.key!r}", panel.key_handler, frame)
        self._call_logged(f"panel {panel.id!r}, render", panel.refresh)

    def close_panel(self, frame: PanelClose) -> None:
        """Mark a panel as closed and run its `on_close` handler."""
        panel = self._registrations.panels.get(frame.panel_id)
        if panel is not None and panel.is_open:
            panel.is_open = False
            if panel.close_handler is not None:
                self._call_logged(f"panel {panel.id!r}, close", panel.close_handler)

    def run_command(self, frame: CommandInvoked) -> FromExtension:
        """Run a slash command and return the reply."""
        command = self._registrations.commands.get(frame.name)
        if command is None:
            return CommandResponse(frame.id, error=f"no command {frame.name!r} here")
        reply = command_frame(frame.id, self._call(command.handler, frame.args))
        if reply.open_panel is not None and reply.open_panel.id in self._registrations.panels:
            self._registrations.panels[reply.open_panel.id].is_open = True
        return reply

    def call_tool(self, frame: ToolCall) -> FromExtension:
        """Call a tool and return its result."""
        from zot_ext.schema import BadArguments  # noqa: PLC0415 - loaded with the first tool

        tool = self._registrations.tools.get(frame.name)
        if tool is None:
            return ToolResult(frame.id, (TextBlock(f"no tool {frame.name!r} here"),), is_error=True)
        try:
            return tool_frame(frame.id, self._call(tool.handler, frame.args.value))
        except BadArguments as error:  # the model's mistake, not the extension's
            return ToolResult(frame.id, (TextBlock(str(error)),), is_error=True)

    def intercept(self, frame: EventIntercept) -> FromExtension:
        """Run the interceptors of an event and return their combined reply."""
        from zot_ext.interception import intercept_frame  # noqa: PLC0415 - loaded with the first interceptor

        return intercept_frame(
            frame,
            self._registrations.interceptors.get(frame.event, ()),
            self._call,
            lambda error: self.log_failure(f"interceptor of {frame.event!r}", error),
        )

    def log_failure(self, what: str, error: BaseException) -> None:
        """Write an exception with its traceback to the log."""
        from traceback import format_exception  # noqa: PLC0415 - only failures need it

        self._log(f"{what} failed: {type(error).__name__}: {error}\n{''.join(format_exception(error)).rstrip()}")

    def stop(self, seconds: float) -> None:
        """Cancel the coroutines that still run; wait at most `seconds` for them."""
        self._loop.stop(seconds)

    def _call(self, handler: Callable[..., Any], *args: object) -> object:
        answer: Any = handler(*args)
        return self._loop.run(answer) if hasattr(answer, "__await__") else answer

    def _call_logged(self, what: str, handler: Callable[..., Any], *args: object) -> None:
        try:
            self._call(handler, *args)
        except BaseException as error:  # noqa: BLE001 - a foreign handler; its failure is written to the log
            self.log_failure(what, error)
