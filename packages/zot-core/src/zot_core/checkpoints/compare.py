"""The changes of a session: the files as they were before it, beside what they are now."""

import asyncio
from typing import Literal

from zot_core.aio import in_thread
from zot_core.checkpoints import states
from zot_core.checkpoints.restore import FileHistory
from zot_core.checkpoints.states import FileState
from zot_core.errors import CheckpointError, ToolError
from zot_core.tools.edit import EditLimits, edit_content
from zot_core.tools.text.edit_text import EditError, TextReplacement
from zot_provider.record import Record, field


class CompareLimits(Record):
    """Bounds of a comparison. Files beyond them are named without their lines."""

    file_bytes: int = 1_000_000
    seconds: float = 10.0
    """For all files together."""


class FileDiff(Record):
    """A file that a session changed. `diff` and `starts` have the form of `DiffDisplay`; without them `note` says
    why."""

    path: str
    status: Literal["created", "deleted", "changed"]
    diff: str = ""
    starts: list[tuple[int, int]] = field(default_factory=list)
    note: str = ""

    @property
    def added(self) -> int:
        return sum(row.startswith("+") for row in self.diff.split("\n"))

    @property
    def removed(self) -> int:
        return sum(row.startswith("-") for row in self.diff.split("\n"))


async def compare(history: FileHistory, limits: CompareLimits | None = None) -> list[FileDiff]:
    """Return the files that differ from what they were before the session, by path."""
    limits = limits or CompareLimits()
    changed = await in_thread(history.changed)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limits.seconds
    found = []
    for path, before, now in changed:
        status: Literal["created", "deleted", "changed"]
        status = "created" if before is None else "deleted" if now is None else "changed"
        try:
            old, new = await asyncio.to_thread(_contents, history, before, now, limits)
            diff, starts = await _lines(path, old, new, deadline - loop.time())
            note = "" if diff or before is None or now is None else _mode_note(before.mode, now.mode)
            found.append(FileDiff(path, status, diff, starts, note))
        except (CheckpointError, ToolError, EditError) as error:
            found.append(FileDiff(path, status, note=str(error)))
    return found


def _contents(
    history: FileHistory, before: FileState | None, now: FileState | None, limits: CompareLimits
) -> tuple[bytes, bytes]:
    contents = []
    for state in (before, now):
        content = b"" if state is None else history.content(state)
        if len(content) > limits.file_bytes:
            raise CheckpointError("too large to be shown")
        if b"\0" in content:
            raise CheckpointError("not a text")
        contents.append(content)
    return contents[0], contents[1]


async def _lines(path: str, old: bytes, new: bytes, seconds: float) -> tuple[str, list[tuple[int, int]]]:
    """Return the diff of two contents."""
    if old == new:
        return "", []
    before, after = (text.decode("utf-8", "surrogateescape") for text in (old, new))
    if not old or not new:
        sign, text = ("-", before) if old else ("+", after)
        return "\n".join(sign + line for line in text.removesuffix("\n").split("\n")), [(1, 1)]
    if seconds <= 0:
        raise CheckpointError("not compared: the other files took too long")
    if before.replace("\r\n", "\n") == after.replace("\r\n", "\n"):
        raise CheckpointError("only line breaks differ")
    _, edited = await edit_content(old, [TextReplacement(before, after)], path, EditLimits(seconds))
    return edited.diff, edited.starts


def _mode_note(before: int, now: int) -> str:
    """Return what has changed of a file with the same content."""
    if before == now:
        return ""
    if states.LINK in (before, now):
        return "now a link" if now == states.LINK else "no longer a link"
    executable = 0o100
    if (before ^ now) & executable:
        return "now executable" if now & executable else "no longer executable"
    return f"its permissions were {before & 0o777:04o} and are {now & 0o777:04o}"
