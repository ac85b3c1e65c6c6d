"""An agent that is a command: runs it in the folder, with a limit, and reads what it used from its output."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from outcome import Use
from runner import Agent
from tasks import Task


def command_agent(command: Callable[[Task, Path], Sequence[str]], used: Callable[[str], Use]) -> Agent:
    """Return an agent that runs `command` and reads its standard output with `used`."""

    async def agent(task: Task, folder: Path, seconds: float) -> Use:
        words = command(task, folder)
        if shutil.which(words[0]) is None:
            return Use(error=f"{words[0]} is not installed")
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(seconds):
                printed, errors = await process.communicate()
        except TimeoutError:
            return Use()  # what it has done by now is checked
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        use = used(printed.decode("utf-8", "replace"))
        if process.returncode and not use.steps:
            use.error = use.error or errors.decode("utf-8", "replace").strip()[-300:] or f"exit {process.returncode}"
        return use

    return agent


def json_events(output: str) -> Iterator[dict[str, Any]]:
    """Yield the lines of an output that are JSON objects."""
    for line in output.splitlines():
        with contextlib.suppress(ValueError):
            event = json.loads(line)
            if isinstance(event, dict):
                yield event
