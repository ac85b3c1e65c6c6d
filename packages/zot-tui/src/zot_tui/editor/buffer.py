"""`Buffer`: editable text with a cursor, with the conventions of Emacs and readline; pure.

Methods that change something return nothing and cannot fail; at the end of the text they do nothing. Each change is one
undo step, except that the letters of a word typed in a row are one step.
"""

from typing import Literal

from zot_tui.editor import motions
from zot_tui.editor.undo import TextEdit, UndoStack
from zot_tui.text.width import graphemes


class KillRing:
    """At most `limit` texts. `text` is inserted by a yank; `rotate` moves on to the text before it."""

    __slots__ = ("_entries", "_limit")

    def __init__(self, limit: int = 30) -> None:
        self._limit = limit
        self._entries: list[str] = []

    @property
    def text(self) -> str:
        """The text that a yank inserts; empty if nothing was cut."""
        return self._entries[-1] if self._entries else ""

    def add(self, text: str, join: Literal["no", "after", "before"] = "no") -> None:
        """Add `text`, or join it to the newest entry: `after` it (cut forward) or `before` it (cut backward)."""
        if not text:
            return
        if join == "no" or not self._entries:
            self._entries.append(text)
            del self._entries[: -self._limit]
        else:
            newest = self._entries[-1]
            self._entries[-1] = newest + text if join == "after" else text + newest

    def rotate(self) -> str:
        """Make the entry before `text` the current one and return it; the newest follows the oldest."""
        if self._entries:
            self._entries.insert(0, self._entries.pop())
        return self.text


_Last = Literal["", "kill", "yank"]


class Buffer:
    """A text of several lines. `cursor` is an offset in code points, always between two graphemes.

    Line breaks are converted to `\\n`; the caller strips other control characters. Buffers may share a kill ring.
    """

    __slots__ = ("_cursor", "_last", "_step", "_text", "_undo", "_yanked", "kills")

    def __init__(self, text: str = "", kills: KillRing | None = None) -> None:
        self.kills = KillRing() if kills is None else kills
        self._text = _lines(text)
        self._cursor = len(self._text)
        self._undo = UndoStack()
        self._last: _Last = ""
        self._yanked = (0, 0)  # start and end of the text of the last yank
        self._step: tuple[str, int] | None = None  # text and cursor at the beginning of the open step

    @property
    def text(self) -> str:
        return self._text

    @property
    def cursor(self) -> int:
        """Where the next character goes."""
        return self._cursor

    @property
    def position(self) -> tuple[int, int]:
        """Line and column of the cursor, both from 0; the column is in code points."""
        return self._text.count("\n", 0, self._cursor), self._cursor - motions.line_start(self._text, self._cursor)

    def insert(self, text: str) -> None:
        """Insert `text` at the cursor and move the cursor behind it."""
        text = _lines(text)
        typed = not text.isspace() and len(list(graphemes(text))) == 1
        self._replace(self._cursor, self._cursor, text, typed=typed)

    def set(self, text: str, cursor: int | None = None) -> None:
        """Replace everything. The cursor moves to `cursor` (or the end of the grapheme that contains it), by default to
        the end."""
        self._replace(0, len(self._text), _lines(text))
        if cursor is not None:
            self.move(cursor)

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace the text from `start` to `end`, both grapheme borders, and move the cursor behind the new text."""
        self._replace(start, end, _lines(text))

    def begin_step(self) -> None:
        """Begin an undo step that lasts until `end_step`, ending an open one."""
        self.end_step()
        self._step = self._text, self._cursor
        self._undo.begin()

    def end_step(self) -> None:
        """End the open undo step, if any. Undo and redo end it as well."""
        if self._step is None:
            return
        (before, cursor), self._step = self._step, None
        if before == self._text:
            self._undo.end(None)
            return
        start = alike(before, self._text)
        rest = min(len(before), len(self._text)) - start
        tail = min(alike(before[::-1], self._text[::-1]), rest)
        removed, inserted = before[start : len(before) - tail], self._text[start : len(self._text) - tail]
        self._undo.end(TextEdit(start, removed, inserted, cursor))

    def move(self, offset: int) -> None:
        """Move the cursor to `offset`, or to the nearest valid position."""
        self._go(motions.snap(self._text, offset))

    def left(self) -> None:
        """Move one grapheme back."""
        self._go(motions.left(self._text, self._cursor))

    def right(self) -> None:
        """Move one grapheme forward."""
        self._go(motions.right(self._text, self._cursor))

    def word_left(self) -> None:
        """Move to the beginning of the word before the cursor."""
        self._go(motions.word_left(self._text, self._cursor))

    def word_right(self) -> None:
        """Move to the end of the word after the cursor."""
        self._go(motions.word_right(self._text, self._cursor))

    def line_start(self) -> None:
        self._go(motions.line_start(self._text, self._cursor))

    def line_end(self) -> None:
        self._go(motions.line_end(self._text, self._cursor))

    def backspace(self) -> None:
        """Delete the grapheme before the cursor."""
        self._replace(motions.left(self._text, self._cursor), self._cursor, "")

    def delete(self) -> None:
        """Delete the grapheme after the cursor."""
        self._replace(self._cursor, motions.right(self._text, self._cursor), "")

    def kill_word_left(self) -> None:
        """Cut back to the beginning of a word. Consecutive cuts of any kind are yanked as one text."""
        self._kill(motions.word_left(self._text, self._cursor), self._cursor)

    def kill_word_right(self) -> None:
        """Cut forward to the end of a word."""
        self._kill(self._cursor, motions.word_right(self._text, self._cursor))

    def kill_line_start(self) -> None:
        """Cut back to the beginning of the line; if the cursor is there, cut the line break before it."""
        start = motions.line_start(self._text, self._cursor)
        self._kill(start if start < self._cursor else motions.left(self._text, self._cursor), self._cursor)

    def kill_line_end(self) -> None:
        """Cut forward to the end of the line; if the cursor is there, cut its line break."""
        end = motions.line_end(self._text, self._cursor)
        self._kill(self._cursor, end if end > self._cursor else motions.right(self._text, self._cursor))

    def yank(self) -> None:
        """Insert the text that was cut last."""
        self._yank(self._cursor, self._cursor, self.kills.text)

    def yank_pop(self) -> None:
        """Right after a yank, replace the inserted text by the cut before it. Otherwise do nothing."""
        if self._last == "yank":
            self._yank(*self._yanked, self.kills.rotate())

    def undo(self) -> None:
        self.end_step()
        edit = self._undo.undo()
        if edit is not None:
            self._text = _spliced(self._text, edit.at, edit.at + len(edit.inserted), edit.removed)
            self._go(edit.cursor)

    def redo(self) -> None:
        """Redo the step that was undone last."""
        self.end_step()
        edit = self._undo.redo()
        if edit is not None:
            self._text = _spliced(self._text, edit.at, edit.at + len(edit.removed), edit.inserted)
            self._go(motions.snap(self._text, edit.at + len(edit.inserted)))

    def _replace(self, start: int, end: int, text: str, *, typed: bool = False) -> None:
        """Change the text. All changes but undo and redo come through here."""
        removed = self._text[start:end]
        if removed != text:
            self._undo.add(TextEdit(start, removed, text, self._cursor), typed=typed)
            self._text = _spliced(self._text, start, end, text)
        # Inserted text may merge with what follows into one grapheme; removed text may have kept two apart.
        self._cursor = motions.snap(self._text, start + len(text))
        self._last = ""

    def _kill(self, start: int, end: int) -> None:
        join: Literal["no", "after", "before"] = "no"
        if self._last == "kill":
            join = "before" if end == self._cursor else "after"
        self.kills.add(self._text[start:end], join)
        self._replace(start, end, "")
        self._last = "kill"

    def _yank(self, start: int, end: int, text: str) -> None:
        self._replace(start, end, text)
        self._last, self._yanked = "yank", (start, start + len(text))

    def _go(self, offset: int) -> None:
        self._cursor = offset
        self._undo.close()
        self._last = ""


_STEP = 4096  # characters compared at a time


def alike(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    most = min(len(one), len(other))
    at = next((at for at in range(0, most, _STEP) if one[at : at + _STEP] != other[at : at + _STEP]), most)
    return next((each for each in range(at, min(at + _STEP, most)) if one[each] != other[each]), most)


def _spliced(text: str, start: int, end: int, middle: str) -> str:
    return text[:start] + middle + text[end:]


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
