"""What the one-shot modes share: one prompt, signals, an exit code."""

import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from zot_agent.host import Host
from zot_agent.modes.output import Output, complain
from zot_core.events import AgentEvent, ErrorEvent, Notice, RunEnd, TurnEnd
from zot_provider.messages import ImageBlock

if TYPE_CHECKING:
    from zot_agent.extensions.events import ExtensionEvent

Show: TypeAlias = Callable[[Output, AgentEvent], None]
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
    """Follows a run for its exit code, and tells the person on standard error what is not part of the answer."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self.code = 1
        self.refusal = ""

    def __call__(self, event: AgentEvent) -> None:
        if isinstance(event, ErrorEvent):
            self.code = event.exit_code
            self.tell(event.message)
        elif isinstance(event, TurnEnd):
            self.refusal = event.error
            if event.stop == "length":
                self.tell("the answer was cut off: the model may not write more at once")
        elif isinstance(event, Notice):
            self.tell(event.message)

    def tell(self, text: str, who: str = "zot") -> None:
        """A line on standard error, below the text that has come and never within a line of it."""
        self._output.make_way()
        complain(text, who)

    def tell_note(self, event: "ExtensionEvent") -> None:
        """A note of an extension, as `[name] level: text`; nothing else of theirs can be shown here."""
        from zot_agent.extensions.events import Notify  # noqa: PLC0415  who has no extensions does not need it

        if isinstance(event, Notify):
            self.tell(event.message, f"[{event.extension}] {event.level}")


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
    """Answer `prompt`, showing events with `show`; the exit code. `quiet`: `show` tells of the tools itself.

    SIGINT, SIGTERM and SIGHUP stop the turn and its children, keep the session and give 130, 143 and 129. A reader of
    standard output that goes away stops the turn too and gives 0. A person at a terminal sees on standard error what
    the tools do, unless the mode is `plain`: then its output is for a program.
    """
    for note in host.notes:
        complain(note)
    output = Output(host.runtime.cancel, plain=plain)
    watch = _Watch(output)
    if host.extensions is not None:
        host.extensions.events.add(watch.tell_note)
    host.runtime.hooks.event.add(lambda event: show(output, event))
    host.runtime.hooks.event.add(watch)
    with _Signals(host.runtime.cancel, output) as received:
        if not (plain or quiet) and sys.stderr.isatty():
            from zot_agent.modes.activity import Activity  # noqa: PLC0415  a script has no use for it

            host.runtime.hooks.event.add(Activity(output, received))
        end = await host.runtime.prompt(prompt, images).task
        output.flush()
    if received and (end == "aborted" or output.gone):
        return 128 + received[0]
    if output.failure:
        complain(output.failure)
        return 1
    if output.gone:
        return 0
    if end == "aborted":
        return 130
    if end == "refused":
        watch.tell(f"refused: {watch.refusal}")
    return watch.code if end == "error" else _EXIT[end]
