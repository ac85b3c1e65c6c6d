"""`failure_code`: why something that a program asked for is not done, in one word over each transport."""

from zot_agent.operations.fields import FailureCode, OperationFailed
from zot_core.conversation.branches import NotAllowed, SummaryStopped
from zot_core.conversation.commands import CommandSilent, UnknownCommand
from zot_core.conversation.dialogs import CannotShow, InvalidAnswer
from zot_core.conversation.driver import NotRunning
from zot_core.conversation.extensions import FieldSilent, NoField
from zot_core.conversation.queue import QueueFull
from zot_core.errors import (
    Busy,
    Closed,
    JobsRunning,
    NothingToRestore,
    Refused,
    SessionLocked,
    SessionNotFound,
    UnusableFile,
)
from zot_core.sessions.tree import UnknownEntry
from zot_ext.protocol.errors import FrameError
from zot_provider.errors import ConfigError, MissingKey, UnknownName

_CODES: tuple[tuple[type[Exception] | tuple[type[Exception], ...], FailureCode], ...] = (
    (SessionLocked, "session_locked"),
    (JobsRunning, "jobs_running"),
    (SummaryStopped, "cancelled"),
    ((Busy, QueueFull), "busy"),
    ((UnknownEntry, SessionNotFound, UnknownCommand, UnknownName), "not_found"),
    ((MissingKey, NotAllowed, Refused), "denied"),
    ((ConfigError, FrameError, InvalidAnswer, UnusableFile), "invalid"),
    ((NoField, NotRunning, NothingToRestore, CannotShow, Closed), "unavailable"),
    ((FieldSilent, CommandSilent, TimeoutError), "timeout"),
)


def failure_code(error: Exception) -> FailureCode:
    """Return the code of an exception, `failed` for all that is not known here."""
    if isinstance(error, OperationFailed):
        return error.code
    return next((code for kinds, code in _CODES if isinstance(error, kinds)), "failed")
