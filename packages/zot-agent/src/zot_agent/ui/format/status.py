"""The status row: directory, model, tokens and cost."""

import os
from collections.abc import Sequence

from zot_agent.ui.format.amounts import percent, spent, tokens
from zot_core.permission_mode import PermissionMode, SandboxState
from zot_core.runtime.runtime import Runtime
from zot_provider.wire.reasoning import nearest_level
from zot_tui.widgets.status import ALWAYS, Segment, StatusLine

SANDBOXES: dict[SandboxState, str] = {
    "off": "no sandbox", "on": "sandbox", "strict": "strict sandbox", "lesser": "lesser sandbox",
}  # fmt: skip


def lines(
    runtime: Runtime,
    branch: str,
    context: int,
    *,
    waiting: int = 0,
    jobs: int = 0,
    asked: bool = False,
    home: str = "",
    mode: str = "",
    always: Sequence[Segment] = (),
    undo: bool = False,
    extensions: Sequence[str] = (),
) -> list[StatusLine]:
    """Return the row: directory and branch on the left; tokens, cost, context, reasoning, provider, model on the right.

    `context` is the size of the conversation in tokens, `waiting` counts queued prompts, `jobs` commands in the
    background, `asked` is whether a hidden question waits for an answer, `mode` the name of the editor's mode, if it is
    to be shown; `always` is what `dangers` returns. The cost has that of sub-agents in it. `undo`: the last prompt has
    changed files. `extensions` are what extensions show.
    """
    agent = runtime.agent
    usage, model = agent.usage, agent.model
    folder = shown_folder(runtime.cwd, home)
    left = [
        Segment(mode, "accent", 7),
        *always,
        Segment(folder, "status", 3),
        Segment(branch, "status", 4),
    ]
    if undo:
        left.append(Segment("/undo", "accent", 5))
    if asked:
        left.append(Segment("a question is waiting", "warning", 7))
    if waiting:
        left.append(Segment(f"{waiting} queued", "accent", 6))
    if jobs:
        left.append(Segment(f"{jobs} job{'' if jobs == 1 else 's'}", "accent", 5))
    left += [Segment(text, "status", 2) for text in extensions]
    right = []
    if usage.input or usage.output:
        read = usage.input + usage.cache_read + usage.cache_write
        right.append(Segment(f"↑{tokens(read)} ↓{tokens(usage.output)}", "status", 2))
        right.append(Segment(spent(usage, model), "status", 5))
    window = runtime.compactor.window.current
    if window.tokens and context:
        guess = "~" if window.guessed else ""
        right.append(Segment(f"{percent(context, window.tokens)} of {guess}{tokens(window.tokens)}", "status", 6))
    level = nearest_level(model, agent.reasoning)
    if level != "off":
        right.append(Segment(level, "status", 1))
    right.append(Segment(model.provider, "status", 0))
    right.append(Segment(model.id or "the server's model", "status", 8))
    return [StatusLine(left, right)]


def dangers(permissions: PermissionMode, sandbox: SandboxState) -> list[Segment]:
    """Return what is always shown: which calls run without a question, and what confines commands. It is a warning
    where everything runs, and nothing confines it."""
    open_to_all = permissions == "yolo"
    style = "accent" if sandbox != "off" else "warning" if open_to_all else "status"
    return [
        Segment(permissions, "warning" if open_to_all else "accent", ALWAYS),
        Segment(SANDBOXES[sandbox], style, ALWAYS),
    ]


def shown_folder(folder: str, home: str) -> str:
    """Return the path of a folder with `~` for the home directory, if that is not empty."""
    inside = home and (folder == home or folder.startswith(home + os.sep))
    return f"~{folder[len(home) :]}" if inside else folder
