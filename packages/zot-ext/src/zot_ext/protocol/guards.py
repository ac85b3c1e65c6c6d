"""The field `guards` of a manifest: the events that the program guards, whether or not it runs."""

from __future__ import annotations

from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.events.interceptable import INTERCEPTABLE
from zot_ext.protocol.permissions import may_intercept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from zot_ext.protocol.permissions import ExtensionPermissions

ACTIONS = ("allow", "block")
OPTIONS = ("on_timeout", "on_exit")
"""The answers about an event: one of `ACTIONS` each, the first without a word."""


def check_guards(guards: Mapping[str, object], permissions: ExtensionPermissions | None) -> None:
    """Raise `FrameError` for what says nothing: nobody would miss a misspelt guard."""
    for event, options in guards.items():
        where = f"guards.{event[:80]}"
        row = INTERCEPTABLE.get(event)
        if row is None or not row.blockable:
            known = ", ".join(each.name for each in INTERCEPTABLE.values() if each.blockable)
            raise FrameError(f"is not an event that can be refused; there are {known}", field=where)
        if not isinstance(options, dict):
            raise FrameError(f"must be an object with {' and '.join(OPTIONS)}", field=where)
        for name, value in options.items():
            if name not in OPTIONS:
                raise FrameError(f"is not an option; there are {' and '.join(OPTIONS)}", field=f"{where}.{name[:80]}")
            if value not in ACTIONS:
                raise FrameError(f"must be {' or '.join(ACTIONS)}, not {str(value)[:80]!r}", field=f"{where}.{name}")
        if permissions is not None and not may_intercept(permissions, event):
            raise FrameError("permissions.intercept does not have it", field=where)
