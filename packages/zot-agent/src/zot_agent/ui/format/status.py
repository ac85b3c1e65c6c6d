"""The status row: directory, model, tokens and cost."""

import os
from collections.abc import Sequence

from zot_agent.ui.format.amounts import percent, spent, tokens
from zot_core.permission_mode import PermissionMode, SandboxState
from zot_core.runtime.runtime import Runtime
from zot_provider.wire.reasoning import nearest_level
from zot_tui.widgets.status import Segment, StatusLine


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
    permissions: PermissionMode = "yolo",
    sandbox: SandboxState = "off",
    extensions: Sequence[str] = (),
) -> list[StatusLine]:
    """Return the row: directory and branch on the left; tokens, cost, context, reasoning, provider, model on the right.

    `context` is the size of the conversation in tokens, `waiting` counts queued prompts, `jobs` commands in the
    background, `asked` is whether a hidden question waits for an answer, `mode` the name of the editor's mode, if it is
    to be shown. The mode of permissions is always shown, as a warning where everything runs; the sandbox is shown while
    there is one. `extensions` are what extensions show.
    """
    agent = runtime.agent
    usage, model = agent.usage, agent.model
    folder = shown_folder(runtime.cwd, home)
    confined = {"off": "", "on": "sandbox", "strict": "strict sandbox", "lesser": "lesser sandbox"}[sandbox]
    left = [
        Segment(mode, "accent", 7),
        Segment(permissions, "warning" if permissions == "yolo" else "accent", 7),
        Segment(confined, "accent", 7),
        Segment(folder, "status", 3),
        Segment(branch, "status", 4),
    ]
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
    matters = not window.guessed or context * 100 >= window.tokens  # a guess is not worth its place before
    if window.tokens and context and matters:
        guess = "~" if window.guessed else ""
        right.append(Segment(f"{percent(context, window.tokens)} of {guess}{tokens(window.tokens)}", "status", 6))
    level = nearest_level(model, agent.reasoning)
    if level != "off":
        right.append(Segment(level, "status", 1))
    right.append(Segment(model.provider, "status", 0))
    right.append(Segment(model.id or "the server's model", "status", 8))
    return [StatusLine(left, right)]


def shown_folder(folder: str, home: str) -> str:
    """Return the path of a folder with `~` for the home directory, if that is not empty."""
    inside = home and (folder == home or folder.startswith(home + os.sep))
    return f"~{folder[len(home) :]}" if inside else folder
