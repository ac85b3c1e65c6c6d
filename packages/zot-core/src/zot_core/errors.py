"""Errors of the agent: `ToolError` is told to the model, the others to the person.

```text
Exception
├── ToolError               becomes an error result; the model reads it and goes on
├── Refused                 raised by a hook: the step must not happen
└── ZotError                (zot_provider.errors) one line for a person
    ├── RunFailed           (zot_core.runtime.answer) `ask` got no answer; `end` says how the run ended
    ├── CompactionError     (zot_core.compaction.compactor) no summary could be had
    │   └── NothingToCompact
    ├── InvalidOutput       the answer is not of the type asked for
    ├── Busy                a prompt while another one runs
    ├── Closed              a runtime used after `close`
    └── SessionError        a session cannot be opened or written
        ├── SessionNotFound
        └── SessionLocked   another process has it open
```
"""

from zot_provider.errors import ZotError


class ToolError(Exception):
    """A tool could not do what was asked. `str(error)` tells the model what to change."""


class Refused(Exception):
    """A hook does not allow the step. `str(error)` is the reason, which the model or the person is told."""


def error_line(error: Exception) -> str:
    """What a person is told of a failure: our own errors speak for themselves, a foreign one is named."""
    text = " ".join(str(error).split())
    if isinstance(error, ZotError | Refused):
        return text or type(error).__name__
    return f"unexpected {type(error).__name__}: {text}".removesuffix(": ")


class Busy(ZotError):
    """The agent is working on another prompt."""


class Closed(ZotError):
    """The runtime has been closed."""


class SessionError(ZotError):
    """A session file cannot be read or written."""


class SessionNotFound(SessionError):
    """There is no such session."""

    exit_code = 2


class SessionLocked(SessionError):
    """Another process has the session open."""

    exit_code = 2


class InvalidOutput(ZotError):
    """The model's answer was not of the type it was asked for, and neither was the next one: `answer` is its text."""

    def __init__(self, text: str, answer: str) -> None:
        super().__init__(text)
        self.answer = answer
