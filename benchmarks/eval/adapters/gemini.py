"""Gemini CLI, the command `gemini`."""

from collections.abc import Sequence
from pathlib import Path

from outcome import Use
from runner import Agent
from tasks import Task

from adapters.command import command_agent


def make_agent(model: str) -> Agent:
    """`gemini` with a model. It asks for nothing: the folder is a throw-away one."""

    def command(task: Task, folder: Path) -> Sequence[str]:
        return ["gemini", "--yolo", *(["--model", model] if model else []), "--prompt", task.prompt]

    return command_agent(command, lambda output: Use(steps=1 if output.strip() else 0))
