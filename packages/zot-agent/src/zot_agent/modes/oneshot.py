"""What the one-shot modes share: one prompt, signals, an exit code."""

import asyncio
import signal
import sys
from collections.abc import Callable
from typing import TypeAlias

from zot_agent.host import Host
from zot_agent.modes.output import Output
from zot_core.events import AgentEvent, ErrorEvent, Notice, RunEnd, TurnEnd
from zot_core.terminal import strip_controls

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


def complain(text: str) -> None:
    """One line on standard error."""
    line = " ".join(text.split())
    try:
        sys.stderr.write(f"zot: {strip_controls(line)}\n")
        sys.stderr.flush()
    except OSError:
        pass  # nobody reads it


class _Watch:
    """Follows a run for its exit code, and tells the person on standard error what is not part of the answer."""

    def __init__(self) -> None:
        self.code = 1
        self.refusal = ""

    def __call__(self, event: AgentEvent) -> None:
        if isinstance(event, ErrorEvent):
            self.code = event.exit_code
            complain(event.message)
        elif isinstance(event, TurnEnd):
            self.refusal = event.error
        elif isinstance(event, Notice):
            complain(event.message)


async def answer(host: Host, prompt: str, show: Show, *, plain: bool = False) -> int:
    """Answer `prompt`, showing events with `show`; the exit code.

    SIGINT and SIGTERM stop the turn and its children, keep the session and give 130 and 143. A reader of standard
    output that goes away stops the turn too and gives 0.
    """
    received: list[int] = []

    def stop(number: int) -> None:
        received.append(number)
        host.runtime.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop, number)
        except NotImplementedError:  # Windows: KeyboardInterrupt cancels the task instead
            break
    output, watch = Output(host.runtime.cancel, plain=plain), _Watch()
    host.runtime.hooks.event.add(lambda event: show(output, event))
    host.runtime.hooks.event.add(watch)
    end = await host.runtime.prompt(prompt).task
    output.flush()
    if output.failure:
        complain(output.failure)
        return 1
    if output.gone:
        return 0
    if end == "aborted":
        return 128 + received[0] if received else 130
    if end == "refused":
        complain(f"refused: {watch.refusal}")
    return watch.code if end == "error" else _EXIT[end]
