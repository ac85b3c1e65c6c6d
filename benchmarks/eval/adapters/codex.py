"""OpenAI's Codex, the command `codex`; `codex exec --json` prints an event a line."""

from collections.abc import Sequence
from pathlib import Path

from outcome import Use
from runner import Agent
from tasks import Task

from adapters.command import command_agent, json_events


def make_agent(model: str) -> Agent:
    """`codex exec` with a model; it may write in the folder. Its events have no cost."""

    def command(task: Task, folder: Path) -> Sequence[str]:
        flags = ["--json", "--skip-git-repo-check", "--sandbox", "workspace-write"]
        return ["codex", "exec", *flags, *(["--model", model] if model else []), task.prompt]

    return command_agent(command, used)


def used(output: str) -> Use:
    """What its events say: completed turns with their tokens, and commands that failed."""
    use = Use()
    for event in json_events(output):
        if event.get("type") == "turn.completed":
            usage = event.get("usage", {})
            use.tokens += usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
        elif event.get("type") == "item.completed":
            use.steps += 1
            use.failed_calls += event.get("item", {}).get("status") == "failed"
    return use
