"""`UndoStack`: the edits of a text, for undo and redo; pure."""

from dataclasses import dataclass


@dataclass(slots=True)
class TextEdit:
    """`removed` was replaced by `inserted` at offset `at`, while the cursor was at `cursor`."""

    at: int
    removed: str
    inserted: str
    cursor: int


class UndoStack:
    """Applied edits and undone edits. A new edit drops the undone ones."""

    __slots__ = ("_begun", "_done", "_limit", "_open", "_undone")

    def __init__(self, limit: int = 500) -> None:
        self._limit = limit
        self._done: list[TextEdit] = []
        self._undone: list[TextEdit] = []
        self._open = False
        self._begun = 0  # number of applied edits when `begin` was called

    def add(self, edit: TextEdit, *, typed: bool = False) -> None:
        """Record an edit. A `typed` edit right after another typed one is merged into it."""
        self._undone.clear()
        last = self._done[-1] if self._done else None
        if typed and self._open and last and not edit.removed and edit.at == last.at + len(last.inserted):
            last.inserted += edit.inserted
            return
        self._done.append(edit)
        self._begun -= max(len(self._done) - self._limit, 0)
        del self._done[: -self._limit]
        self._open = typed

    def begin(self) -> None:
        """Begin a step that lasts until `end`."""
        self._open = False
        self._begun = len(self._done)

    def end(self, edit: TextEdit | None) -> None:
        """Replace all edits since `begin` by `edit`, which has the same effect; None if there was no effect."""
        self._open = False
        del self._done[max(self._begun, 0) :]
        if edit is not None:
            self._done.append(edit)

    def close(self) -> None:
        """Let the next typed edit be a step of its own."""
        self._open = False

    def undo(self) -> TextEdit | None:
        """Return the last applied edit, to be undone, or None."""
        return self._shift(self._done, self._undone)

    def redo(self) -> TextEdit | None:
        """Return the last undone edit, to be applied again, or None."""
        return self._shift(self._undone, self._done)

    def _shift(self, source: list[TextEdit], target: list[TextEdit]) -> TextEdit | None:
        self._open = False
        if not source:
            return None
        target.append(source.pop())
        return target[-1]
