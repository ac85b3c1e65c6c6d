"""`HandlerRunner`: runs the handlers of an extension and turns their answers into frames."""

from __future__ import annotations

from zot_ext.answers import command_frame, tool_frame
from zot_ext.protocol.from_extension import CommandResponse, EventInterceptResponse, ToolResult
from zot_ext.protocol.raw import RawObject
from zot_ext.protocol.values import TextBlock
from zot_ext.runtime.threads import LoopThread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from zot_ext.calls.caller import Caller
    from zot_ext.calls.panels import PanelFrame, ScreenPanel
    from zot_ext.panel import Panel
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
        self.log = log
        self._loop = LoopThread(None if caller is None else caller.running)

    def greet(self, host: HelloAck | None) -> bool:
        """Run the `on_hello` handlers; return whether the extension is ready then. After a failure the start is not
        complete."""
        ready = True
        for handler in list(self._registrations.hello):
            try:
                ready = self.call(handler, host) is not False and ready
            except BaseException as error:  # noqa: BLE001 - a foreign handler; the host learns that it has failed
                self.log_failure("on_hello", error)
                self._registrations.missing.append(f"on_hello failed: {type(error).__name__}: {error}")
        return ready

    def observe(self, frame: Event) -> None:
        for handler in list(self._registrations.events[frame.event]):
            self._call_logged(f"event {frame.event!r}", handler, frame)

    def _press_key(self, panel: Panel, frame: PanelKey) -> None:
        answer: object = None
        if panel.key_handler is not None:
            answer = self._call_logged(f"panel {panel.id!r}, key {frame.key!r}", panel.key_handler, frame)
        self._call_logged(f"panel {panel.id!r}, render", panel.refresh)
        panel.answer_key(frame.seq, consumed=answer is not False)

    def use_panel(self, frame: PanelFrame) -> None:
        """Pass what happened to an open panel to its handler, and draw the panel again."""
        panel: Any = self._registrations.panels.get(frame.panel_id)
        if panel is None or not panel.is_open:
            return  # closed while the frame was on its way
        if frame.type == "panel_key":
            self._press_key(panel, frame)  # type: ignore[arg-type]
        elif panel.group == "panels2":
            panel.receive(frame, self._call_logged)

    def tick_panel(self, panel: ScreenPanel, handler: Callable[..., object]) -> None:
        panel.ticked(handler, self._call_logged)

    def close_panel(self, frame: PanelClose) -> Callable[[], None] | None:
        """Note that the host has closed a panel; return its handler of that, None if it has none or was closed."""
        panel = self._registrations.panels.get(frame.panel_id)
        if panel is None or not panel.is_open:
            return None
        panel.closed()
        handler = panel.close_handler
        if handler is None:
            return None

        def run() -> None:
            self._call_logged(f"panel {frame.panel_id!r}, close", handler)

        return run

    def run_command(self, frame: CommandInvoked) -> FromExtension:
        """Run a slash command and return the reply."""
        command = self._registrations.commands.get(frame.name)
        if command is None:
            return CommandResponse(frame.id, error=f"no command {frame.name!r} here")
        reply = command_frame(frame.id, self.call(command.handler, frame.args))
        if reply.open_panel is not None and reply.open_panel.id in self._registrations.panels:
            self._registrations.panels[reply.open_panel.id].is_open = True
        return reply

    def call_tool(self, frame: ToolCall) -> FromExtension:
        from zot_ext.schema import BadArguments  # noqa: PLC0415 - loaded with the first tool

        tool = self._registrations.tools.get(frame.name)
        if tool is None:
            return ToolResult(frame.id, (TextBlock(f"no tool {frame.name!r} here"),), is_error=True)
        try:
            return tool_frame(frame.id, self.call(tool.handler, frame.args.value))
        except BadArguments as error:  # the model's mistake, not the extension's
            return ToolResult(frame.id, (TextBlock(str(error)),), is_error=True)

    def intercept(self, frame: EventIntercept) -> FromExtension:
        """Run the interceptors of an event and return their combined reply."""
        if frame.event == "tool_prepare":
            return self._prepare(frame)
        screen = self._registrations.screen
        if screen is not None and frame.event in screen.questions:
            return screen.answer(frame, self.call)
        from zot_ext.interception import intercept_frame  # noqa: PLC0415 - loaded with the first interceptor

        return intercept_frame(
            frame,
            self._registrations.interceptors.get(frame.event, ()),
            self.call,
            lambda error: self.log_failure(f"interceptor of {frame.event!r}", error),
        )

    def _prepare(self, frame: EventIntercept) -> FromExtension:
        """Return the arguments as the tool wants them; unchanged if its function fails."""
        tool = self._registrations.tools.get(frame.tool_name)
        prepare = None if tool is None else tool.options.get("prepare")
        if prepare is None or frame.tool_args is None:
            return EventInterceptResponse(frame.id)
        changed = self.call(prepare, dict(frame.tool_args.value))
        if changed is None:
            return EventInterceptResponse(frame.id)
        if not isinstance(changed, dict):
            raise TypeError(f"the arguments of {frame.tool_name} must be a dictionary, not {type(changed).__name__}")
        return EventInterceptResponse(frame.id, modified_args=RawObject.from_value(changed))

    def log_failure(self, what: str, error: BaseException) -> None:
        from traceback import format_exception  # noqa: PLC0415 - only failures need it

        self.log(f"{what} failed: {type(error).__name__}: {error}\n{''.join(format_exception(error)).rstrip()}")

    def stop(self, seconds: float) -> None:
        """Cancel the coroutines that still run; wait at most `seconds` for them."""
        self._loop.stop(seconds)

    def call(self, handler: Callable[..., Any], *args: object) -> object:
        """Run a handler, plain or `async`, and return its answer. Raises what it raises."""
        answer: Any = handler(*args)
        return self._loop.run(answer) if hasattr(answer, "__await__") else answer

    def _call_logged(self, what: str, handler: Callable[..., Any], *args: object) -> object:
        try:
            return self.call(handler, *args)
        except BaseException as error:  # noqa: BLE001 - a foreign handler; its failure is written to the log
            self.log_failure(what, error)
            return None
