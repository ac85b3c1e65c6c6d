"""`EditorWidget`: an input field over a `Buffer`, with soft wrap, chips, pastes and masked text."""

from collections.abc import Callable
from typing import Any

from zot_tui.editor import motions
from zot_tui.editor.buffer import Buffer
from zot_tui.editor.mode import EditorMode, Outcome
from zot_tui.editor.paste import ChipSpan, Pastes
from zot_tui.keys.key import RUNE, from_urwid
from zot_tui.keys.keymap import Keymap
from zot_tui.terminal.canvas import canvas
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.sanitize import sanitize, sanitize_line
from zot_tui.widgets.actions import BINDINGS, EDITOR, EDITOR_ACTIONS
from zot_tui.widgets.input.paste import Pasted, PasteJoin
from zot_tui.widgets.input.wrapped import EditorRow, Wrapped

MARGIN = 2
MAX_ROWS = 10

_METHODS = {action.name: action.method for action in EDITOR_ACTIONS}
_ROWS = {"row_up": "cursor_up", "row_down": "cursor_down"}


class EditorWidget(urwid.Widget):
    """Draws a buffer in 1 to `max_rows` rows of at least 5 cells, muted without the focus, and edits it.

    `perform` does an action of `EDITOR_ACTIONS` by name; `keypress` looks keys up in `keymap` and returns those without
    an action here. `on_change` is called after every change of text or cursor. Code that changes the buffer directly
    must call `changed`. `masked` draws each character as a dot, `single` allows one line only; neither has chips.
    `mode` decides how keys are read; `on_mode` is called when its name changes, and `on_edge` with `up` or `down` when
    it moves beyond the text.
    """

    _sizing = frozenset([urwid.FLOW])
    _selectable = True

    def __init__(
        self,
        buffer: Buffer | None = None,
        pastes: Pastes | None = None,
        *,
        keymap: Keymap | None = None,
        placeholder: str = "",
        mark: str = "›",
        max_rows: int = MAX_ROWS,
        masked: bool = False,
        single: bool = False,
        on_change: Callable[[], None] | None = None,
        on_mode: Callable[[], None] | None = None,
        on_edge: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__()
        self.buffer = Buffer() if buffer is None else buffer
        self.pastes = Pastes() if pastes is None else pastes
        self.on_change, self.on_mode, self.on_edge = on_change, on_mode, on_edge
        self._mode = EditorMode()
        self._keymap = Keymap(BINDINGS) if keymap is None else keymap
        self._placeholder = sanitize_line(placeholder)
        self._mark = mark
        self._masked, self._single = masked, single or masked
        self._columns = 80
        self._rows = Wrapped(self.buffer, self._chips, max(max_rows, 1), masked=masked)
        self._goal: tuple[int, int] | None = None  # cursor and the column that moving up and down keeps
        self._join = PasteJoin()

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
        if self.on_mode is not None:
            self.on_mode()

    def escape(self) -> bool:
        """Pass Esc to the mode. Return whether it used the key."""
        return self._mode_key(self._mode.escape)

    def enter(self) -> bool:
        """Pass Enter to the mode. Return whether it used the key, for example inside a command."""
        return self._mode_key(self._mode.enter)

    def restart(self) -> None:
        """Clear the text and reset the mode, after the text was sent or discarded."""
        name = self._mode.name
        self.set_text("")
        self._mode.restart()
        self._after(name)

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

    def perform(self, action: str) -> bool:
        """Do an action of `EDITOR_ACTIONS` by name. Raises KeyError for others.

        Returns False if there is no row above for `cursor_up`, or below for `cursor_down`.
        """
        return getattr(self, _METHODS[action])() is not False

    def keypress(self, size: Any, key: str) -> str | None:
        """See urwid. Returns keys that do nothing here, for example `up` on the first row."""
        self._fit(size[0])
        joined = self._join.feed(key)
        if joined is None:
            return None
        if isinstance(joined, Pasted):
            self.paste(joined)
            return None
        pressed = from_urwid(joined)
        if pressed is None:
            return key
        name = self._mode.name
        if outcome := self._mode.press(pressed):
            self._after(name) if outcome == "used" else self._move_row(outcome)
            return None
        binding = self._keymap.find(pressed, (EDITOR,))
        if binding is not None and binding.action in _METHODS:
            return None if self.perform(binding.action) else key
        if binding is None and pressed.name == RUNE and not pressed.modifiers and pressed.text:
            self.insert(pressed.text)
            return None
        return key

    # Moving.

    def left(self) -> None:
        """Move back by a grapheme or chip."""
        self._move(self.buffer.left, back=True)

    def right(self) -> None:
        """Move forward by a grapheme or chip."""
        self._move(self.buffer.right)

    def word_left(self) -> None:
        """Move to the start of the word or chip before the cursor."""
        self._move(self.buffer.word_left, back=True)

    def word_right(self) -> None:
        """Move to the end of the word or chip after the cursor."""
        self._move(self.buffer.word_right)

    def line_start(self) -> None:
        """Move to the start of the line."""
        self._move(self.buffer.line_start, back=True)

    def line_end(self) -> None:
        """Move to the end of the line."""
        self._move(self.buffer.line_end)

    def text_start(self) -> None:
        """Move to the start of the text."""
        self._move(lambda: self.buffer.move(0))

    def text_end(self) -> None:
        """Move to the end of the text."""
        self._move(lambda: self.buffer.move(len(self.buffer.text)))

    def up(self) -> bool:
        """Move to the row above, keeping the column across shorter rows. Return False on the first row."""
        return self._step(self._rows.above)

    def down(self) -> bool:
        """Move to the row below, keeping the column across shorter rows. Return False on the last row."""
        return self._step(self._rows.below)

    # Changing.

    def newline(self) -> None:
        """Insert a line break; does nothing in a `single` input."""
        if not self._single:
            self.insert("\n")

    def backspace(self) -> None:
        """Delete the grapheme or chip before the cursor."""
        self._delete(motions.left, self.buffer.backspace)

    def delete(self) -> None:
        """Delete the grapheme or chip after the cursor."""
        self._delete(motions.right, self.buffer.delete)

    def kill_word_left(self) -> None:
        """Cut to the start of the word, or the chip before the cursor."""
        self._delete(motions.word_left, self.buffer.kill_word_left, keep=True)

    def kill_word_right(self) -> None:
        """Cut to the end of the word, or the chip after the cursor."""
        self._delete(motions.word_right, self.buffer.kill_word_right, keep=True)

    def kill_line_start(self) -> None:
        """Cut to the start of the line, or at its start the line break before it."""
        self._move(self.buffer.kill_line_start)

    def kill_line_end(self) -> None:
        """Cut to the end of the line, or at its end the line break."""
        self._move(self.buffer.kill_line_end)

    def yank(self) -> None:
        """Insert the last cut."""
        self._move(self.buffer.yank)

    def yank_pop(self) -> None:
        """Right after a yank, replace the inserted text with the cut before it."""
        self._move(self.buffer.yank_pop)

    def undo(self) -> None:
        """Undo the last step."""
        self._mode.pause()
        self._move(self.buffer.undo)

    def redo(self) -> None:
        """Redo the step that was undone last."""
        self._mode.pause()
        self._move(self.buffer.redo)

    # Drawing.

    def rows(self, size: Any, focus: bool = False) -> int:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        return len(self._view(size[0])[0])

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
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
            runs = self._rows.line(row).runs(row.row, text, self._rows.within(row, self._mode.selection))
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

    def _move(self, step: Callable[[], None], *, back: bool = False) -> None:
        """Do a step, and move out of the chip in which it may have ended."""
        step()
        if (chip := self._around(self.buffer.cursor)) is not None:
            self.buffer.move(chip[0] if back else chip[1])
        self._goal = None
        self._notify()

    def _delete(self, motion: Callable[[str, int], int], step: Callable[[], None], *, keep: bool = False) -> None:
        """Do a step that deletes as far as `motion` goes; a chip is deleted as a whole, and can be yanked if `keep`."""
        text, cursor = self.buffer.text, self.buffer.cursor
        chip = self._around(motion(text, cursor))
        if chip is None:
            self._move(step)
            return
        start, end = min(chip[0], cursor), max(chip[1], cursor)
        if keep:
            self.buffer.kills.add(text[start:end])
        self.buffer.set(text[:start] + text[end:], start)
        self._goal = None
        self._notify()

    def _step(self, step: Callable[[EditorRow], EditorRow | None]) -> bool:
        here = self._rows.cursor_row()
        if (target := step(here)) is None:
            return False
        at, goal = self._goal or (-1, 0)
        if at != self.buffer.cursor:
            goal = self._rows.line(here).column(here.row, self.buffer.cursor - here.start)
        offset = target.start + self._rows.line(target).offset(target.row, goal)
        self._move(lambda: self.buffer.move(offset), back=True)
        self._goal = self.buffer.cursor, goal
        return True

    def _cleaned(self, text: str) -> str:
        """Return a text in a form that the buffer may contain."""
        return sanitize_line(text) if self._single else sanitize(text)

    def _move_row(self, way: Outcome) -> None:
        """Move up or down by a row, or out of the text."""
        if not (way in _ROWS and self.perform(_ROWS[way])) and self.on_edge is not None:
            self.on_edge(way.removeprefix("row_"))

    def _mode_key(self, key: Callable[[], bool]) -> bool:
        name = self._mode.name
        if used := key():
            self._after(name)
        return used

    def _after(self, name: str) -> None:
        """Update after a key of the mode, whose name was `name` before."""
        self._notify()
        if self._mode.name != name and self.on_mode is not None:
            self.on_mode()

    def _notify(self) -> None:
        self._mode.settle()
        self._invalidate()
        if self.on_change is not None:
            self.on_change()


def _on_editor(style: str) -> Any:
    """Return a style on the background of the editor."""
    return urwid.LayeredAttr.layer(style, "editor")
