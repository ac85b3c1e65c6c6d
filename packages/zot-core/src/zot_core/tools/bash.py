"""The `bash` tool: run a command in a shell."""

import contextlib
import locale
import re
import time
from typing import Annotated, Any

from zot_core.display import DisplayBlock, TerminalDisplay
from zot_core.errors import Refused, ToolError
from zot_core.machine.interface import ShellExit, Spawn
from zot_core.result import ToolResult
from zot_core.tools.definition.bounds import AtLeast
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.capture import Capture
from zot_core.tools.text.ends import Ends, Shown, left_out
from zot_core.tools.text.fold import binary_left_out
from zot_core.tools.text.progress import Progress
from zot_core.tools.text.questions import NOTE, asks_for_input
from zot_core.tools.text.truncate import TextLimits
from zot_provider.messages import TextBlock
from zot_provider.record import Record, field

_COMMAND = 10_000
"""Characters of the command before the output of a person's command."""

CHILD_ENV = {"AI_AGENT": "zot", "ZOT_AGENT": "1"}


class BashLimits(Record):
    """Limits for the output of a command and for its progress display."""

    text: TextLimits = field(default_factory=lambda: TextLimits(bytes=16 * 1024))
    """The part that the model reads. It stays in all later requests, and the file has the rest."""
    largest: int = 128 * 1024
    """Bytes of this part at most, if a call asks for more."""
    fold_like: bool = True
    """Whether lines that differ only in numbers are folded, unless they are lines of a file."""
    spill_bytes: int = 1024**3
    """Largest size of the file with the full output."""
    progress_pause: float = 0.1
    """Seconds between two progress updates."""
    progress_size: int = 16 * 1024
    """Most characters of one progress update."""


_LAST_LINE = r"\[exit (-?\d{1,9})\](?: \(full output: .*\))?(?:  Took)? (\d{1,9}\.\d)s"
"""The last line of a result, as `_result` writes it, and as earlier versions did."""


def shortened(command: str) -> str:
    """Return a command as the model reads it that has not written it."""
    rest = len(command) - _COMMAND
    return f"{command[:_COMMAND]}... [{rest:,} more characters]" if rest > 0 else command


def _recall(arguments: dict[str, Any], text: str, __: dict[str, Any]) -> list[DisplayBlock]:
    command = str(arguments["command"])
    output, _, last = text.removeprefix(f"$ {shortened(command)}\n\n").rpartition("\n")
    found = re.fullmatch(_LAST_LINE, last)
    if found is None:
        return []
    code = int(found[1])
    return [TerminalDisplay(command, output, None if code == -1 else code, float(found[2]), left_out(output))]


@builtin(
    other_names="shell run_shell_command execute_command run_command run_terminal_cmd terminal exec execute "
    "local_shell powershell",
    recall=_recall,
)
async def bash(
    command: str,
    context: ToolContext,
    timeout: Annotated[float | None, "Seconds; default 300, 0: none", AtLeast(0)] = None,
    background: bool | None = None,  # noqa: FBT001  a parameter of the model's
    limit: Annotated[int | None, "Output bytes; default 16384", AtLeast(1)] = None,
) -> ToolResult:
    """Run a command; returns output and exit code, as an error unless the code is 0, or 1 of a search in vain."""
    if background:
        return await _start_job(command, context, timeout)
    limits = BashLimits()
    if limit is not None:
        limits.text, limits.fold_like = TextLimits(bytes=min(limit, limits.largest)), False
    if timeout is None:
        advice = ", the default limit; give a longer `timeout` if the command needs it"
        return await run_command(command, context, context.bash_timeout, limits, advice)
    return await run_command(command, context, timeout, limits)


async def _start_job(command: str, context: ToolContext, timeout: float | None) -> ToolResult:
    from zot_core.tools.background.report import report  # noqa: PLC0415  few commands run in the background

    _check(command)
    found = await _spawn(command, context)
    job = await context.jobs.start(context.shell, found.command, cwd=found.cwd, env=found.env, timeout=timeout)
    result = report(job, job.limits.shown)
    result.is_error = job.state != "running" and job.exit_code != 0
    return result


def _check(command: str) -> None:
    """Raise ToolError for a command that no shell can run."""
    if not command.strip():
        raise ToolError("the command is empty; give a command to run")
    if "\0" in command:
        raise ToolError("the command contains a NUL byte; leave it out")


async def _spawn(command: str, context: ToolContext) -> Spawn:
    """Return what the shell gets, as hooks change it. Raises ToolError if one of them refuses it."""
    given = Spawn(command, context.cwd, CHILD_ENV | context.env)
    try:
        return given if context.spawn is None else await context.spawn(given)
    except Refused as refused:
        raise ToolError(str(refused) or "the command was refused") from None


async def run_command(
    command: str, context: ToolContext, timeout: float | None, limits: BashLimits, advice: str = ""
) -> ToolResult:
    """Run a command within `limits`. A `timeout` of 0 or None means no limit; `advice` follows the words about it.
    ToolError if the command cannot be started."""
    _check(command)
    capture = Capture(limits.text, limits.spill_bytes, context.temporary)
    ends = Ends(limits.text, lambda: limits.fold_like and not _prints_contents(command))
    progress = Progress(context.progress, limits.progress_pause, limits.progress_size)

    def output(piece: bytes) -> None:
        capture.feed(piece)
        ends.feed(piece)
        progress.feed(piece)

    started = time.monotonic()
    try:
        found = await _spawn(command, context)
        ended = await context.shell.run(
            found.command, cwd=found.cwd, env=found.env, timeout=timeout or None, output=output
        )
    except OSError as error:
        capture.discard()
        raise ToolError(f"cannot run the command in {context.cwd}: {error.strerror or error}") from error
    except BaseException:
        capture.discard()
        raise
    finally:
        progress.close()
    took = time.monotonic() - started
    shown = ends.shown()
    text = _decoded(shown.data)
    body = binary_left_out(text)
    if shown.like_folded or body != text:
        capture.keep()
    capture.close()
    return _result(command, body, capture, shown, ended, took, f"{timeout or 0:g} s{advice}")


def _prints_contents(command: str) -> bool:
    from zot_core.tools.commands.contents import prints_contents  # noqa: PLC0415  few commands print much

    return prints_contents(command)


def _found_nothing(command: str, output: str, code: int) -> bool:
    from zot_core.tools.commands.no_match import found_nothing  # noqa: PLC0415  few commands fail

    return found_nothing(command, output, code)


def _decoded(data: bytes) -> str:
    """Return output as text: a line that is not UTF-8 in the encoding of the locale, in which commands print."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "\n".join(map(_decoded_line, data.split(b"\n")))


def _decoded_line(line: bytes) -> str:
    for codec in ("utf-8", locale.getencoding()):
        with contextlib.suppress(LookupError, UnicodeDecodeError):
            return line.decode(codec)
    return line.decode("utf-8", "replace")


def _result(
    command: str, body: str, capture: Capture, shown: Shown, ended: ShellExit, duration: float, limit: str
) -> ToolResult:
    asks = asks_for_input(body, failed=ended.exit_code != 0)
    if body and not body.endswith("\n"):
        body += "\n"
    if capture.shortened:
        body += f"... [the file with the full output is incomplete: {capture.shortened}]\n"
    if ended.timed_out:
        running = "; still running then: " + ", ".join(f"`{each}`" for each in ended.running) if ended.running else ""
        body += f"the command timed out after {limit}{running}\n"
    code = -1 if ended.exit_code is None else ended.exit_code
    full = f" (full output: {capture.path})" if capture.path else ""
    gap = "\n" if body else ""
    result = ToolResult(
        [TextBlock(f"{body}{gap}[exit {code}]{full} {duration:.1f}s")],  # the model has just written the command
        is_error=code != 0 and not _found_nothing(command, body, code),
        details={
            "exit_code": code,
            "full_output_path": capture.path,
            "lines_truncated": shown.lines_truncated,
            "bytes_truncated": shown.bytes_truncated,
            "duration_ms": round(duration * 1000),
        },
        display=[TerminalDisplay(command, body, ended.exit_code, duration, left_out(body))],
    )
    return result.noted([NOTE] if asks else [])
