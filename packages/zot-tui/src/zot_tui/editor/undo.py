"""What was done to a text, to take it back and do it again; pure."""

from dataclasses import dataclass


@dataclass(slots=True)
class TextEdit:
    """At offset `at`, `removed` was replaced by `inserted`, while the cursor stood at `cursor`."""

    at: int
    removed: str
    inserted: str
    cursor: int


class UndoStack:
    """Edits in order, and how many of them are in force. A new edit forgets those that were taken back."""

    __slots__ = ("_begun", "_done", "_limit", "_open", "_undone")

    def __init__(self, limit: int = 500) -> None:
        self._limit = limit
        self._done: list[TextEdit] = []
        self._undone: list[TextEdit] = []
        self._open = False
        self._begun = 0  # how many of the edits in force were there when `begin` was called

    def add(self, edit: TextEdit, *, typed: bool = False) -> None:
        """Remember an edit. One that is `typed` right after another typed one becomes part of it."""
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
        """From here to `end` edits make one step."""
        self._open = False
        self._begun = len(self._done)

    def end(self, edit: TextEdit | None) -> None:
        """Put `edit`, which does all that was done since `begin`, in its place; None if that came to nothing."""
        self._open = False
        del self._done[max(self._begun, 0) :]
        if edit is not None:
            self._done.append(edit)

    def close(self) -> None:
        """What is typed from now on is a step of its own."""
        self._open = False

    def undo(self) -> TextEdit | None:
        """The last edit in force, to be taken back; None if there is none."""
        return self._shift(self._done, self._undone)

    def redo(self) -> TextEdit | None:
        """The edit that was taken back last, to be done again; None if there is none."""
        return self._shift(self._undone, self._done)

    def _shift(self, source: list[TextEdit], target: list[TextEdit]) -> TextEdit | None:
        self._open = False
        if not source:
            return None
        target.append(source.pop())
        return target[-1]
