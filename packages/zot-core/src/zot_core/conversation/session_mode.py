"""The mode of permissions that a session keeps, so that it is the same when the session is opened again."""

from collections.abc import Callable
from contextlib import suppress

from zot_core.confirm import Permissions
from zot_core.errors import SessionError
from zot_core.permission_mode import PermissionMode, more_careful
from zot_core.sessions.file import SessionFile

_FIELD = "permission_mode"
"""Of the `meta` row; a session without it has the usual mode."""


def keep_mode(permissions: Permissions, session: Callable[[], SessionFile | None]) -> None:
    """Store the mode in the current `session`, now and whenever it changes."""
    permissions.changed.add(lambda mode: _store(mode, session()))
    _store(permissions.mode, session())


def resume_mode(permissions: Permissions, session: SessionFile | None) -> None:
    """Let the permissions have the mode of a session that is opened, if it is more careful: a file must not allow what
    the person has not allowed now."""
    if session is not None:
        permissions.mode = more_careful(permissions.mode, session.meta.other.get(_FIELD))
    _store(permissions.mode, session)


def _store(mode: PermissionMode, session: SessionFile | None) -> None:
    if session is not None and session.meta.other.get(_FIELD, "yolo") != mode:
        with suppress(SessionError):  # the mode counts all the same, and the next message says what is wrong
            session.link(**{_FIELD: mode})
