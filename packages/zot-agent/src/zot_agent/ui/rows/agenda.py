"""Rows above the editor for what is still to be done: `QueueRows` and `TodoRows`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from zot_tui.terminal.canvas import Rows
from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.sanitize import sanitize_line

if TYPE_CHECKING:
    from zot_core.display import Todo

WIDE = 60
"""Columns from which the queue says when a text is read."""

QUEUE_SHOWN = 3
"""Queued prompts that are shown."""

TODOS_SHOWN = 5
"""Items of the to-do list that are shown: the next that are not completed."""


class Wait(NamedTuple):
    """Why a text waits: a mark and a name, in a style of their own, and when it is read."""

    mark: str
    name: str
    style: str
    when: str


STEERING = Wait("↳", "steering", "user", "read after this step")
FOLLOW_UP = Wait("→", "follow-up", "accent", "read after this answer")
QUEUED = Wait(" ", "queued", "muted", "sent when zot is done")


class Unread(NamedTuple):
    """A text that waits."""

    wait: Wait
    text: str


class QueueRows(Rows):
    """Messages that the model has not read yet, and prompts that wait for the run to end."""

    def __init__(self) -> None:
        super().__init__(self._drawn)
        self._texts: Sequence[Unread] = ()

    def show(self, texts: Sequence[Unread]) -> None:
        self._texts = texts
        self.changed()

    def _drawn(self, columns: int) -> list[Row[Any]]:
        rows: list[Row[Any]] = []
        for wait, text in self._texts[:QUEUE_SHOWN]:
            end = f"  {wait.when}" if columns >= WIDE else ""
            head = (wait.style, f"{wait.mark} {wait.name}: ")
            shown = clip_runs([head, ("text", sanitize_line(text.strip().partition("\n")[0]))], columns - len(end))
            rows.append([*shown, ("muted", end)])
        if len(self._texts) > QUEUE_SHOWN:
            rows.append([("muted", f"  and {len(self._texts) - QUEUE_SHOWN} more"[:columns])])
        return rows


class TodoRows(Rows):
    """The list of the model's tasks, until all of it is completed."""

    def __init__(self) -> None:
        super().__init__(self._drawn)
        self._items: Sequence[Todo] = ()

    def show(self, items: "Sequence[Todo]") -> None:
        self._items = items
        self.changed()

    def _drawn(self, columns: int) -> list[Row[Any]]:
        open_items = [each for each in self._items if each.status != "completed"]
        if not open_items:
            return []
        from zot_tui.widgets.transcript.blocks import todo_line  # noqa: PLC0415  not for the first screen

        done = len(self._items) - len(open_items)
        rows: list[Row[Any]] = [clip_runs([("muted", f"  to do: {done} of {len(self._items)} done")], columns)]
        rows += [clip_runs([(None, "  "), *todo_line(each)], columns) for each in open_items[:TODOS_SHOWN]]
        if len(open_items) > TODOS_SHOWN:
            rows.append(clip_runs([("muted", f"  and {len(open_items) - TODOS_SHOWN} more")], columns))
        return rows
