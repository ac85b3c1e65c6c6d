"""pi, the command `pi`; its mode json prints its events."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from outcome import Use
from runner import Agent
from tasks import Task

from adapters.command import command_agent, json_events


def make_agent(model: str) -> Agent:
    """`pi` with a model. `PI_EVAL_FLAGS` adds flags, such as `--provider NAME`."""

    def command(task: Task, folder: Path) -> Sequence[str]:
        flags = shlex.split(os.environ.get("PI_EVAL_FLAGS", ""))
        return ["pi", "-p", "--mode", "json", *flags, *(["--model", model] if model else []), task.prompt]

    return command_agent(command, used)


def used(output: str) -> Use:
    """What its events say: each `turn_end` is a step, with the usage of its message."""
    use = Use()
    for event in json_events(output):
        if event.get("type") == "turn_end":
            message = event.get("message", {})
            usage = message.get("usage", {})
            use.steps += 1
            use.tokens += sum(usage.get(key) or 0 for key in ("input", "output", "cacheRead", "cacheWrite"))
            use.cost = (use.cost or 0.0) + (usage.get("cost", {}).get("total") or 0.0)
            use.error = message.get("errorMessage") or ""
        elif event.get("type") == "tool_execution_end" and event.get("isError"):
            use.failed_calls += 1
            use.failed_edits += event.get("toolName") in ("edit", "write")
    return use
