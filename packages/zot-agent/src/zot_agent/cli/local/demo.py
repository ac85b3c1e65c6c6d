"""`zot demo`: answers one prompt with any available model, and shows each step."""

import os
import shutil
import sys
import time
from collections.abc import Sequence

from zot_agent.cli.verb import Verb
from zot_agent.event_loop import run_in_loop
from zot_agent.host.build import build_host
from zot_agent.host.options import HostOptions
from zot_agent.local.pick import DEMO_NOTE, ModelPick, demo_pick, pick_model, server_candidates
from zot_agent.modes.oneshot import answer
from zot_agent.modes.output import Output
from zot_core.conversation.events import ConversationEvent
from zot_core.events import AutoRetryStart, Done, TextDelta, ToolCall, ToolResultEvent, TurnEnd, UsageEvent
from zot_provider.messages import TextBlock
from zot_tui.text.sanitize import sanitize
from zot_tui.text.width import clip

PROMPT = "Read README.md and say in one sentence what this project is."
"""The default prompt."""

NEEDS_SETUP = 3
"""Exit code of `--probe` if the demo model must be set up first."""

_MAX_STEPS = 8
"""Model calls after which the demo stops."""


def _run(prompt: Sequence[str] = (), *, probe: bool = False, demo_model: bool = False) -> int:
    """Try zot once: show a prompt, the tool calls and the answer. Uses a provider whose key is in the environment, else
    a local OpenAI-compatible server, else the demo model, which runs inside zot.

    --probe: only print which model would be used
    --demo-model: use the demo model even if there is another one
    PROMPT: the prompt (default: Read README.md and say in one sentence what this project is.)

    exit codes: 0 done, 1 failure, 2 usage or no model, 3 --probe: run zot local setup first, 130 Ctrl+C
    """
    return run_in_loop(_demo(" ".join(prompt) or PROMPT, probe=probe, demo_model=demo_model))


async def _demo(prompt: str, *, probe: bool, demo_model: bool) -> int:
    if demo_model:
        pick = demo_pick("chosen with --demo-model")
    else:
        pick = await pick_model(os.environ, server_candidates(os.environ))
    if probe:
        sys.stdout.write(sanitize(pick.tag) + "\n")
        return 0 if pick.ready else NEEDS_SETUP
    host = build_host(_as_options(pick))
    try:
        note = f"\n{DEMO_NOTE}\n" if pick.kind == "demo" else ""
        sys.stdout.write(sanitize(f"model: {pick.why}\n{note}\n> {prompt}\n"))
        sys.stdout.flush()
        return await answer(host, prompt, DemoPrinter(), quiet=True)
    finally:
        await host.close()


def _as_options(pick: ModelPick) -> HostOptions:
    """Return the options that select this model."""
    return HostOptions(
        provider=pick.provider.id, model=pick.model, base_url=pick.base_url, no_session=True, max_steps=_MAX_STEPS
    )


class DemoPrinter:
    """Prints tool calls, their output (at most half a screen), the text as it arrives, and finally tokens and time."""

    def __init__(self) -> None:
        self._size = shutil.get_terminal_size()
        self._started = time.monotonic()
        self._usage = (0, 0)
        self._in_text = False

    def __call__(self, output: Output, event: ConversationEvent) -> None:
        if isinstance(event, TextDelta):
            output.write(event.delta if self._in_text else f"\n{event.delta.lstrip()}")
            self._in_text = True
        elif isinstance(event, TurnEnd | AutoRetryStart):
            output.end_line()
            self._in_text = False
        elif isinstance(event, ToolCall):
            output.write(f"\n* {event.name} {event.arguments}\n")
        elif isinstance(event, ToolResultEvent):
            text = "\n".join(block.text for block in event.content if isinstance(block, TextBlock))
            output.write(shortened(text or "(no text)", self._size.lines // 2, self._size.columns))
        elif isinstance(event, UsageEvent):
            total = event.cumulative
            self._usage = (total.input + total.cache_read + total.cache_write, total.output)
        elif isinstance(event, Done):
            seconds = time.monotonic() - self._started
            output.write(f"\n[{self._usage[0]} tokens in, {self._usage[1]} out, {seconds:.1f} s]\n")


def shortened(text: str, lines: int, columns: int) -> str:
    """Return the beginning of `text`, safe for a terminal and without colours: at most `lines` indented lines of
    `columns` cells, and a line with the number of omitted lines."""
    rows = text.rstrip("\n").split("\n")
    shown = [f"  {clip(sanitize(row, tab_size=8), columns - 2)}" for row in rows[:lines]]
    if len(rows) > lines:
        shown.append(f"  … {len(rows) - lines} more lines")
    return "\n".join(shown) + "\n"


run = Verb("zot demo", _run)
