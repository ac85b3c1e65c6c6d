"""zot itself, as it is installed beside this Python or on the PATH."""

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from outcome import Use
from runner import Agent
from tasks import Task

from adapters.command import command_agent, json_events

EDITS = ("edit", "write")

VARIANTS = {
    "line-numbers": [
        *("--ext", str(Path(__file__).parents[1] / "line_numbers"), "--append-system-prompt"),
        "`read` puts a number and a tab before each line. They are not in the file: leave them out of `oldText`.",
    ],
    "apply-patch": [
        "--append-system-prompt",
        "There is no `apply_patch`, neither as a tool nor in the shell: change files with `edit` and `write`.",
    ],
}
"""Flags of zot's for each `--with NAME`: what zot leaves out because nobody has measured that it helps."""


def make_agent(model: str, variants: Sequence[str] = ()) -> Agent:
    """zot with a model, in its sandbox, without the person's sessions, skills and extensions.

    `variants` are names of VARIANTS. `ZOT_EVAL_FLAGS` adds flags, and turns the sandbox off with `--sandbox off`.
    """
    beside = Path(sys.executable).with_name("zot")
    program = str(beside) if beside.exists() else "zot"
    flags = ["--json", "--no-session", "--no-skills", "--no-ext", "--sandbox", "strict"]
    flags += [flag for name in variants for flag in VARIANTS[name]]
    flags += shlex.split(os.environ.get("ZOT_EVAL_FLAGS", ""))

    def command(task: Task, folder: Path) -> Sequence[str]:
        return [program, *flags, *(["--model", model] if model else []), task.prompt]

    return command_agent(command, used)


def used(output: str) -> Use:
    """What zot's events say."""
    use = Use()
    for event in json_events(output):
        match event.get("type"):
            case "turn_start":
                use.steps += 1
            case "tool_result" if event.get("is_error"):
                use.failed_calls += 1
                use.failed_edits += event.get("name") in EDITS
            case "usage":
                whole = event["cumulative"]
                use.tokens = sum(whole.get(key) or 0 for key in ("input", "output", "cache_read", "cache_write"))
                use.cost = whole.get("cost_usd")
            case "error" if not use.tokens:
                use.error = event.get("message", "")
    return use
