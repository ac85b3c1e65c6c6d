"""Claude Code, the command `claude`; its output format is stream-json."""

from collections.abc import Sequence
from pathlib import Path

from outcome import Use
from runner import Agent
from tasks import Task

from adapters.command import command_agent, json_events


def make_agent(model: str) -> Agent:
    """`claude` with a model. It asks for nothing: the folder is a throw-away one."""

    def command(task: Task, folder: Path) -> Sequence[str]:
        flags = ["--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"]
        return ["claude", "-p", task.prompt, *flags, *(["--model", model] if model else [])]

    return command_agent(command, used)


def used(output: str) -> Use:
    """What its events say: each `assistant` is a step, and the last `result` has the sums."""
    use = Use()
    for event in json_events(output):
        if event.get("type") == "assistant":
            use.steps += 1
        elif event.get("type") == "user":
            content = event.get("message", {}).get("content", [])
            use.failed_calls += sum(isinstance(each, dict) and bool(each.get("is_error")) for each in content)
        elif event.get("type") == "result":
            use.tokens = sum(value for key, value in event.get("usage", {}).items() if key.endswith("_tokens"))
            use.cost = event.get("total_cost_usd")
    return use
