"""The common part of the one-shot modes: answer one prompt, handle signals, return an exit code."""

import asyncio
import signal
import sys
from _signal import signal as set_handler  # type: ignore[import-not-found]
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from zot_agent.host.host import Host
from zot_agent.modes.output import Output
from zot_agent.standard_error import print_error
from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.conversation.commands import read_command
from zot_core.conversation.events import ConversationEvent, Display, Notify, Submit, Undelivered
from zot_core.conversation.extensions import FrontEndActions
from zot_core.display import main_argument
from zot_core.events import AutoRetryStart, Done, ErrorEvent, Notice, RunEnd, ToolCall, ToolResultEvent, TurnEnd
from zot_provider.messages import ImageBlock

if TYPE_CHECKING:
    from zot_agent.extensions.host import Extensions
    from zot_core.conversation.driver import Conversation

EventPrinter: TypeAlias = Callable[[Output, ConversationEvent], None]
"""Writes the part of an event that a mode prints."""

_EXIT: dict[RunEnd, int] = {
    "completed": 0,
    "error": 1,
    "refused": 5,
    "max_steps": 4,
    "max_cost": 4,
    "max_tokens": 4,
    "deadline": 4,
}


_FIXED = "it answers one prompt"
_MOST_AFTER = 50
"""How often extensions can have more answered after the prompt (our choice): they may go in circles."""


class _RunReport:
    """Reports errors and notices of runs on standard error, and gives the exit code."""

    TAKES = (ErrorEvent, TurnEnd, Notice, AutoRetryStart, Notify, Submit, Undelivered, Done)

    def __init__(self, output: Output) -> None:
        self._output = output
        self._code = 1
        self._refusal = ""
        self._end: RunEnd = "completed"
        self._unasked = False

    def __call__(self, event: ConversationEvent) -> None:
        match event:
            case ErrorEvent(message, code):
                self._code = code
                self._print(message)
            case TurnEnd(_, error):
                self._refusal = error
            case Notice(_, message):
                self._print(message)
            case AutoRetryStart():
                self._print(event.line)
            case Notify(extension, level, message):
                self._print(message, f"[{extension}] {level}")
            case Submit(extension, text, refused) if refused:
                self._print(f"not sent, because {refused}: {text}", f"[{extension}]")
            case Undelivered(texts):
                for text in texts:
                    self._print(f"not delivered, because the prompt has ended: {text}")
            case Done(end):
                self._end = end

    async def refuse(self, question: PermissionQuestion) -> PermissionAnswer:
        """Refuse a call that a person would be asked about, and name the rules that would allow it."""
        if question.outside:
            return PermissionAnswer("no")
        self._unasked = True
        call = question.call
        rules, one = " and ".join(question.always), len(question.always) == 1
        way = (
            f"the rule{'' if one else 's'} {rules} in permissions.allow allow{'s' if one else ''} it"
            if rules
            else "no rule can allow it"
        )
        shown = main_argument(call.arguments_json())
        self._print(f"not allowed, because nobody can be asked: {call.name} {shown} ({question.reason}); {way}")
        return PermissionAnswer("no", "nobody can be asked", unanswered=True)

    def _print(self, text: str, who: str = "zot") -> None:
        """Print a line to standard error, below the text so far and never in the middle of a line of it."""
        self._output.flush_before_stderr()
        print_error(text, who)

    def code(self) -> int:
        if self._end == "refused":
            self._print(f"refused: {self._refusal}")
        if self._end == "completed" and self._unasked:
            return _EXIT["refused"]
        return self._code if self._end == "error" else 130 if self._end == "aborted" else _EXIT[self._end]


class _EndSignals:
    """A context that calls `cancel` for signals that ask the process to end, and adds their numbers to `received`.

    The handlers are not asyncio's, which wait for the loop: the loop may hang in a write to a stalled reader.
    `signal.signal` would describe the handler before, a task of asyncio, in an error, and import `inspect` for that.
    """

    def __init__(self, cancel: Callable[[], None], output: Output, received: list[int]) -> None:
        self._cancel, self._output, self._received = cancel, output, received
        self._loop = asyncio.get_running_loop()
        self._before: dict[int, Any] = {}

    def __enter__(self) -> None:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None and not (name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN):  # nohup
                self._before[number] = set_handler(number, self._handle)

    def _handle(self, number: int, frame: object) -> None:
        self._received.append(number)
        self._output.stop_waiting()
        self._loop.call_soon_threadsafe(self._cancel)

    def __exit__(self, *exc: object) -> None:
        """Restore the handlers. After a signal, ignore further ones: they must not interrupt the shutdown."""
        for number, before in self._before.items():
            signal.signal(number, signal.SIG_IGN if self._received else before)
        self._output.restore()


async def answer(
    host: Host,
    prompt: str,
    show: EventPrinter,
    *,
    images: Sequence[ImageBlock] = (),
    plain: bool = False,
    quiet: bool = False,
    takes: Sequence[type] = (),
) -> int:
    """Answer `prompt` and the prompts that extensions submit meanwhile, print events with `show`, all or the events of
    the classes `takes`, and return the exit code. A runtime with a durable run does that run in place of the prompt.

    SIGINT, SIGTERM and SIGHUP stop the work and its children, keep the session and give 130, 143 and 129. If the reader
    of standard output disconnects, the work stops too; the exit code is then 0. On a terminal, tool calls are printed
    to standard error, unless the output is for a program (`plain`) or `show` prints them itself (`quiet`).
    """
    for note in host.notes:
        print_error(note)
    conversation, durable = host.conversation, host.runtime.durable
    received: list[int] = []

    def stop() -> None:
        if durable is not None and received and received[0] != signal.SIGINT:
            durable.stopped_state = "running"  # the machine goes down, or its terminal: another process continues
        conversation.stop()

    conversation.actions = FrontEndActions(fixed_session=_FIXED, refusal=lambda: _refusal(conversation))
    output = Output(stop, plain=plain)
    report = _RunReport(output)
    conversation.events.add(lambda event: show(output, event), *takes)
    conversation.events.add(report, *report.TAKES)
    if durable is None:
        conversation.permissions.ask_with(report.refuse, "none")
    else:
        conversation.permissions.ask_with(durable.asking(report.refuse), "main")
    with _EndSignals(stop, output, received):
        if not (plain or quiet) and sys.stderr.isatty():
            from zot_agent.modes.activity import Activity  # noqa: PLC0415  a script has no use for it

            host.runtime.hooks.event.add(Activity(output, received), ToolCall, ToolResultEvent)
        run = conversation.prompt(prompt, images) if durable is None else conversation.resend(prompt, durable.work)
        end = await run
        await conversation.idle()
        if end == "completed" and host.extensions is not None:
            await _answer_more(host.extensions, conversation)
        output.flush()
    if received and (end == "aborted" or output.disconnected):
        return 128 + received[0]
    if output.failure:
        print_error(output.failure)
        return 1
    return 0 if output.disconnected else report.code()


def _refusal(conversation: "Conversation") -> str:
    """Return why a prompt of an extension is not taken now; empty if it is."""
    # A command of an extension is no question yet: what it sends is.
    typed = None if conversation.running is None else read_command(conversation.running.text)
    command = None if typed is None else conversation.find_command(typed[0])
    is_command = command is not None and command.kind == "extension"
    return "" if is_command else "only one prompt is answered in this mode"


async def _answer_more(extensions: "Extensions", conversation: "Conversation") -> None:
    conversation.actions = FrontEndActions(fixed_session=_FIXED)
    ended: list[ConversationEvent] = []
    conversation.events.add(ended.append, Done)
    for turns in range(_MOST_AFTER):
        ended.clear()
        await extensions.hooks.before_exit(turns)
        if not (conversation.busy or ended):  # what was sent may have been answered before the extension was done
            return
        await conversation.idle()


def show_displayed(output: Output, event: ConversationEvent) -> None:
    """Write the answer of an extension's slash command on its own lines."""
    if isinstance(event, Display):
        output.end_line()
        output.write(event.text if event.text.endswith("\n") else event.text + "\n")
