"""The mode of permissions that a session keeps, so that it is the same when the session is opened again."""

from contextlib import suppress

from zot_core.errors import SessionError
from zot_core.permission_mode import PermissionMode, more_careful
from zot_core.sessions.file import SessionFile

_FIELD = "permission_mode"
"""Of the `meta` row; a session without it has the usual mode."""


def keep_mode(session: SessionFile | None, mode: PermissionMode) -> None:
    """Store the mode in the session, if it has another one."""
    if session is not None and session.meta.other.get(_FIELD, "yolo") != mode:
        with suppress(SessionError):  # the mode counts all the same, and the next message says what is wrong
            session.link(**{_FIELD: mode})


def resumed_mode(session: SessionFile | None, mode: PermissionMode) -> PermissionMode:
    """Return the mode in which a session goes on where the mode is `mode`: the more careful one, because a file must
    not allow what the person has not allowed now."""
    return mode if session is None else more_careful(mode, session.meta.other.get(_FIELD))
