"""`ToolFrames`: the frames of one extension about tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from zot_agent.extensions import frames
from zot_agent.extensions.connection import Connection
from zot_agent.extensions.hooks.registrations import OwnRegistrations
from zot_agent.extensions.registry import ExtensionRegistry, NameConflict, RegistrationError, ToolOffer, tool_offer
from zot_agent.extensions.setup import ExtensionSetup
from zot_ext.protocol.permissions import granted

if TYPE_CHECKING:
    from typing import TypeAlias

    from zot_agent.extensions.tool_calls.call_tool import ToolCaller
    from zot_agent.extensions.tools import AgentTools

    ToolFrame: TypeAlias = (
        frames.RegisterTool | frames.UnregisterTool | frames.ShowProgress | frames.CallTool | frames.CallToolCancel
    )


class ToolsOfAll(Protocol):
    """What is needed of what all extensions share: see `SharedState`."""

    registry: ExtensionRegistry
    setup: ExtensionSetup
    tools: AgentTools | None

    @property
    def changed(self) -> Callable[[], None]: ...

    @property
    def name_taken(self) -> Callable[[NameConflict], None]: ...


class ToolFrames:
    """Registers the tools of an extension, takes the progress of their calls, and lets it call tools."""

    def __init__(self, member: OwnRegistrations, shared: ToolsOfAll) -> None:
        self._member, self._shared = member, shared
        self._caller: ToolCaller | None = None

    def received(self, connection: Connection, frame: ToolFrame) -> None:
        if isinstance(frame, frames.RegisterTool):
            self._register(frame)
            return
        group = "call_tool" if isinstance(frame, frames.CallTool | frames.CallToolCancel) else "tools2"
        if group not in connection.granted:
            self._member.log(
                f"a frame {frame.type!r} needs the group {group!r}, which hello.capabilities does not have"
            )
        elif isinstance(frame, frames.CallTool | frames.CallToolCancel):
            self._call(connection, frame)
        elif isinstance(frame, frames.UnregisterTool):
            if self._shared.registry.remove_tool(self._member.position, frame.name):
                self._shared.changed()
        elif connection.pending.has(frame.id) and frame.id in connection.pending.tool_calls:
            connection.pending.tool_calls[frame.id].progress.add(frame.text)

    def close(self) -> None:
        """The extension has ended: take its calls back, and give back the tools that it has taken from the model."""
        if self._caller is not None:
            self._caller.close()
            self._caller = None  # of this connection
        if self._shared.tools is not None:
            self._shared.tools.ended(self._member.name)

    def add(self, *offers: ToolOffer) -> None:
        """Register the tools that the permissions of the extension allow."""
        member, registry, permitted = self._member, self._shared.registry, self._member.permissions.tools
        for offer in offers:
            if not granted(offer.name, permitted):
                why = f"the tool {offer.name!r} is refused: permissions.tools of its manifest does not have it"
                member.refuse("tool", offer.name, why)
                continue
            member.registered("tool", offer.name, registry.add_tool(member.position, offer))
            if registry.replaces(member.position, offer.name):
                why = f"the tool {offer.name} takes the place of zot's own"
                self._shared.name_taken(NameConflict(member.position, why))

    def _register(self, frame: frames.RegisterTool) -> None:
        try:
            offer = tool_offer(self._member.name, frame, self._shared.setup.limits)
        except RegistrationError as error:
            self._member.refuse("tool", frame.name, str(error))
        else:
            self.add(offer)

    def _call(self, connection: Connection, frame: frames.CallTool | frames.CallToolCancel) -> None:
        if self._caller is None and self._shared.tools is not None:
            from zot_agent.extensions.tool_calls.call_tool import ToolCaller  # noqa: PLC0415  few extensions call tools

            permissions, shared = self._member.permissions, self._shared
            self._caller = ToolCaller(connection, permissions, self._shared.tools, shared.setup.limits)
        if self._caller is not None:
            self._caller.received(frame)
