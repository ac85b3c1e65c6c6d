"""The status rows: where zot works, with which model, what it has cost."""

import os

from zot_agent.ui.format.amounts import percent, spent, tokens
from zot_core.runtime.runtime import Runtime
from zot_tui.widgets.status import Line, Segment


def lines(
    runtime: Runtime,
    branch: str,
    context: int,
    *,
    waiting: int = 0,
    asked: bool = False,
    home: str = "",
    mode: str = "",
) -> list[Line]:
    """One row: place and branch at the left; tokens, cost, context, reasoning, provider and model at the right.

    `context` is the size of the conversation in tokens; `asked`: a question waits that is not seen; `mode` is how the
    editor reads keys, if that is to be said.
    """
    agent = runtime.agent
    usage, model = agent.usage, agent.model
    place = runtime.cwd
    if home and (place == home or place.startswith(home + os.sep)):
        place = "~" + place[len(home) :]
    left = [Segment(mode, "accent", 7), Segment(place, "status", 3), Segment(branch, "status", 4)]
    if asked:
        left.append(Segment("a question waits", "warning", 7))
    if waiting:
        left.append(Segment(f"{waiting} waiting", "accent", 6))
    right = []
    if usage.input or usage.output:
        read = usage.input + usage.cache_read + usage.cache_write
        right.append(Segment(f"↑{tokens(read)} ↓{tokens(usage.output)}", "status", 2))
        right.append(Segment(spent(usage, model), "status", 5))
    if model.context_window and context:
        part = percent(context, model.context_window)
        right.append(Segment(f"{part} of {tokens(model.context_window)}", "status", 6))
    if agent.reasoning != "off":
        right.append(Segment(agent.reasoning, "status", 1))
    right.append(Segment(model.provider, "status", 0))
    right.append(Segment(model.id or "the server's model", "status", 8))
    return [Line(left, right)]
