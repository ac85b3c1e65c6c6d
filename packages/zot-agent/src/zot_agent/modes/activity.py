"""Tool calls as dim lines on standard error, so that a person at a terminal sees progress."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from zot_agent.modes.output import Output
from zot_core.display import TerminalDisplay, main_argument
from zot_core.events import AgentEvent, ToolCall, ToolResultEvent
from zot_provider.messages import TextBlock
from zot_tui.text import width
from zot_tui.text.sanitize import sanitize_line

_MAX_CHARACTERS = 2000
"""The part of a text that is considered; a terminal is narrower."""


class Activity:
    """An observer of a run that prints each tool call, and the reason if it fails."""

    def __init__(self, output: Output, stopped: Sequence[int] = (), environ: Mapping[str, str] | None = None) -> None:
        """`output` is flushed first, so that the model's text appears above the calls that follow it. Failures are not
        printed once `stopped` is non-empty: the person has stopped the run, and knows why calls fail."""
        self._output, self._stopped = output, stopped
        env = os.environ if environ is None else environ
        self._plain = bool(env.get("NO_COLOR")) or env.get("TERM") == "dumb"

    def __call__(self, event: AgentEvent) -> None:
        if isinstance(event, ToolCall):
            self._print(f"{event.name} {main_argument(event.arguments)}")
        elif isinstance(event, ToolResultEvent) and event.is_error and not self._stopped:
            self._print(f"  failed: {failure(event)}")

    def _print(self, text: str) -> None:
        self._output.flush_before_stderr()
        line = clip(text, shutil.get_terminal_size().columns - 1)
        with suppress(OSError):  # the terminal was closed
            sys.stderr.write(f"{line}\n" if self._plain else f"\x1b[2m{line}\x1b[0m\n")
            sys.stderr.flush()


def failure(event: ToolResultEvent) -> str:
    """Return the first line of an error; for a command, its exit code and the first line of its output."""
    for block in event.display:
        if isinstance(block, TerminalDisplay):
            end = "stopped" if block.exit_code is None else f"exit {block.exit_code}"
            line = _first_line(block.output)
            return f"{end}: {line}" if line else end
    return _first_line("\n".join(block.text for block in event.content if isinstance(block, TextBlock)))


def _first_line(text: str) -> str:
    return next((line for line in text[:_MAX_CHARACTERS].splitlines() if line.strip()), "")


def clip(text: str, columns: int) -> str:
    """Return `text` as one line that is safe for a terminal, of at most `columns` columns, with its indentation."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    return width.clip(indent + " ".join(sanitize_line(text[:_MAX_CHARACTERS]).split()), columns)
