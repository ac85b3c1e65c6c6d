"""`RunTotals`: the time, the tokens and the changes of a run, and their row in a session; `RunCounter` counts them.

The row comes after all others of its run, `after` is the id of the last message; other programs skip it:

```text
{"type":"totals","after":"2f8e6d4c0b1a3957","totals":{"seconds":2.5,"usage":{...},"files":1,"added":2,"removed":1,
"calls":{"91b6c2f4e8a07d35":{"call_1":0.1}},"thoughts":{"91b6c2f4e8a07d35":[1.2]},
"agents":{"91b6c2f4e8a07d35":{"call_1":["2","explore",5100]}}}}
```
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from zot_core.display import CodeDisplay, DiffDisplay, Recaller
from zot_core.events import (
    AssistantMessage,
    AssistantStart,
    AutoRetryStart,
    Done,
    ReasoningDelta,
    SubagentStart,
    SubagentStop,
    TextDelta,
    ToolResultEvent,
    ToolStart,
    ToolUseStart,
    TurnEnd,
    TurnStart,
    UsageEvent,
    UserMessage,
)
from zot_core.sessions.rows import read_usage, usage_fields
from zot_provider.json_text import dump, read_object
from zot_provider.messages import Message
from zot_provider.record import Record, field
from zot_provider.usage import Usage

LONG = 10.0
"""Seconds from which a run without any call is reported too."""

SHORTEST = 0.05
"""Seconds from which the time of a call is kept."""

COUNTED = (
    AssistantMessage,
    AssistantStart,
    AutoRetryStart,
    Done,
    ReasoningDelta,
    SubagentStart,
    SubagentStop,
    TextDelta,
    ToolResultEvent,
    ToolStart,
    ToolUseStart,
    TurnEnd,
    TurnStart,
    UsageEvent,
    UserMessage,
)
"""The events that a `RunCounter` follows."""


class AgentTotals(Record):
    """The sub-agent that has done a call: its id, the name of its definition, which may be empty, and its tokens."""

    id: str
    name: str
    tokens: int = 0


class RunTotals(Record):
    """The totals of a run: its time, its tokens and cost with sub-agents, and how many files and lines its calls have
    changed, as far as the calls say so: what commands change is not known.

    `calls` has the seconds of its calls, by the id of the answer that made them and the id of the call, `thoughts` the
    seconds of the thoughts in an answer, by its id. `agents` has the sub-agents that calls have waited for, as `calls`.
    """

    seconds: float
    usage: Usage
    files: int = 0
    added: int = 0
    removed: int = 0
    calls: dict[str, dict[str, float]] = field(default_factory=dict)
    thoughts: dict[str, list[float]] = field(default_factory=dict)
    agents: dict[str, dict[str, AgentTotals]] = field(default_factory=dict)


class SessionTotals(Record):
    """The totals of the runs of a session, by the id of the last message of each run; `calls`, `thoughts` and `agents`
    are from all of them."""

    runs: dict[str, RunTotals] = field(default_factory=dict)
    calls: dict[str, dict[str, float]] = field(default_factory=dict)
    thoughts: dict[str, list[float]] = field(default_factory=dict)
    agents: dict[str, dict[str, AgentTotals]] = field(default_factory=dict)

    def add(self, after: str, run: RunTotals) -> None:
        """Add a run that ended with the message `after`."""
        self.runs[after] = run
        self.calls |= run.calls
        self.thoughts |= run.thoughts
        self.agents |= run.agents

    def last(self, messages: Sequence[Message]) -> RunTotals | None:
        """Return the totals of the run after the last prompt of a conversation, if they are known."""
        for message in reversed(messages if self.runs else ()):
            if message.id in self.runs or message.is_prompt:
                return self.runs.get(message.id)
        return None


class RunCounter:
    """Counts the totals of a run from its events. `tools` are the agent's tools by name; `clock` returns seconds."""

    def __init__(self, tools: Mapping[str, Recaller], clock: Callable[[], float] = time.monotonic) -> None:
        self._tools, self._clock = tools, clock
        self._totals = RunTotals(0.0, Usage())
        self._began: float | None = None  # None between runs
        self._calls = 0
        self._paths: set[str] = set()
        self._running: dict[str, float] = {}
        self._waited_for: dict[str, SubagentStart] = {}
        self._answer = ""
        self._thinking: float | None = None
        self._thoughts: list[float] = []  # of the answer that is being written
        self.thought: float | None = None
        """The seconds of the thought that ended last."""
        self.ended: RunTotals | None = None
        """The totals of the run that has just ended; None during a run, and after a short answer without any call."""
        self.changes = False
        """Whether the last run has changed files, as far as its calls say so."""

    def resume(self, run: RunTotals | None) -> None:
        """Continue after a run of another process, or after none."""
        self.changes = run is not None and run.files > 0

    def follow(self, event: object) -> None:
        """Count an event, if it is one of `COUNTED`."""
        match event:
            case TextDelta() | ToolUseStart() | AssistantMessage() | AutoRetryStart() | TurnEnd():
                self._end_thought()
            case ReasoningDelta():
                self._thinking = self._clock() if self._thinking is None else self._thinking
            case AssistantStart():
                self._thinking, self._thoughts = None, []
            case UserMessage() | TurnStart():  # a later message of the user steers the same run
                if self._began is None:
                    self._began, self._totals, self.ended = self._clock(), RunTotals(0.0, Usage()), None
                    self._calls, self._paths, self.changes = 0, set(), False
            case ToolStart(id):
                self._running[id] = self._clock()
            case SubagentStart() if event.tool_call and not event.parent and not event.background:
                self._waited_for[event.agent_id] = event
            case SubagentStop() if start := self._waited_for.pop(event.agent_id, None):
                found = self._totals.agents.setdefault(self._answer, {})
                found[start.tool_call] = AgentTotals(start.agent_id, start.name, event.tokens)
            case ToolResultEvent():
                self._call(event)
            case UsageEvent(usage) if self._began is not None:
                self._totals.usage += usage
            case Done():
                self._end()

    def took(self, call: str) -> float | None:
        """Return the seconds of a call of the last answer that has ended, from `SHORTEST` on."""
        return self._totals.calls.get(self._answer, {}).get(call)

    def agent(self, call: str) -> AgentTotals | None:
        """Return the sub-agent that has done a call of the last answer, None if it was done without one."""
        return self._totals.agents.get(self._answer, {}).get(call)

    def answered(self, id: str) -> None:
        """Say that an answer is complete, which has this id."""
        self._end_thought()
        self._answer = id
        if self._thoughts:
            self._totals.thoughts[id], self._thoughts = self._thoughts, []

    def _end(self) -> None:
        self.ended = None
        if self._began is not None:
            self._totals.seconds, self._began = round(self._clock() - self._began, 3), None
            self.ended = self._totals if self._calls or self._totals.seconds >= LONG else None
            self._running.clear()
            self._waited_for.clear()

    def _end_thought(self) -> None:
        if self._thinking is not None:
            self.thought, self._thinking = round(self._clock() - self._thinking, 3), None
            self._thoughts.append(self.thought)

    def _call(self, event: ToolResultEvent) -> None:
        began = self._running.pop(event.id, None)
        if began is not None and (took := self._clock() - began) >= SHORTEST:
            self._totals.calls.setdefault(self._answer, {})[event.id] = round(took, 3)
        self._calls += 1
        changed = [each for each in event.display if isinstance(each, DiffDisplay | CodeDisplay)]
        if not changed or event.is_error or event.fate != "ran" or self._only_reads(event):
            return
        self._paths.update(each.path for each in changed)
        self._totals.files, self.changes = len(self._paths), True
        rows = [row for each in changed if isinstance(each, DiffDisplay) for row in each.diff.split("\n")]
        new = [each.text.removesuffix("\n") for each in changed if isinstance(each, CodeDisplay) and each.text]
        self._totals.added += sum(row.startswith("+") for row in rows) + sum(text.count("\n") + 1 for text in new)
        self._totals.removed += sum(row.startswith("-") for row in rows)

    def _only_reads(self, event: ToolResultEvent) -> bool:
        tool = self._tools.get(event.name)
        return tool is not None and tool.only_reads(read_object(event.arguments or ""))


def totals_row(after: str, run: RunTotals) -> str:
    fields = {name: getattr(run, name) for name in RunTotals.__match_args__}
    fields["usage"] = usage_fields(run.usage)
    fields["agents"] = {
        answer: {call: [each.id, each.name, each.tokens] for call, each in calls.items()}
        for answer, calls in run.agents.items()
    }
    return dump({"type": "totals", "after": after, "totals": fields})


def read_totals(row: dict[str, Any]) -> RunTotals | None:
    """Parse a `totals` row; None if it is not complete. Whatever is not a number in it is 0."""
    found = row.get("totals")
    if not isinstance(found, dict) or (seconds := _number(found.get("seconds"))) is None:
        return None
    calls, thoughts, agents = (_object(found, name) for name in ("calls", "thoughts", "agents"))
    return RunTotals(
        seconds,
        read_usage(found.get("usage")),
        int(_number(found.get("files")) or 0),
        int(_number(found.get("added")) or 0),
        int(_number(found.get("removed")) or 0),
        {answer: {id: _number(took) or 0.0 for id, took in _object(calls, answer).items()} for answer in calls},
        {answer: [_number(took) or 0.0 for took in times] for answer, times in thoughts.items() if type(times) is list},
        {answer: _agents(_object(agents, answer)) for answer in agents},
    )


def _agents(calls: dict[str, Any]) -> dict[str, AgentTotals]:
    found = dict[str, AgentTotals]()
    for call, parts in calls.items():
        match parts:
            case [str(id), str(name), count]:
                found[call] = AgentTotals(id, name, int(_number(count) or 0))
    return found


def _object(fields: dict[str, Any], name: str) -> dict[str, Any]:
    found = fields.get(name)
    return found if isinstance(found, dict) else {}


def _number(value: Any) -> float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return value if usable else None
