"""The frames of the protocol, loaded when one of them is first used: with the first process of an extension.
Registrations that are remembered need none."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zot_ext.protocol.frame import Unknown as Unknown
    from zot_ext.protocol.from_extension import *  # noqa: F403  all of them
    from zot_ext.protocol.from_host import *  # type: ignore[assignment]  # noqa: F403  its `PanelClose` is not used
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
