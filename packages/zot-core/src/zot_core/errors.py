"""Errors of the agent: the model reads a `ToolError`, the user sees the others.

```text
Exception
├── ToolError               becomes an error result that the model reads; the run continues
├── Refused                 raised by a hook: the step must not happen
└── ZotError                (zot_provider.errors) one line for the user
    ├── RunFailed           (zot_core.runtime.answer) `ask` got no answer; `end` says how the run ended
    ├── CompactionError     (zot_core.compaction.compactor) the conversation could not be compacted
    │   └── NothingToCompact
    ├── InvalidOutput       the answer does not have the requested type
    ├── CheckpointError     a checkpoint of files cannot be made or used
    │   ├── FilesEdited     files have changed since the checkpoint
    │   └── JobsRunning     commands in the background may change files meanwhile
    ├── Busy                a prompt was sent while another one is being answered
    ├── Closed              a runtime was used after `close`
    └── SessionError        a session cannot be opened or written
        ├── SessionNotFound
        ├── UnusableFile    a path is not that of a session, or no file can be written there
        ├── NothingToRestore  there is no prompt to undo, nothing to redo, or no files are saved
        └── SessionLocked   another process has it open, or had it open a moment ago
```
"""

from zot_provider.errors import ZotError

_LONGEST, _END = 1000, 200
"""Characters of the line that describes a failure, and of its end if the middle is left out."""


class ToolError(Exception):
    """A tool call failed. The model reads `str(error)`, which should say what to change."""


class Refused(Exception):
    """A hook does not allow the step. `str(error)` is the reason; the model or the user reads it. `terminate` is that
    of `ToolResult`, for a tool call."""

    def __init__(self, reason: str = "", *, terminate: bool = False) -> None:
        super().__init__(reason)
        self.terminate = terminate


def error_line(error: Exception) -> str:
    """Describe a failure in one line for the user. Exceptions not raised on purpose are prefixed with their class. The
    middle of a long line is left out."""
    text = " ".join(str(error).split())
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST - _END]} … {text[-_END:]}"
    if isinstance(error, ZotError | Refused):
        return text or type(error).__name__
    return f"unexpected {type(error).__name__}: {text}".removesuffix(": ")


class Busy(ZotError):
    """The agent is answering another prompt."""


class Closed(ZotError):
    """The runtime has been closed."""


class SessionError(ZotError):
    """A session file cannot be read or written."""


class SessionNotFound(SessionError):
    """The session does not exist."""

    exit_code = 2

    @classmethod
    def named(cls, name: str) -> "SessionNotFound":
        """Return the error for a name that is that of no session, the same for every caller."""
        return cls(f"no session {name!r}; give a path, or the beginning of a session's id")


class UnusableFile(SessionError):
    """A path that was given is not that of a session, or no file can be written there: name another one."""


class NothingToRestore(SessionError):
    """There is no prompt to undo, nothing to redo, or no files are saved."""


class SessionLocked(SessionError):
    """Another process has the session open, or has just written to it. It can be read, and so be forked."""

    exit_code = 2
    parameter = "fork"


class CheckpointError(ZotError):
    """A checkpoint of files cannot be made or used."""


class FilesEdited(CheckpointError):
    """Files at these `paths` have other contents than the agent left; nothing was restored."""

    def __init__(self, paths: list[str]) -> None:
        others = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        super().__init__(f"{paths[0]}{others} changed since; nothing was restored")
        self.paths = paths


class JobsRunning(CheckpointError):
    """The jobs of these `ids` run, and may change files while they are restored; nothing was restored."""

    def __init__(self, ids: list[str], command: str) -> None:
        """`command` is that of the first job."""
        others = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
        super().__init__(f"job {ids[0]}{others} runs in the background and may change files; stop it first: {command}")
        self.ids = ids


class InvalidOutput(ZotError):
    """Neither the model's answer nor its corrected answer had the requested type. `answer` is the text of the last."""

    def __init__(self, text: str, answer: str) -> None:
        super().__init__(text)
        self.answer = answer
