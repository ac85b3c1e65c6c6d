"""The lines of JSON between a worker and the process of a run, and what the engine knows of its end."""

from typing import Any, Literal, TypeAlias

from zot_provider.record import Record, field

EndState: TypeAlias = Literal[
    "done", "failed", "stopped", "cancelled", "waiting", "interrupted", "parked", "workspace", "away", "taken", "queued"
]
"""The state of a run once its process has ended. `parked`: too many processes have ended without progress; `workspace`:
its files cannot be fetched; `away`: the store does not answer; `taken`: another worker has the run;
`queued`: it is to be given to a worker again."""


LINE_BYTES = 1 << 20
"""The longest line from the process of a run."""


class Task(Record):
    """The first line to the process of a run.

    `attempt` is the number that its rows are written with, `folder` its place on this machine. `answer` is what a
    person has said to its question. `retry`: a person wants it to be tried again though it was parked. `cancel`:
    nothing is done but to end it for good. `messages` are to be read with the next model call, by their ids. `sandbox`
    holds unless the run names a mode. `trace` is the span that the run belongs to, as in `TRACEPARENT`.
    `away_seconds` is as in `FleetLimits`.
    """

    run: str
    attempt: int
    store: str
    folder: str
    sandbox: str = "on"
    answer: dict[str, str] = field(default_factory=dict)
    retry: bool = False
    cancel: bool = False
    messages: dict[str, str] = field(default_factory=dict)
    trace: str = ""
    away_seconds: float = 30.0


class RunProgress(Record):
    """The progress of a run, from its process: rows written, steps, tokens and US dollars of this attempt."""

    rows: int = 0
    steps: int = 0
    tokens: int = 0
    cost: float = 0.0


class End(Record):
    """How the process of a run has ended. `taken` are the ids of messages that are in its rows."""

    state: EndState
    reason: str = ""
    question: dict[str, Any] = field(default_factory=dict)
    steps: int = 0
    cost: float = 0.0
    taken: list[str] = field(default_factory=list)


def attempt_number(submission: int, activity: int, attempt: int) -> int:
    """Return a number that grows with every attempt of the engine, over all activities and submissions of a run."""
    return submission << 40 | activity << 20 | attempt


def fields_of(record: Record) -> dict[str, Any]:
    """Return the fields of one of these records as JSON values."""
    return {name: getattr(record, name) for name in record.__match_args__}
