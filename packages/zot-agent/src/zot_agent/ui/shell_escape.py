"""`!command`: the person runs a command, and the model reads with the next prompt what it printed.

`!!command` is for the person's eyes alone. The command runs in the shell the tools have, with their working directory
and environment, and its output is bounded as that of the tools is.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping

from zot_core.aio import finish, spawn
from zot_core.display import TerminalDisplay
from zot_core.errors import ToolError
from zot_core.tools.bash import BashLimits, run_command
from zot_core.tools.context import Shell, ShellExit, ToolContext
from zot_provider.errors import ConfigError
from zot_provider.messages import TextBlock
from zot_provider.record import Record, field, record

STOPPED = "[stopped by the person]"
COMMANDS = "commands"
"""In the `meta` of a prompt: how many commands' output the model reads before it."""
_INTERRUPTED = 130  # what a shell says of a command that Ctrl+C ended


@record
class Escape(Record):
    """A command that was typed, and whether its output goes into the context."""

    command: str
    in_context: bool = True


@record
class Ran(Record):
    """What came of it: the text for the model, and what a screen shows.

    `display` is None for a command that could not be started; `text` then says why.
    """

    escape: Escape
    text: str
    stopped: bool = False
    display: TerminalDisplay | None = field(default=None)


def read_escape(text: str) -> Escape | None:
    """The command in `text`; None if it begins with no `!`. Raises `ConfigError` if nothing follows that."""
    stripped = text.strip()
    if not stripped.startswith("!"):
        return None
    hidden = stripped.startswith("!!")
    command = stripped[1 + hidden :].strip()
    if not command:
        raise ConfigError(f"no command follows the {stripped}: type one, as in {stripped}ls")
    return Escape(command, not hidden)


def with_output(runs: Iterable[Ran], prompt: str) -> tuple[str, dict[str, str]]:
    """`prompt` after what the commands before it printed, those that are for the model, as one message: its text, and
    its `meta`, which says what a person is shown of it."""
    texts = [ran.text for ran in runs if ran.escape.in_context]
    if not texts:
        return prompt, {}
    text = "\n\n".join([*texts, prompt] if prompt.strip() else texts)
    return text, {"display_text": prompt, COMMANDS: str(len(texts))}


class ShellEscape:
    """One command, from its start to its end."""

    def __init__(
        self,
        escape: Escape,
        context: ToolContext,
        show: Callable[[str], None],
        *,
        timeout: float | None = None,
        limits: BashLimits | None = None,
    ) -> None:
        """`context` is that of the agent; `show` is given output as it comes, a few times a second."""
        self.escape = escape
        self._shell = _StoppableShell(context.shell)
        self._context = context.replace(shell=self._shell, progress=show, call_id="")
        self._timeout = timeout
        self._limits = limits or BashLimits()

    async def run(self) -> Ran:
        """Run it. Never raises but CancelledError, before which the command and all it started are ended."""
        try:
            result = await run_command(self.escape.command, self._context, self._timeout, self._limits)
        except ToolError as error:
            return Ran(self.escape, f"$ {self.escape.command}\n\n[{error}]")
        text = "\n".join(block.text for block in result.content if isinstance(block, TextBlock))
        stopped = self._shell.stopped
        shown = next((each for each in result.display if isinstance(each, TerminalDisplay)), None)
        return Ran(self.escape, f"{text}\n{STOPPED}" if stopped else text, stopped, shown)

    def stop(self) -> None:
        """End the command; `run` then tells what it had printed. Harmless before its start and after its end."""
        self._shell.stop()


class _StoppableShell:
    """A shell whose command can be ended without cancelling who waits for it."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._asked = asyncio.Event()
        self._ended = False
        self.stopped = False

    def stop(self) -> None:
        if not self._ended:
            self._asked.set()

    async def run(
        self,
        command: str,
        *,
        cwd: str,
        env: Mapping[str, str],
        timeout: float | None,
        output: Callable[[bytes], None],
    ) -> ShellExit:
        work = spawn(self._shell.run(command, cwd=cwd, env=env, timeout=timeout, output=output), "shell escape")
        asked = spawn(self._asked.wait(), "stop of a shell escape")

        def hurry() -> None:
            work.cancel()

        try:
            await asyncio.wait([work, asked], return_when=asyncio.FIRST_COMPLETED)
            self.stopped = not work.done()
        finally:
            self._ended = True
            asked.cancel()
            if not work.done():
                work.cancel()
            cancelled = await finish(work, hurry)
        if cancelled:
            raise asyncio.CancelledError
        return ShellExit(_INTERRUPTED) if work.cancelled() else work.result()
