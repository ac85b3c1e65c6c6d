"""`ToolFrames`: the frames of one extension about tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zot_agent.extensions import frames
from zot_agent.extensions.connection import Connection
from zot_agent.extensions.hooks.registrations import OwnRegistrations
from zot_agent.extensions.registry import RegistrationError, tool_offer
from zot_ext.limits import ExtensionLimits

if TYPE_CHECKING:
    from typing import TypeAlias

    from zot_agent.extensions.tool_calls.call_tool import ToolCaller
    from zot_agent.extensions.tools import AgentTools

    ToolFrame: TypeAlias = (
        frames.RegisterTool | frames.UnregisterTool | frames.ShowProgress | frames.CallTool | frames.CallToolCancel
    )


class ToolFrames:
    """Registers the tools of an extension, takes the progress of their calls, and lets it call `tools` of the agent."""

    def __init__(self, own: OwnRegistrations, tools: AgentTools | None, limits: ExtensionLimits) -> None:
        self._own, self._tools, self._limits = own, tools, limits
        self._caller: ToolCaller | None = None

    def received(self, connection: Connection, frame: ToolFrame) -> None:
        if isinstance(frame, frames.RegisterTool):
            self._register(frame)
            return
        group = "call_tool" if isinstance(frame, frames.CallTool | frames.CallToolCancel) else "tools2"
        if group not in connection.granted:
            self._own.log(f"a frame {frame.type!r} needs the group {group!r}, which hello.capabilities does not have")
        elif isinstance(frame, frames.CallTool | frames.CallToolCancel):
            self._call(connection, frame)
        elif isinstance(frame, frames.UnregisterTool):
            self._own.remove_tool(frame.name)
        elif connection.pending.has(frame.id) and frame.id in connection.pending.tool_calls:
            connection.pending.tool_calls[frame.id].progress.add(frame.text)

    def close(self) -> None:
        """The extension has ended: take its calls back, and give back the tools that it has taken from the model."""
        if self._caller is not None:
            self._caller.close()
            self._caller = None  # of this connection
        if self._tools is not None:
            self._tools.ended(self._own.name)

    def _register(self, frame: frames.RegisterTool) -> None:
        try:
            offer = tool_offer(self._own.name, frame, self._limits)
        except RegistrationError as error:
            self._own.refuse("tool", frame.name, str(error))
        else:
            self._own.add_tool(offer)

    def _call(self, connection: Connection, frame: frames.CallTool | frames.CallToolCancel) -> None:
        if self._caller is None and self._tools is not None:
            from zot_agent.extensions.tool_calls.call_tool import ToolCaller  # noqa: PLC0415  few extensions call tools

            self._caller = ToolCaller(connection, self._own.permissions, self._tools, self._limits)
        if self._caller is not None:
            self._caller.received(frame)
