"""The rows of a durable run in its session file, and `read_run`, which reads what they say.

```text
{"type":"run","run":{"format":1,"id":"fix","task":"Fix the tests","options":{},"limits":{},"zot":"0.2.0",
 "state":"running","time":"..."}}                                  the first row after `meta`
{"type":"run","run":{"pid":4711,"end":"","time":"..."}}            a process takes the run up
{"type":"run","run":{"state":"done","end":"completed","time":"..."}}
{"type":"tool_begin","answer":"<entry>","call_id":"c1","name":"bash","time":"..."}
```

The fields of a `run` row replace the fields of earlier rows. A `tool_begin` row is on disk before a call that is not
repeatable has any effect; `answer` is the entry that made the call. Neither row is an entry, so other readers, the Go
zot among them, skip both.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

from zot_core.clock import timestamp
from zot_core.errors import SessionError
from zot_core.sessions.raw import read_row
from zot_core.sessions.rows import MESSAGE_START
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import open_regular
from zot_provider.json_text import dump
from zot_provider.record import Record, field

FORMAT = 1
"""Grows when a run that an older zot began, or its rows, can no longer be read."""

RunState: TypeAlias = Literal["running", "waiting", "done", "failed", "stopped", "cancelled"]
"""`running` also while no process has the run; `waiting` for the answer of a person; `stopped` by a person or a limit,
`cancelled` for good."""

OVER: tuple[RunState, ...] = ("done", "cancelled")

_RUN = b'{"type":"run"'
_BEGIN = b'{"type":"tool_begin"'
_ASSISTANT = MESSAGE_START + b"assistant"
_TOOL = MESSAGE_START + b"tool"
_TEXTS = ("id", "task", "zot", "end", "reason", "cut", "started", "time")


class RunRecord(Record):
    """A run, from the rows of its session. Times are UTC.

    `options` are those with which a front end began it, `limits` as in `RunLimits`. `end` says how the work in the last
    process ended, empty while it has not, and `reason` why. `question` is what a person is asked, `answers` what was
    answered, by question. `cut` is the entry whose last call is incomplete, `begun` the calls of the last answer that
    have begun, by their ids, with their number. `workspace` says where the files of a run of a fleet come from, `tree`
    which of their states belongs to the last row. `steps` counts model calls, `tries` the processes that have taken the
    run up since it last made progress.
    """

    id: str = ""
    task: str = ""
    state: RunState = "running"
    format: int = FORMAT
    zot: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    limits: dict[str, Any] = field(default_factory=dict)
    end: str = ""
    reason: str = ""
    pid: int = 0
    question: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    cut: str = ""
    workspace: dict[str, Any] = field(default_factory=dict)
    tree: dict[str, Any] = field(default_factory=dict)
    started: str = ""
    time: str = ""
    begun: dict[str, int] = field(default_factory=dict)
    begun_in: str = ""
    steps: int = 0
    tries: int = 0

    def answered(self, choice: str, message: str) -> dict[str, Any]:
        """Return the fields that answer the question with "yes", "always" or "no". Raises `ConfigError` for another
        choice, and if the run asks nothing."""
        if choice not in ("yes", "always", "no"):
            raise ConfigError(f"the answer is yes, always or no, not {choice!r}")
        if self.state != "waiting" or not isinstance(self.question.get("id"), str):
            raise ConfigError(f"run {self.id} asks nothing; it is {self.state}")
        answers = {**self.answers, self.question["id"]: {"choice": choice, "message": message}}
        return {"answers": answers, "state": "running", "question": {}}

    def check(self) -> None:
        """Raise `ConfigError` if a newer zot has begun the run."""
        if self.format > FORMAT:
            raise ConfigError(f"run {self.id} was begun by a newer zot ({self.zot}); update zot to continue it")


def run_row(fields: Mapping[str, Any]) -> str:
    """Return the row that changes these fields of a `RunRecord`, with the time."""
    return dump({"type": "run", "run": {**fields, "time": timestamp()}})


def first_run_row(id: str, task: str, version: str, **more: Mapping[str, Any]) -> str:
    fields: dict[str, Any] = {"format": FORMAT, "id": id, "task": task, **more, "zot": version}
    return run_row({**fields, "state": "running", "started": timestamp()})


def tool_begin_row(answer: str, call: str, name: str) -> str:
    return dump({"type": "tool_begin", "answer": answer, "call_id": call, "name": name, "time": timestamp()})


def read_run(path: str) -> RunRecord | None:
    """Read the run of a session file; None if it is that of a conversation. Raises `SessionError`."""
    try:
        with open(path, "rb", opener=open_regular) as file:
            return _read(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SessionError(f"cannot read session {path}: {error.strerror}") from error


def run_of_rows(data: bytes) -> RunRecord | None:
    """Return the run that these rows of a session say; None if they belong to a conversation."""
    return _read(data.splitlines(keepends=True))


def _read(lines: Any) -> RunRecord | None:
    fields: dict[str, Any] = {}
    begun: dict[str, int] = {}
    begun_in, steps, tries = "", 0, 0
    for line in lines:
        if line.startswith(_RUN):
            found = read_row(line).get("run")
            if isinstance(found, dict):
                fields |= found
                tries += "pid" in found
        elif line.startswith(_BEGIN):
            row = read_row(line)
            if _text(row.get("answer")) != begun_in:
                begun, begun_in = {}, _text(row.get("answer"))
            call = _text(row.get("call_id"))
            begun[call] = begun.get(call, 0) + 1
        elif line.startswith((_ASSISTANT, _TOOL)):
            steps, tries = steps + line.startswith(_ASSISTANT), 0
    if not fields:
        return None
    known: dict[str, Any] = {
        **{name: _text(fields.get(name)) for name in _TEXTS},
        **{
            name: _object(fields.get(name))
            for name in ("options", "limits", "question", "answers", "workspace", "tree")
        },
        **{name: _number(fields.get(name)) for name in ("format", "pid")},
        "state": next((each for each in get_args(RunState) if each == fields.get("state")), "running"),
    }
    return RunRecord(**known, begun=begun, begun_in=begun_in, steps=steps, tries=tries)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
