"""What the tools do, a dim line each on standard error, so that a person at a terminal sees that something happens."""

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

_LONGEST = 2000
"""Characters of a text that are looked at; a terminal is narrower."""


class Activity:
    """An observer of a run: a line for each tool call, and why it failed if it did."""

    def __init__(self, output: Output, stopped: Sequence[int] = (), environ: Mapping[str, str] | None = None) -> None:
        """`output` is written first, so that what the model said stands above the calls it leads to. Once there is
        anything in `stopped`, the person has stopped the run, and knows why calls fail."""
        self._output, self._stopped = output, stopped
        env = os.environ if environ is None else environ
        self._plain = bool(env.get("NO_COLOR")) or env.get("TERM") == "dumb"

    def __call__(self, event: AgentEvent) -> None:
        if isinstance(event, ToolCall):
            self._tell(f"{event.name} {main_argument(event.arguments)}")
        elif isinstance(event, ToolResultEvent) and event.is_error and not self._stopped:
            self._tell(f"  failed: {failure(event)}")

    def _tell(self, text: str) -> None:
        self._output.flush_before_stderr()
        line = clip(text, shutil.get_terminal_size().columns - 1)
        with suppress(OSError):  # the terminal has gone
            sys.stderr.write(f"{line}\n" if self._plain else f"\x1b[2m{line}\x1b[0m\n")
            sys.stderr.flush()


def failure(event: ToolResultEvent) -> str:
    """The first line of an error; of a command that of its output, after the exit code."""
    for block in event.display:
        if isinstance(block, TerminalDisplay):
            end = "stopped" if block.exit_code is None else f"exit {block.exit_code}"
            said = _first_line(block.output)
            return f"{end}: {said}" if said else end
    return _first_line("\n".join(block.text for block in event.content if isinstance(block, TextBlock)))


def _first_line(text: str) -> str:
    return next((line for line in text[:_LONGEST].splitlines() if line.strip()), "")


def clip(text: str, columns: int) -> str:
    """`text` as one safe line of at most `columns` columns; its indentation stays."""
    indent = text[: len(text) - len(text.lstrip(" "))]
    return width.clip(indent + " ".join(sanitize_line(text[:_LONGEST]).split()), columns)
