"""`--stats`: tokens, cost, calls and time of a run, as one line of JSON."""

import json
import sys
import time
from contextlib import suppress

from zot_core.event_json import usage_fields
from zot_core.events import AgentEvent, ToolResultEvent, TurnStart, UsageEvent
from zot_core.permission_mode import PermissionMode, SandboxState
from zot_provider.model import Model
from zot_provider.usage import Usage


class Stats:
    """An observer that counts the events of one run. Tokens and cost belong to the run, not of the whole session."""

    TAKES = (UsageEvent, TurnStart, ToolResultEvent)

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._usage = Usage()
        self._steps = self._calls = self._failed = 0

    def __call__(self, event: AgentEvent) -> None:
        if isinstance(event, UsageEvent):
            self._usage += event.usage
        elif isinstance(event, TurnStart):
            self._steps = event.step
        elif isinstance(event, ToolResultEvent):
            self._calls += 1
            self._failed += event.is_error

    def line(self, model: Model, mode: PermissionMode, sandbox: SandboxState) -> str:
        """Return one line of JSON: `provider`, `model`, usage, `steps`, `tool_calls`, `tool_errors`, `duration_ms`,
        `mode` of permissions, `sandbox`. The cost is null if the model's price is unknown."""
        usage = usage_fields(self._usage)
        if model.price is not None:
            usage["cost_usd"] = self._usage.shown_cost or 0.0
        duration = round((time.monotonic() - self._began) * 1000)
        counts = {"steps": self._steps, "tool_calls": self._calls, "tool_errors": self._failed, "duration_ms": duration}
        fields = {"type": "stats", "provider": model.provider, "model": model.id, **usage, **counts}
        return json.dumps(fields | {"mode": mode, "sandbox": sandbox})

    def print(self, model: Model, mode: PermissionMode, sandbox: SandboxState) -> None:
        """Write the line to standard error."""
        with suppress(OSError):  # nobody reads it
            sys.stderr.write(self.line(model, mode, sandbox) + "\n")
            sys.stderr.flush()
