"""What a run took: counted from its events, told as one line of JSON (`--stats`)."""

import json
import time

from zot_core.event_json import usage_fields
from zot_core.events import AgentEvent, ToolOutput, TurnStart, UsageUpdate
from zot_provider.usage import Usage


class Stats:
    """An observer of one run. Tokens and cost are those of the run, not of the whole session."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._usage = Usage()
        self._steps = self._calls = self._failed = 0

    def __call__(self, event: AgentEvent) -> None:
        if isinstance(event, UsageUpdate):
            self._usage += event.usage
        elif isinstance(event, TurnStart):
            self._steps = event.step
        elif isinstance(event, ToolOutput):
            self._calls += 1
            self._failed += event.is_error

    def line(self, **more: str) -> str:
        """One line of JSON: usage, `steps`, `tool_calls`, `tool_errors`, `duration_ms`, and what is given besides."""
        duration = round((time.monotonic() - self._began) * 1000)
        counts = {"steps": self._steps, "tool_calls": self._calls, "tool_errors": self._failed, "duration_ms": duration}
        return json.dumps({"type": "stats", **more, **usage_fields(self._usage), **counts}, ensure_ascii=False)
