"""`EditorWidget`: the input of a chat screen over a `Buffer`: soft wrap, chips, pastes, masked text."""

from collections.abc import Callable
from typing import Any

from zot_tui.editor import motions
from zot_tui.editor.buffer import Buffer
from zot_tui.editor.mode import Mode, Outcome
from zot_tui.editor.paste import Found, Pastes
from zot_tui.keys.keymap import Keymap
from zot_tui.keys.keys import RUNE, from_urwid
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.sanitize import sanitize, sanitize_line
from zot_tui.widgets.actions import BINDINGS, EDITOR, EDITOR_ACTIONS
from zot_tui.widgets.input.paste import Pasted, PasteJoin
from zot_tui.widgets.input.wrapped import EditorRow, Wrapped
from zot_tui.widgets.rows import canvas

MARGIN = 2
MAX_ROWS = 10

_METHODS = {action.name: action.method for action in EDITOR_ACTIONS}
_ROWS = {"row_up": "cursor_up", "row_down": "cursor_down"}


class EditorWidget(urwid.Widget):
    """Draws a buffer in 1 to `max_rows` rows of at least 5 cells, muted while it has no focus, and edits it.

    `perform` does an action of `EDITOR_ACTIONS` by name; `keypress` looks keys up in `keymap` and passes on what is no
    action here. After every change of text or cursor `on_change` is called. Whoever changes the buffer itself calls
    `changed`. With `masked` each character is a dot, with `single` there is no second line, and neither has chips.
    `mode` is how keys are read; `on_mode` is called when its name changes, `on_edge` with `up` or `down` when it wants
    to go beyond the text.
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
        self._mode = Mode()
        self._keymap = Keymap(BINDINGS) if keymap is None else keymap
        self._placeholder = sanitize_line(placeholder)
        self._mark = mark
        self._masked, self._single = masked, single or masked
        self._columns = 80
        self._rows = Wrapped(self.buffer, self._chips, max(max_rows, 1), masked=masked)
        self._goal: tuple[int, int] | None = None  # cells that going up and down keeps to, while the cursor is there
        self._join = PasteJoin()

    @property
    def text(self) -> str:
        """What the buffer holds; `pastes.expand` gives what its chips stand for."""
        return self.buffer.text

    @property
    def mode(self) -> Mode:
        """How keys are read: as what they type, unless another one is set."""
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._mode.pause()
        self._mode = mode
        self._tell()
        if self.on_mode is not None:
            self.on_mode()

    def escape(self) -> bool:
        """Esc, for the mode; whether it meant something there."""
        return self._ask(self._mode.escape)

    def enter(self) -> bool:
        """Enter, for the mode; whether it meant something there, as within a command."""
        return self._ask(self._mode.enter)

    def restart(self) -> None:
        """The text was sent, or given up: begin anew, for the mode too."""
        name = self._mode.name
        self.set_text("")
        self._mode.restart()
        self._after(name)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the chips of a text begin and end."""
        return [(chip.start, chip.end) for chip in self._chips(text)]

    @property
    def max_rows(self) -> int:
        """Rows above which the text scrolls, 1 or more."""
        return self._rows.max_rows

    @max_rows.setter
    def max_rows(self, rows: int) -> None:
        if max(rows, 1) != self._rows.max_rows:
            self._rows.max_rows = max(rows, 1)
            self._invalidate()

    @property
    def placeholder(self) -> str:
        """What an empty input says."""
        return self._placeholder

    @placeholder.setter
    def placeholder(self, text: str) -> None:
        self._placeholder = sanitize_line(text)
        self._invalidate()

    def changed(self) -> None:
        """The buffer was changed by someone else, or the chips it may hold were."""
        self._goal = None
        self._rows.clear()
        self._tell()

    def set_text(self, text: str, cursor: int | None = None) -> None:
        """Replace everything, as one step of undo; the cursor goes to `cursor` or the end."""
        self._mode.pause()
        self.buffer.set(self._cleaned(text), cursor)
        self.changed()

    def insert(self, text: str) -> None:
        """Put a text at the cursor as if it was typed; where characters are commands, as the mode has it."""
        self._goal = None
        self._mode.make_room()
        self.buffer.insert(self._cleaned(text))
        self._tell()

    def paste(self, text: str) -> None:
        """Put a pasted text at the cursor: a long one as a chip, dropped files as theirs, as one step of undo."""
        if not self._single:
            text = self.pastes.take(text)
            self._rows.clear()  # text that was there may be a chip now
        self.insert(text.strip("\n") if self._single else text)

    def perform(self, action: str) -> bool:
        """Do what an action of `EDITOR_ACTIONS` names; KeyError for others.

        False if there is no row above for `cursor_up`, none below for `cursor_down`: the key may mean something else.
        """
        return getattr(self, _METHODS[action])() is not False

    def keypress(self, size: Any, key: str) -> str | None:
        """See urwid. Keys that do nothing here are given back, `up` on the first row among them."""
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
            self._after(name) if outcome == "used" else self._go(outcome)
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
        """One grapheme or chip back."""
        self._move(self.buffer.left, back=True)

    def right(self) -> None:
        """One grapheme or chip on."""
        self._move(self.buffer.right)

    def word_left(self) -> None:
        """To the beginning of the word or chip before the cursor."""
        self._move(self.buffer.word_left, back=True)

    def word_right(self) -> None:
        """To the end of the word or chip after the cursor."""
        self._move(self.buffer.word_right)

    def line_start(self) -> None:
        """To the beginning of the line."""
        self._move(self.buffer.line_start, back=True)

    def line_end(self) -> None:
        """To the end of the line."""
        self._move(self.buffer.line_end)

    def text_start(self) -> None:
        """To the beginning of the text."""
        self._move(lambda: self.buffer.move(0))

    def text_end(self) -> None:
        """To the end of the text."""
        self._move(lambda: self.buffer.move(len(self.buffer.text)))

    def up(self) -> bool:
        """To the row above, keeping the column over shorter rows; False, and nothing, on the first."""
        return self._step(self._rows.above)

    def down(self) -> bool:
        """To the row below, keeping the column over shorter rows; False, and nothing, on the last."""
        return self._step(self._rows.below)

    # Changing.

    def newline(self) -> None:
        """Begin a line; nothing where there is but one."""
        if not self._single:
            self.insert("\n")

    def backspace(self) -> None:
        """Delete the grapheme or chip before the cursor."""
        self._delete(motions.left, self.buffer.backspace)

    def delete(self) -> None:
        """Delete the grapheme or chip after the cursor."""
        self._delete(motions.right, self.buffer.delete)

    def kill_word_left(self) -> None:
        """Cut back to the beginning of a word, or the chip before the cursor."""
        self._delete(motions.word_left, self.buffer.kill_word_left, keep=True)

    def kill_word_right(self) -> None:
        """Cut on to the end of a word, or the chip after the cursor."""
        self._delete(motions.word_right, self.buffer.kill_word_right, keep=True)

    def kill_line_start(self) -> None:
        """Cut back to the beginning of the line; there, the line break before it."""
        self._move(self.buffer.kill_line_start)

    def kill_line_end(self) -> None:
        """Cut on to the end of the line; there, its line break."""
        self._move(self.buffer.kill_line_end)

    def yank(self) -> None:
        """Insert what was cut last."""
        self._move(self.buffer.yank)

    def yank_pop(self) -> None:
        """Right after a yank: replace what it inserted by the cut before that one."""
        self._move(self.buffer.yank_pop)

    def undo(self) -> None:
        """Take back the last step."""
        self._mode.pause()
        self._move(self.buffer.undo)

    def redo(self) -> None:
        """Do again what was taken back last."""
        self._mode.pause()
        self._move(self.buffer.redo)

    # Drawing.

    def rows(self, size: Any, focus: bool = False) -> int:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        return len(self._view(size[0])[0])

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        columns = size[0]
        places, at = self._view(columns)
        drawn = [self._drawn(place, places, columns, lit=focus) for place in places]
        return canvas(drawn, columns, self._cursor(places[at], at) if focus else None)

    def get_cursor_coords(self, size: Any) -> tuple[int, int]:
        """Column and row of the cursor in the widget."""
        places, at = self._view(size[0])
        return self._cursor(places[at], at)

    def _fit(self, columns: int) -> None:
        """The text has what the mark and a cursor behind it leave."""
        self._columns, self._rows.cells = columns, max(columns - MARGIN - 1, 2)

    def _view(self, columns: int) -> tuple[list[EditorRow], int]:
        self._fit(columns)
        return self._rows.view()

    def _cursor(self, place: EditorRow, at: int) -> tuple[int, int]:
        column = MARGIN + self._rows.line(place).column(place.row, self.buffer.cursor - place.start)
        return min(column, self._columns - 1), at

    def _drawn(self, place: EditorRow, places: list[EditorRow], columns: int, *, lit: bool) -> Row[Any]:
        """A row with its mark: the prompt on the first of the text, arrows where there is more."""
        mark, style, text = ("", "user", "editor") if lit else ("", "dim", "muted")
        if (place.number, place.row) == (0, 0):
            mark = self._mark
        elif place is places[0]:
            mark, style = "↑", "dim"
        elif place is places[-1] and self._rows.below(place) is not None:
            mark, style = "↓", "dim"
        if self.buffer.text:
            runs = self._rows.line(place).runs(place.row, text, self._rows.within(place, self._mode.selection))
        else:
            runs = clip_runs([("placeholder", self._placeholder)], max(columns - MARGIN, 0))
        row = clip_runs([(style, f"{mark:<{MARGIN}}"), *runs], columns, "")
        return [*((_over_editor(each), text) for each, text in row), ("editor", "")]

    # Chips, and what every action shares.

    def _chips(self, line: str) -> list[Found]:
        return [] if self._single or "[" not in line else self.pastes.find(line)

    def _around(self, offset: int) -> tuple[int, int] | None:
        """The ends of the chip within which `offset` lies; None if it lies in none."""
        text = self.buffer.text
        start = motions.line_start(text, offset)
        for chip in self._chips(text[start : motions.line_end(text, offset)]):
            if start + chip.start < offset < start + chip.end:
                return start + chip.start, start + chip.end
        return None

    def _move(self, step: Callable[[], None], *, back: bool = False) -> None:
        """Do a step and leave the chip that it may end in."""
        step()
        if (chip := self._around(self.buffer.cursor)) is not None:
            self.buffer.move(chip[0] if back else chip[1])
        self._goal = None
        self._tell()

    def _delete(self, motion: Callable[[str, int], int], step: Callable[[], None], *, keep: bool = False) -> None:
        """Do a step that deletes as far as `motion` goes; if that is into a chip, all of it, to be yanked if `keep`."""
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
        self._tell()

    def _step(self, step: Callable[[EditorRow], EditorRow | None]) -> bool:
        here = self._rows.place()
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
        """A text as it may stand in the buffer."""
        return sanitize_line(text) if self._single else sanitize(text)

    def _go(self, way: Outcome) -> None:
        """Up or down by a row, or out of the text."""
        if not (way in _ROWS and self.perform(_ROWS[way])) and self.on_edge is not None:
            self.on_edge(way.removeprefix("row_"))

    def _ask(self, key: Callable[[], bool]) -> bool:
        name = self._mode.name
        if used := key():
            self._after(name)
        return used

    def _after(self, name: str) -> None:
        """The mode has done something, and its name was `name` before."""
        self._tell()
        if self._mode.name != name and self.on_mode is not None:
            self.on_mode()

    def _tell(self) -> None:
        self._mode.settle()
        self._invalidate()
        if self.on_change is not None:
            self.on_change()


def _over_editor(style: str) -> Any:
    """A style on the background of the editor."""
    return urwid.LayeredAttr.layer(style, "editor")
