"""`EditorWidget`: an input field over a `Buffer`, with soft wrap, chips, pastes and masked text."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Literal

from zot_tui.editor import motions
from zot_tui.editor.buffer import Buffer
from zot_tui.editor.mode import EditorMode
from zot_tui.editor.paste import ChipSpan, Pastes
from zot_tui.keys.key import Key
from zot_tui.keys.keymap import Binding, Keymap
from zot_tui.signal import Signal
from zot_tui.terminal.canvas import canvas
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.sanitize import sanitize, sanitize_line
from zot_tui.widgets.actions import Action, bindings
from zot_tui.widgets.input.wrapped_text import EditorRow, Wrapped

EDITOR = "editor"
"""The context of keys that edit a text."""

MARGIN = 2
MAX_ROWS = 10


class EditorWidget(urwid.Widget):
    """Draws a buffer in 1 to `max_rows` rows of at least 5 cells, muted without the focus, and edits it.

    It does the actions of `EDITOR_ACTIONS`. Its owner looks up a key and passes both to `handle`; alone, it is a
    `KeyTarget` with the default keys. Code that changes the buffer directly must call `changed`. `masked` draws each
    character as a dot, `single` allows one line only; neither has chips. `mode` decides how keys are read.

    `edited` is emitted after every change of text or cursor, `mode_changed` when the mode looks different, and
    `edge_reached` when the mode moves beyond the text.
    """

    _sizing = frozenset([urwid.FLOW])
    _selectable = True

    def __init__(
        self,
        buffer: Buffer | None = None,
        pastes: Pastes | None = None,
        *,
        placeholder: str = "",
        mark: str = "›",
        max_rows: int = MAX_ROWS,
        masked: bool = False,
        single: bool = False,
    ) -> None:
        super().__init__()
        self.buffer = Buffer() if buffer is None else buffer
        self.pastes = Pastes() if pastes is None else pastes
        self.edited: Signal[[]] = Signal()
        self.mode_changed: Signal[[]] = Signal()
        self.edge_reached: Signal[[Literal["up", "down"]]] = Signal()
        self._mode = EditorMode()
        self.marks: Sequence[Any] = ()
        """The style of each character, None for the usual one. Ignored unless there are as many as characters."""
        self._placeholder = sanitize_line(placeholder)
        self._mark = mark
        self._masked, self._single = masked, single or masked
        self._columns = 80
        self._rows = Wrapped(self.buffer, self._chips, max(max_rows, 1), masked=masked)
        self._goal: tuple[int, int] | None = None  # cursor and the column that moving up and down keeps

    @property
    def text(self) -> str:
        """The text of the buffer; `pastes.expand` replaces its chips by what they stand for."""
        return self.buffer.text

    @property
    def mode(self) -> EditorMode:
        """How keys are read; the default mode types them."""
        return self._mode

    @mode.setter
    def mode(self, mode: EditorMode) -> None:
        self._mode.pause()
        self._mode = mode
        self._notify()
        self.mode_changed.emit()

    def escape(self) -> bool:
        """Pass Esc to the mode. Return whether it used the key."""
        return self._mode_key(self._mode.escape)

    def enter(self) -> bool:
        """Pass Enter to the mode. Return whether it used the key, for example inside a command."""
        return self._mode_key(self._mode.enter)

    def restart(self) -> None:
        """Clear the text and reset the mode, after the text was sent or discarded."""
        look = self._look
        self.set_text("")
        self._mode.restart()
        self._after(look)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the start and end offsets of the chips in a text."""
        return [(chip.start, chip.end) for chip in self._chips(text)]

    @property
    def max_rows(self) -> int:
        """The most rows before the text scrolls, 1 or more."""
        return self._rows.max_rows

    @max_rows.setter
    def max_rows(self, rows: int) -> None:
        if max(rows, 1) != self._rows.max_rows:
            self._rows.max_rows = max(rows, 1)
            self._invalidate()

    @property
    def placeholder(self) -> str:
        """The text shown while the input is empty."""
        return self._placeholder

    @placeholder.setter
    def placeholder(self, text: str) -> None:
        self._placeholder = sanitize_line(text)
        self._invalidate()

    def changed(self) -> None:
        """Update after the buffer or the chips were changed from outside."""
        self._goal = None
        self._rows.clear()
        self._notify()

    def restyle(self) -> None:
        """Draw the text again, because `marks` has changed."""
        self._invalidate()

    def set_text(self, text: str, cursor: int | None = None) -> None:
        """Replace the whole text as one undo step; the cursor goes to `cursor` or the end."""
        self._mode.pause()
        self.buffer.set(self._cleaned(text), cursor)
        self.changed()

    def insert(self, text: str) -> None:
        """Insert a text at the cursor as if typed; where characters are commands, the mode chooses the row."""
        self._goal = None
        self._mode.make_room()
        self.buffer.insert(self._cleaned(text))
        self._notify()

    def paste(self, text: str) -> None:
        """Insert a pasted text at the cursor as one undo step; a long text and dropped files become chips."""
        if not self._single:
            text = self.pastes.collapse(text)
            self._rows.clear()  # existing text may have become a chip
        self.insert(text.strip("\n") if self._single else text)

    def press(self, key: Key) -> bool:
        """See `KeyTarget`: handle a key with its default binding."""
        return self.handle(key, _keymap().find(key, (EDITOR,)))

    def handle(self, key: Key, binding: Binding | None) -> bool:
        """Give a key to the mode, else do the action of its `binding`, else type it. Return whether it was used."""
        look = self._look
        if outcome := self._mode.press(key):
            if outcome == "used":
                self._after(look)
            elif not (outcome == "row_up" and self.up()) and not (outcome == "row_down" and self.down()):
                self.edge_reached.emit("up" if outcome in ("up", "row_up") else "down")
            return True
        if self._look != look:
            self.mode_changed.emit()
        if binding is not None:
            run = _RUN.get(binding.action)
            return run is not None and run(self) is not False
        if key.text:
            self.insert(key.text)
        return bool(key.text)

    # Actions.

    def up(self) -> bool:
        """Move to the row above, keeping the column across shorter rows. Return False on the first row."""
        return self._step(self._rows.above)

    def down(self) -> bool:
        """Move to the row below, keeping the column across shorter rows. Return False on the last row."""
        return self._step(self._rows.below)

    def newline(self) -> None:
        """Insert a line break; does nothing in a `single` input."""
        if not self._single:
            self.insert("\n")

    def take_back(self, step: Callable[[Buffer], None]) -> None:
        """Undo or redo."""
        self._mode.pause()
        self.move(step)

    def move(self, step: Callable[[Buffer], None], *, back: bool = False) -> None:
        """Do a step, and move out of the chip in which it may have ended: to its start with `back`, else to its end."""
        step(self.buffer)
        if (chip := self._around(self.buffer.cursor)) is not None:
            self.buffer.move(chip[0] if back else chip[1])
        self._goal = None
        self._notify()

    def cut(self, motion: Callable[[str, int], int], step: Callable[[Buffer], None], *, keep: bool = False) -> None:
        """Do a step that deletes as far as `motion` goes; a chip is deleted as a whole, and can be yanked if `keep`."""
        text, cursor = self.buffer.text, self.buffer.cursor
        chip = self._around(motion(text, cursor))
        if chip is None:
            self.move(step)
            return
        start, end = min(chip[0], cursor), max(chip[1], cursor)
        if keep:
            self.buffer.kills.add(text[start:end])
        self.buffer.set(text[:start] + text[end:], start)
        self._goal = None
        self._notify()

    # Drawing.

    def rows(self, size: Any, focus: bool = False) -> int:  # noqa: FBT001, FBT002  urwid's
        return len(self._view(size[0])[0])

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        columns = size[0]
        rows, at = self._view(columns)
        drawn = [self._drawn(row, rows, columns, focused=focus) for row in rows]
        return canvas(drawn, columns, self._cursor(rows[at], at) if focus else None)

    def _fit(self, columns: int) -> None:
        """Set the width: the text has the cells without the mark and one for the cursor after it."""
        self._columns, self._rows.cells = columns, max(columns - MARGIN - 1, 2)

    def _view(self, columns: int) -> tuple[list[EditorRow], int]:
        self._fit(columns)
        return self._rows.view()

    def _cursor(self, row: EditorRow, at: int) -> tuple[int, int]:
        column = MARGIN + self._rows.line(row).column(row.row, self.buffer.cursor - row.start)
        return min(column, self._columns - 1), at

    def _drawn(self, row: EditorRow, rows: list[EditorRow], columns: int, *, focused: bool) -> Row[Any]:
        """Return a row with its mark: the prompt on the first row, arrows where the text continues."""
        mark, style, text = ("", "user", "editor") if focused else ("", "dim", "muted")
        if (row.number, row.row) == (0, 0):
            mark = self._mark
        elif row is rows[0]:
            mark, style = "↑", "dim"
        elif row is rows[-1] and self._rows.below(row) is not None:
            mark, style = "↓", "dim"
        if self.buffer.text:
            line, marks = self._rows.line(row), self.marks if len(self.marks) == len(self.buffer.text) else ()
            marks = marks[row.start : row.start + len(line.text)]
            runs = line.runs(row.row, text, self._rows.within(row, self._mode.selection), marks)
        else:
            runs = clip_runs([("placeholder", self._placeholder)], max(columns - MARGIN, 0))
        clipped = clip_runs([(style, f"{mark:<{MARGIN}}"), *runs], columns, "")
        return [*((_on_editor(each), text) for each, text in clipped), ("editor", "")]

    # Chips, and code shared by the actions.

    def _chips(self, line: str) -> list[ChipSpan]:
        return [] if self._single or "[" not in line else self.pastes.find(line)

    def _around(self, offset: int) -> tuple[int, int] | None:
        """Return the start and end of the chip around `offset`, or None."""
        text = self.buffer.text
        start = motions.line_start(text, offset)
        for chip in self._chips(text[start : motions.line_end(text, offset)]):
            if start + chip.start < offset < start + chip.end:
                return start + chip.start, start + chip.end
        return None

    def _step(self, step: Callable[[EditorRow], EditorRow | None]) -> bool:
        here = self._rows.cursor_row()
        if (target := step(here)) is None:
            return False
        at, goal = self._goal or (-1, 0)
        if at != self.buffer.cursor:
            goal = self._rows.line(here).column(here.row, self.buffer.cursor - here.start)
        offset = target.start + self._rows.line(target).offset(target.row, goal)
        self.move(lambda buffer: buffer.move(offset), back=True)
        self._goal = self.buffer.cursor, goal
        return True

    def _cleaned(self, text: str) -> str:
        """Return a text in a form that the buffer may contain."""
        return sanitize_line(text) if self._single else sanitize(text)

    def _mode_key(self, key: Callable[[], bool]) -> bool:
        look = self._look
        if used := key():
            self._after(look)
        return used

    @property
    def _look(self) -> tuple[str, str]:
        """The visible part of the mode."""
        return self._mode.name, self._mode.shape

    def _after(self, look: tuple[str, str]) -> None:
        """Update after a key of the mode, which looked like `look` before."""
        self._notify()
        if self._look != look:
            self.mode_changed.emit()

    def _notify(self) -> None:
        self._mode.settle()
        self._invalidate()
        self.edited.emit()


def _on_editor(style: Any) -> Any:
    """Return a style on the background of the editor."""
    return urwid.LayeredAttr.layer(style, "editor") if isinstance(style, str) else style


def _move(step: Callable[[Buffer], None], *, back: bool = False) -> Callable[[EditorWidget], None]:
    return lambda editor: editor.move(step, back=back)


def _cut(
    motion: Callable[[str, int], int], step: Callable[[Buffer], None], *, keep: bool = False
) -> Callable[[EditorWidget], None]:
    return lambda editor: editor.cut(motion, step, keep=keep)


_LEFT, _RIGHT = _move(Buffer.left, back=True), _move(Buffer.right)
_WORD_LEFT, _WORD_RIGHT = _move(Buffer.word_left, back=True), _move(Buffer.word_right)
_LINE_START, _LINE_END = _move(Buffer.line_start, back=True), _move(Buffer.line_end)
_TEXT_START, _TEXT_END = _move(lambda buffer: buffer.move(0)), _move(lambda buffer: buffer.move(len(buffer.text)))
_BACKSPACE, _DELETE = _cut(motions.left, Buffer.backspace), _cut(motions.right, Buffer.delete)
_KILL_LEFT = _cut(motions.word_left, Buffer.kill_word_left, keep=True)
_KILL_RIGHT = _cut(motions.word_right, Buffer.kill_word_right, keep=True)

EDITOR_ACTIONS: tuple[Action[EditorWidget], ...] = (
    Action("cursor_left", _LEFT, "back a character", ("left", "ctrl+b")),
    Action("cursor_right", _RIGHT, "forward a character", ("right", "ctrl+f")),
    Action("cursor_word_left", _WORD_LEFT, "to the start of the word", ("alt+left", "ctrl+left", "alt+b")),
    Action("cursor_word_right", _WORD_RIGHT, "to the end of the word", ("alt+right", "ctrl+right", "alt+f")),
    Action("cursor_line_start", _LINE_START, "to the start of the line", ("home", "ctrl+a")),
    Action("cursor_line_end", _LINE_END, "to the end of the line", ("end", "ctrl+e")),
    Action("cursor_text_start", _TEXT_START, "to the start of the text", ("ctrl+home", "alt+<")),
    Action("cursor_text_end", _TEXT_END, "to the end of the text", ("ctrl+end", "alt+>")),
    Action("cursor_up", EditorWidget.up, "up a row", ("up",)),
    Action("cursor_down", EditorWidget.down, "down a row", ("down",)),
    Action("newline", EditorWidget.newline, "insert a line break", ("shift+enter", "alt+enter", "ctrl+j")),
    Action("delete_back", _BACKSPACE, "delete the previous character", ("backspace", "shift+backspace", "ctrl+h")),
    Action("delete", _DELETE, "delete the next character", ("delete",)),
    Action("kill_word_left", _KILL_LEFT, "cut to the start of the word", ("ctrl+w", "alt+backspace")),
    Action("kill_word_right", _KILL_RIGHT, "cut to the end of the word", ("alt+d", "alt+delete")),
    Action("kill_line_start", _move(Buffer.kill_line_start), "cut to the start of the line", ("ctrl+u",)),
    Action("kill_line_end", _move(Buffer.kill_line_end), "cut to the end of the line", ("ctrl+k",)),
    Action("yank", _move(Buffer.yank), "insert the last cut", ("ctrl+y",)),
    Action("yank_pop", _move(Buffer.yank_pop), "replace it with the cut before", ("alt+y",)),
    Action("undo", lambda editor: editor.take_back(Buffer.undo), "undo", ("ctrl+_", "ctrl+-")),
    Action("redo", lambda editor: editor.take_back(Buffer.redo), "redo", ("alt+_", "ctrl+shift+z")),
)

_RUN: dict[str, Callable[[EditorWidget], object]] = {action.name: action.run for action in EDITOR_ACTIONS}


@cache
def _keymap() -> Keymap:
    return Keymap(bindings(EDITOR, EDITOR_ACTIONS))
