"""Agents of which only the result is known: they print no figures that are read here."""

from collections.abc import Sequence
from pathlib import Path

from outcome import Use
from runner import Agent
from tasks import Task

from adapters.command import command_agent


def plain_agent(words: Sequence[str], model: str) -> Agent:
    """An agent that is started with `words`, the model and the prompt."""

    def command(task: Task, folder: Path) -> Sequence[str]:
        return [*words, *(["--model", model] if model else []), task.prompt]

    return command_agent(command, lambda output: Use(steps=1 if output.strip() else 0))
