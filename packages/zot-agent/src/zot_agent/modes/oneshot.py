"""What the one-shot modes share: one prompt, signals, an exit code."""

import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from zot_agent.host import Host
from zot_agent.modes.output import Output, print_error
from zot_core.conversation.events import ConversationEvent, Display, Notify, Submit, Undelivered
from zot_core.events import Done, ErrorEvent, Notice, RunEnd, TurnEnd
from zot_provider.messages import ImageBlock

Show: TypeAlias = Callable[[Output, ConversationEvent], None]
"""Writes what a mode shows of an event."""

_EXIT: dict[RunEnd, int] = {
    "completed": 0,
    "error": 1,
    "refused": 5,
    "max_steps": 4,
    "max_cost": 4,
    "max_tokens": 4,
    "deadline": 4,
}


class _Watch:
    """Follows runs for the exit code, and tells the person on standard error what is not part of the answer."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._code = 1
        self._refusal = ""
        self._end: RunEnd = "completed"

    def __call__(self, event: ConversationEvent) -> None:
        match event:
            case ErrorEvent(message, code):
                self._code = code
                self.tell(message)
            case TurnEnd(stop, error):
                self._refusal = error
                if stop == "length":
                    self.tell("the answer was cut off: the model may not write more at once")
            case Notice(_, message):
                self.tell(message)
            case Notify(extension, level, message):
                self.tell(message, f"[{extension}] {level}")
            case Submit(extension, text, refused) if refused:
                self.tell(f"not sent, because {refused}: {text}", f"[{extension}]")
            case Undelivered(texts):
                for text in texts:
                    self.tell(f"not delivered, because the prompt has ended: {text}")
            case Done(end):
                self._end = end

    def tell(self, text: str, who: str = "zot") -> None:
        """A line on standard error, below the text that has come and never within a line of it."""
        self._output.flush_before_stderr()
        print_error(text, who)

    def code(self) -> int:
        """The exit code after the last run."""
        if self._end == "refused":
            self.tell(f"refused: {self._refusal}")
        return self._code if self._end == "error" else 130 if self._end == "aborted" else _EXIT[self._end]


class _Signals:
    """While this is entered, signals that ask the process to end call `cancel` and are listed.

    The handlers are not asyncio's, which wait for the loop: it may hang in a write to a reader that reads no more.
    """

    def __init__(self, cancel: Callable[[], None], output: Output) -> None:
        self._cancel, self._output = cancel, output
        self._loop = asyncio.get_running_loop()
        self._received: list[int] = []
        self._before: dict[int, Any] = {}

    def __enter__(self) -> list[int]:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None and not (name == "SIGHUP" and signal.getsignal(number) == signal.SIG_IGN):  # nohup
                self._before[number] = signal.signal(number, self._handle)
        return self._received

    def _handle(self, number: int, frame: object) -> None:
        self._received.append(number)
        self._output.hurry()
        self._loop.call_soon_threadsafe(self._cancel)

    def __exit__(self, *exc: object) -> None:
        """Once a signal has come, the process is ending: another one must not find it half dismantled."""
        for number, before in self._before.items():
            signal.signal(number, signal.SIG_IGN if self._received else before)
        self._output.restore()


async def answer(
    host: Host, prompt: str, show: Show, *, images: Sequence[ImageBlock] = (), plain: bool = False, quiet: bool = False
) -> int:
    """Answer `prompt` and what extensions send meanwhile, showing events with `show`; the exit code. `quiet`: `show`
    tells of the tools itself.

    SIGINT, SIGTERM and SIGHUP stop the work and its children, keep the session and give 130, 143 and 129. A reader of
    standard output that goes away stops the work too and gives 0. A person at a terminal sees on standard error what
    the tools do, unless the mode is `plain`: then its output is for a program.
    """
    for note in host.notes:
        print_error(note)
    conversation = host.conversation

    def stop() -> None:
        conversation.stop()

    conversation.refusal = lambda: "one prompt is answered here, no other"
    output = Output(stop, plain=plain)
    watch = _Watch(output)
    conversation.events.add(lambda event: show(output, event))
    conversation.events.add(watch)
    with _Signals(stop, output) as received:
        if not (plain or quiet) and sys.stderr.isatty():
            from zot_agent.modes.activity import Activity  # noqa: PLC0415  a script has no use for it

            host.runtime.hooks.event.add(Activity(output, received))
        end = await conversation.prompt(prompt, images)
        await conversation.idle()
        output.flush()
    if received and (end == "aborted" or output.gone):
        return 128 + received[0]
    if output.failure:
        print_error(output.failure)
        return 1
    return 0 if output.gone else watch.code()


def show_displayed(output: Output, event: ConversationEvent) -> None:
    """Write what a slash command of an extension answered, as lines of its own."""
    if isinstance(event, Display):
        output.end_line()
        output.write(event.text if event.text.endswith("\n") else event.text + "\n")
