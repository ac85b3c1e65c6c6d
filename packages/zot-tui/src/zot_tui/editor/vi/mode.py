"""`Vi`: the vi mode of the editor, over a `Buffer`; pure.

Normal, insert, replace and visual mode (by characters and by lines), counts, operators with motions and text objects,
`.` and undo by whole changes. There is one register, the buffer's kill ring. Behaviour follows POSIX `vi`, and Vim
where Vim goes further. Features that need more than a text are left out: search, marks, macros, registers, ex commands.
"""

from zot_tui.editor.buffer import Buffer, alike
from zot_tui.editor.mode import CursorShape, Outcome
from zot_tui.editor.units import BLANK
from zot_tui.editor.vi.command import KEYS, LINES, OPERATORS, WHOLE, ViCommand, read
from zot_tui.editor.vi.insert import INSERTS, InsertModeBase, ViChange, ViState, typed_by
from zot_tui.editor.vi.motions import END, FINDS, MOTIONS, MotionStart, MotionTarget
from zot_tui.editor.vi.objects import OBJECTS, UnitRange
from zot_tui.editor.vi.operators import Chips, no_chips
from zot_tui.keys.key import Key

BEGINNINGS = frozenset("/!@")
"""Characters that are typed even in normal mode if the editor is empty, because they begin a command or a file name."""

_SHAPES: dict[str, CursorShape] = {"insert": "bar", "replace": "underline"}


class Vi(InsertModeBase):
    """The vi mode, which starts in insert mode. `chips` returns the ranges of a text that are one unit each."""

    def __init__(self, buffer: Buffer, chips: Chips = no_chips) -> None:
        super().__init__(buffer, chips)
        self._keys: list[str] = []
        self._anchor = 0  # the offset at which the selection began
        self._goal: float | None = None  # the cells that vertical movement keeps
        self._found: tuple[str, str] | None = None  # the last motion of FINDS, and its character

    # The interface of `EditorMode`

    @property
    def name(self) -> str:
        """The name of the mode; empty in insert mode."""
        return "" if self._state == "insert" else self._state

    @property
    def shape(self) -> CursorShape:
        """A bar in insert mode, an underline in replace mode, else a block."""
        return _SHAPES.get(self._state, "block")

    @property
    def types(self) -> bool:
        """True in insert mode."""
        return self._state == "insert"

    @property
    def selection(self) -> tuple[int, int] | None:
        """The range of visual mode; whole lines include the line break."""
        if not self._selecting:
            return None
        extent, offsets = self._selected(), self._on.units.offsets
        return offsets[extent.start], offsets[extent.end]

    @property
    def _selecting(self) -> bool:
        return self._state in ("visual", "visual line")

    def claims(self, key: Key) -> bool:
        """See `EditorMode`."""
        return not self.types and "ctrl" in key.modifiers and str(key) in KEYS

    def press(self, key: Key) -> Outcome:
        """Handle a key before the bindings do."""
        typed = typed_by(key)
        if self._state == "insert":
            return self._in_insert(key, typed)
        if self._state == "replace":
            return self._in_replace(key, typed)
        name = typed or KEYS.get(str(key), "")
        if not name:
            return ""
        if not self._keys and not self._buffer.text and name in BEGINNINGS:
            self._state = "insert"
            return self._in_insert(key, typed)
        return self._read(name)

    def enter(self) -> bool:
        """Handle Enter: it ends an incomplete command, and is a line break for `r`."""
        return bool(self._keys) and bool(self._read("\n"))

    def _read(self, name: str) -> Outcome:
        """Add a key to the pending command and run the command once it is complete."""
        self._keys.append(name)
        try:
            command = read(self._keys, selecting=self._selecting)
        except ValueError:
            self._keys.clear()
            return "used"
        if command is None:
            return "used"
        self._keys.clear()
        outcome = self._do(command)
        self._rest()
        return outcome

    def escape(self) -> bool:
        """Return to normal mode, or drop the pending command; False if there was nothing to leave."""
        if self._state in ("insert", "replace"):
            self._leave_insert()
        elif self._selecting:
            self._state = "normal"
        elif not self._keys:
            return False
        self._keys.clear()
        self._rest()
        return True

    def make_room(self) -> None:
        """Move behind the cursor (before it at the beginning of a line) for inserted text, and delete the selection."""
        units, at = self._on.units, self._on.at
        if self._selecting:
            self._on.change(self._selected())
            self._state = "normal"
        elif self._state == "normal" and not units.is_break(at) and at > units.start(at):
            self._on.go(at + 1)

    def pause(self) -> None:
        """See `EditorMode`."""
        self._keys.clear()
        self._end_session()

    def settle(self) -> None:
        """See `EditorMode`."""
        text, cursor = self._buffer.text, self._buffer.cursor
        if (text, cursor) == self._seen:
            return
        self._goal = None
        self._keys.clear()
        if self._session is not None and text == self._seen[0]:
            self._end_session()  # text typed elsewhere is another change
        if self._selecting and text != self._seen[0]:
            self._state = "normal"
        self._rest()

    def _rest(self) -> None:
        """Move the cursor to a valid position, and remember the text to detect changes from outside."""
        if self._state not in ("insert", "replace"):
            self._on.clamp()
        self._seen = self._buffer.text, self._buffer.cursor

    def restart(self) -> None:
        """See `EditorMode`."""
        self.pause()
        self._state, self._goal = "insert", None
        self._seen = self._buffer.text, self._buffer.cursor

    # Commands

    def _do(self, command: ViCommand) -> Outcome:
        verb, times = command.verb, max(command.number, 1)
        if verb in ("", ";", ","):
            return self._move(command._replace(motion=command.motion or verb))
        if verb in ("gj", "gk"):
            return "row_down" if verb == "gj" else "row_up"
        if self._selecting:
            self._do_selected(command)
        elif verb in ("v", "V"):
            self._state, self._anchor = ("visual" if verb == "v" else "visual line"), self._buffer.cursor
        elif verb == ".":
            self._repeat(command.number)
        elif verb == "u":
            for _ in range(times):
                self._buffer.undo()
        elif verb == "ctrl+r":
            before = self._buffer.text
            for _ in range(times):
                self._buffer.redo()
            if self._buffer.text != before:
                self._buffer.move(alike(before, self._buffer.text))
        else:
            self._change(ViChange(command))
        self._goal = None
        return "used"

    def _move(self, command: ViCommand) -> Outcome:
        name = command.motion
        if name in OBJECTS:
            self._select(command)
            return "used"
        target = self._target(command)
        if name not in ("j", "k"):
            self._goal = END if name == "$" else None
        if target is not None:
            self._on.go(target.at)
        elif name in ("j", "k") and not self._selecting:
            return "down" if name == "j" else "up"
        return "used"

    def _target(self, command: ViCommand) -> MotionTarget | None:
        """Return where a motion leads from the cursor."""
        name, char = command.motion, command.char
        units, at = self._on.units, self._on.at
        if name in (";", ","):
            if self._found is None:
                return None
            name, char = self._found
            name = FINDS[name] if command.motion == "," else name
            by = {"t": 1, "T": -1}.get(name, 0)
            if command.number < 2 and by and 0 <= at + by < units.size and units.units[at + by] == char:
                at += by  # else it would not move
        elif name in FINDS:
            self._found = name, char
        if name in ("j", "k") and self._goal is None:
            self._goal = units.cells(at)
        return MOTIONS[name](MotionStart(units, at, command.number, char, self._goal or 0, command.verb))

    def _extent(self, command: ViCommand) -> UnitRange | None:
        """Return the range that an operator works on."""
        units, at, times = self._on.units, self._on.at, max(command.number, 1)
        if command.motion == LINES:
            end = units.end(units.lines(at, times - 1))
            first = min(at, units.first(at)) if command.verb[0] == "g" else at
            return UnitRange(first, end, lines=True) if times == 1 or units.end(at) < units.size else None
        if command.motion in OBJECTS:
            return OBJECTS[command.motion](units, at, times)
        target = self._target(command)
        self._goal = None
        return None if target is None else self._on.between(at, target, command.verb)

    def _change(self, change: ViChange) -> None:
        self._buffer.begin_step()
        done = self._run(change)
        if self._state in ("insert", "replace"):
            self._begin_session(change)
            return
        self._buffer.end_step()
        if done and change.command.verb != "y":
            self._last = change

    def _repeat(self, count: int) -> None:
        """Repeat the last change, with another count if one is given."""
        change = self._last
        if change is None:
            return
        if count:
            change.command = change.command._replace(number=count)
        self._buffer.begin_step()
        self._run(change)
        if self._state != "normal":
            self._type(change)
            if change.command.verb in INSERTS:
                self._type_more(change)
            self._state = "normal"
            self._back()
        self._buffer.end_step()

    def _run(self, change: ViChange) -> bool:
        """Run a change except for its typed text; return whether it was possible."""
        command = change.command
        if change.selected is not None:
            return self._operate(command, self._again(change.selected))
        if command.verb in OPERATORS:
            extent = self._extent(command)
            return extent is not None and self._operate(command._replace(number=0), extent)
        if command.verb in INSERTS:
            self._insert(command.verb)
            return True
        return self._on.act(command)

    def _operate(self, command: ViCommand, extent: UnitRange) -> bool:
        done = self._on.operate(command, extent)
        if command.verb == "c":
            self._state = "insert"
        return done

    def _insert(self, verb: str) -> None:
        """Move to where typing begins."""
        units, at = self._on.units, self._on.at
        self._state = "replace" if verb == "R" else "insert"
        match verb:
            case "a" if not units.empty(at):
                self._on.go(at + 1)
            case "I":
                at = units.first(at)
                self._on.go(at + (units.kind(at) == BLANK and not units.is_break(at)))
            case "A":
                self._on.go(units.end(at))
            case "o":
                self._on.replace(units.end(at), units.end(at), "\n")
            case "O":
                start = units.start(at)
                self._on.replace(start, start, "\n")
                self._on.go(start)

    # Selection

    def _selected(self) -> UnitRange:
        units, (first, last) = self._on.units, self._ends()
        if self._state == "visual line":
            return UnitRange(units.start(first), units.end(last), lines=True)
        last = units.end(last) if self._goal == END else last
        return UnitRange(first, min(last + 1, units.size))

    def _ends(self) -> tuple[int, int]:
        """Return the first and last unit of the selection."""
        anchor, at = self._on.units.index(self._anchor), self._on.at
        return min(anchor, at), max(anchor, at)

    def _select(self, command: ViCommand) -> None:
        """Select a text object, or extend the selection by it."""
        units, at = self._on.units, self._on.at
        more = at != units.index(self._anchor)
        extent = OBJECTS[command.motion](units, min(at + more, units.size), max(command.number, 1))
        if extent is None:
            return
        if not more:
            self._anchor = units.offsets[extent.start]
        self._state = "visual line" if extent.lines else "visual"
        self._on.go(max(extent.end - 1, extent.start))

    def _do_selected(self, command: ViCommand) -> None:
        verb, extent, units = command.verb.rstrip(), self._selected(), self._on.units
        if verb in ("v", "V"):
            state: ViState = "visual" if verb == "v" else "visual line"
            self._state = "normal" if state == self._state else state
        elif verb in ("o", "O"):
            cursor, self._anchor = self._anchor, self._buffer.cursor
            self._buffer.move(cursor)
        elif verb in ("I", "A"):
            self._on.go(extent.start if verb == "I" else extent.end)
            self._state = "normal"
            self._change(ViChange(ViCommand("i")))
        else:
            first, last = self._ends()
            below = units.slice(first, last).count("\n")
            across = END if self._goal == END else extent.end - (units.start(last) if below else first)
            lines = extent.lines or command.verb != verb or verb in WHOLE
            self._state = "normal"
            self._on.go(units.start(first) if lines else first)
            self._change(ViChange(command._replace(verb=verb), selected=(below, across, lines)))

    def _again(self, selected: tuple[int, float, bool]) -> UnitRange:
        """Return a range from the cursor of the same size as an earlier selection."""
        below, across, lines = selected
        units, at = self._on.units, self._on.at
        last = units.lines(at, below)
        if lines:
            return UnitRange(at, units.end(last), lines=True)
        start = last if below else at
        end = min(units.end(last) + (across == END or units.empty(start)), units.size)
        return UnitRange(at, int(min(start + across, end)))
