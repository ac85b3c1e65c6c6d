"""The extension protocol, version 1: one JSON object per line, distinguished by its `type`.

`FromExtension` is the union of the frames that an extension sends, `FromHost` of the frames that the host sends;
the tuples `FROM_EXTENSION` and `FROM_HOST` list the same classes. Each pair is defined at the end of the module
with its frames. They are loaded on first use, so that code for one direction does not define the classes of
the other.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_ext.protocol.from_extension import FROM_EXTENSION, FromExtension
    from zot_ext.protocol.from_host import FROM_HOST, FromHost

__all__ = ["FROM_EXTENSION", "FROM_HOST", "PROTOCOL_VERSION", "FromExtension", "FromHost"]

PROTOCOL_VERSION = 1
"""The version of the frames, which `hello_ack` names."""

_HOMES = {
    "FROM_EXTENSION": "zot_ext.protocol.from_extension",
    "FROM_HOST": "zot_ext.protocol.from_host",
    "FromExtension": "zot_ext.protocol.from_extension",
    "FromHost": "zot_ext.protocol.from_host",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(__import__(home, fromlist=[name]), name)
