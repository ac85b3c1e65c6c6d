"""Calls for panels that an extension draws itself."""

from typing import TYPE_CHECKING

from zot_agent.extensions.calls.call import ExtensionCall
from zot_agent.extensions.panels.panel import OwnedPanel, PanelWishes
from zot_agent.operations.fields import OperationFailed

if TYPE_CHECKING:
    from zot_ext.protocol.answers import PanelRoom


def open(call: ExtensionCall) -> "PanelRoom":
    if not call.conversation.actions.shows_panels:
        front_end = call.conversation.front_end
        raise OperationFailed("unavailable", f"no panels are shown in the mode {front_end or 'of this program'}")
    id, mode = call.params["id"], call.text("mode", "overlay")
    flags = ("passive", "handles_esc", "handles_ctrl_c", "paste", "mouse", "key_kinds")
    wishes = PanelWishes(mode, **{name: call.flag(name) for name in flags})  # type: ignore[arg-type]
    try:
        return _room(call.services.panels.open_drawn(call.connection, id, wishes, call.params))
    except ValueError as error:
        raise OperationFailed("invalid", str(error)) from None


def change(call: ExtensionCall) -> "PanelRoom":
    """Move, hide or name a panel, or give it the keys."""
    id = call.params["id"]
    try:
        panel = call.services.panels.change(call.connection, id, call.params)
    except ValueError as error:
        raise OperationFailed("invalid", str(error)) from None
    if panel is None:
        raise OperationFailed("not_found", f"no panel {id[:100]!r} is open")
    return _room(panel)


def _room(panel: OwnedPanel) -> "PanelRoom":
    width, height, visible = panel.room
    return {"width": width, "height": height, "visible": visible}
