"""Shell commands that the user runs, whose output the model reads with the next prompt.

A command runs in the shell of the tools, with their working directory, environment and output limits.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Unpack

from zot_core.agent import Agent, user_message
from zot_core.aio import finish, spawn
from zot_core.display import TerminalDisplay
from zot_core.errors import Refused, ToolError
from zot_core.events import RunEnd
from zot_core.hooks import UserCommand
from zot_core.machine.interface import Shell, ShellExit, ShellOptions
from zot_core.tools.definition.context import ToolContext
from zot_provider.errors import ConfigError, ZotError
from zot_provider.messages import ImageBlock, Message
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_core.tools.bash import BashLimits

STOPPED = "[stopped by the user]"
_INTERRUPTED = 130  # the exit code of a command that was interrupted with Ctrl+C


class ShellCommand(Record):
    """A command line. `in_context`: the model reads its output with the next prompt."""

    command: str
    in_context: bool = True


class ShellResult(Record):
    """The output of a command: `text` for the model, `display` for the user.

    `display` is None for a command that could not be started; `text` then says why.
    """

    command: ShellCommand
    text: str
    stopped: bool = False
    display: TerminalDisplay | None = None


def read_shell_command(text: str) -> ShellCommand | None:
    """Parse `!command`, or `!!command`, whose output the model does not read; None for any other text. Raises
    `ConfigError` if no command follows the marks."""
    stripped = text.strip()
    if not stripped.startswith("!"):
        return None
    hidden = stripped.startswith("!!")
    command = stripped[1 + hidden :].strip()
    if not command:
        raise ConfigError(f"no command follows the {stripped}: type one, as in {stripped}ls")
    return ShellCommand(command, not hidden)


def message_with_output(
    results: Iterable[ShellResult], prompt: str, images: Iterable[ImageBlock] = (), attached: Sequence[str] = (),
    shown: str = "",
) -> Message:  # fmt: skip
    """Build the user message for `prompt`. The model reads the output of the commands that are `in_context`, then the
    texts of `attached` files, then the prompt; the user sees the prompt alone, or `shown` in its place."""
    outputs = [result.text for result in results if result.command.in_context]
    texts = [*outputs, *attached]
    if not texts:
        return user_message(prompt, images, display_text=shown if shown not in ("", prompt) else None)
    text = "\n\n".join([*texts, prompt] if prompt.strip() else texts)
    return user_message(text, images, display_text=shown or prompt, commands=len(outputs), files=len(attached))


def not_run(command: ShellCommand, why: str) -> ShellResult:
    return ShellResult(command, f"$ {command.command}\n\n[{why}]")


def already_run(command: ShellCommand, output: str, exit_code: int) -> ShellResult:
    """Return the result of a command whose output somebody else has."""
    body = output if not output or output.endswith("\n") else f"{output}\n"
    text = f"$ {command.command}\n\n{body}\n[exit {exit_code}]"
    return ShellResult(command, text, display=TerminalDisplay(command.command, body, exit_code, 0.0))


async def run_shell(command: ShellCommand, agent: Agent, show: Callable[[str], None]) -> tuple[ShellResult, RunEnd]:
    """Run a command of the user as hooks change it; return its result and how the run ended. Raises nothing."""
    given = UserCommand(command.command, command.in_context, agent.context.cwd)
    try:
        found = await agent.hooks.user_command.apply(given)
    except (Refused, ZotError) as refused:
        return not_run(command, str(refused)), "completed"
    except asyncio.CancelledError:
        return not_run(command, "stopped by the user"), "aborted"
    if found.output is not None:
        return already_run(command, found.output, found.exit_code), "completed"
    running = RunningCommand(command.replace(command=found.command), agent.context, show)
    task = spawn(running.run(), "shell command")
    stopped = await finish(task, running.stop)
    return task.result(), "aborted" if stopped else "completed"


class RunningCommand:
    """A running shell command, which can be stopped."""

    def __init__(
        self,
        command: ShellCommand,
        context: ToolContext,
        show: Callable[[str], None],
        *,
        timeout: float | None = None,
        limits: "BashLimits | None" = None,
    ) -> None:
        """`context` is the agent's; `show` is called with new output, a few times a second."""
        self.command = command
        self._shell = _StoppableShell(context.shell)
        self._context = context.replace(shell=self._shell, progress=show, call_id="")
        self._timeout = timeout
        self._limits = limits

    async def run(self) -> ShellResult:
        """Run the command. Raises nothing but CancelledError, after the command and its child processes have ended."""
        from zot_core.tools.bash import BashLimits, run_command, shortened  # noqa: PLC0415  the first screen has no command

        try:
            limits = self._limits or BashLimits()
            result = await run_command(self.command.command, self._context, self._timeout, limits)
        except ToolError as error:
            return not_run(self.command, str(error))
        text = f"$ {shortened(self.command.command)}\n\n{result.text}"
        stopped = self._shell.stopped
        shown = next((each for each in result.display if isinstance(each, TerminalDisplay)), None)
        return ShellResult(self.command, f"{text}\n{STOPPED}" if stopped else text, stopped, shown)

    def stop(self) -> None:
        """Stop the command; `run` then returns the output so far. Does nothing before its start and after its end."""
        self._shell.stop()


class _StoppableShell:
    """A shell whose command can be stopped without cancelling the task that awaits it."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._stop_requested = asyncio.Event()
        self._ended = False
        self.stopped = False

    def stop(self) -> None:
        if not self._ended:
            self._stop_requested.set()

    async def run(self, command: str, **how: Unpack[ShellOptions]) -> ShellExit:
        work = spawn(self._shell.run(command, **how), "shell command")
        stop_requested = spawn(self._stop_requested.wait(), "stop of a shell command")

        def cancel_work() -> None:
            work.cancel()

        try:
            await asyncio.wait([work, stop_requested], return_when=asyncio.FIRST_COMPLETED)
            self.stopped = not work.done()
        finally:
            self._ended = True
            stop_requested.cancel()
            if not work.done():
                work.cancel()
            cancelled = await finish(work, cancel_work)
        if cancelled:
            raise asyncio.CancelledError
        return ShellExit(_INTERRUPTED) if work.cancelled() else work.result()
