"""The frames of the protocol, loaded when one of them is first used: with the first process of an extension.
Registrations that are remembered need none."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zot_ext.protocol.frame import Unknown as Unknown
    from zot_ext.protocol.from_extension import *  # noqa: F403  all of them
    from zot_ext.protocol.from_host import PANEL_KEYS as PANEL_KEYS
    from zot_ext.protocol.from_host import TOOL_PREPARE as TOOL_PREPARE
    from zot_ext.protocol.from_host import CommandInvoked as CommandInvoked
    from zot_ext.protocol.from_host import Event as Event
    from zot_ext.protocol.from_host import EventIntercept as EventIntercept
    from zot_ext.protocol.from_host import FromHost as FromHost
    from zot_ext.protocol.from_host import HelloAck as HelloAck
    from zot_ext.protocol.from_host import HostResult as HostResult
    from zot_ext.protocol.from_host import PanelFocus as PanelFocus
    from zot_ext.protocol.from_host import PanelKey as PanelKey
    from zot_ext.protocol.from_host import PanelMouse as PanelMouse
    from zot_ext.protocol.from_host import PanelPaste as PanelPaste
    from zot_ext.protocol.from_host import PanelResize as PanelResize
    from zot_ext.protocol.from_host import Shutdown as Shutdown
    from zot_ext.protocol.from_host import ToolCall as ToolCall
    from zot_ext.protocol.groups.panels import *  # noqa: F403
    from zot_ext.protocol.groups.providers import *  # noqa: F403
    from zot_ext.protocol.groups.tool_ops import *  # noqa: F403
    from zot_ext.protocol.groups.tools import *  # noqa: F403


def __getattr__(name: str) -> Any:
    for module in ("frame", "from_extension", "from_host", "groups.tools"):
        found = vars(import_module(f"zot_ext.protocol.{module}"))
        if name in found:
            value = globals()[name] = found[name]
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
