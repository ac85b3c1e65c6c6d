"""`ModeEngine`: what editor modes do to a `Buffer`, whatever the keys for it are; pure.

It types, types over, takes commands, and selects by characters and by lines. It has counts, operators with motions and
parts of the text, repetition, and undo by whole changes. There is one register, the buffer's kill ring. Behaviour
follows POSIX `vi`, and Vim where Vim goes further. Features that need more than a text are left out: search, marks,
macros, registers, ex commands.
"""

from zot_tui.editor.buffer import Buffer, alike
from zot_tui.editor.keyed.command import INSERTS, LINES, OPERATORS, SELECTING, TYPING, WHOLE, EditCommand, ModeKind
from zot_tui.editor.keyed.insert import EditChange, InsertModeBase
from zot_tui.editor.keyed.motions import AGAIN, END, FINDS, MOTIONS, MotionStart, MotionTarget
from zot_tui.editor.keyed.objects import OBJECTS, UnitRange
from zot_tui.editor.keyed.operators import CASES, Chips, no_chips
from zot_tui.editor.mode import Outcome
from zot_tui.editor.units import BLANK

_SELECTS: dict[str, ModeKind] = {"select": "select", "select_lines": "select_lines"}


class ModeEngine(InsertModeBase):
    """The commands of editor modes; typing at first. `chips` returns the ranges of a text that are one unit each."""

    def __init__(self, buffer: Buffer, chips: Chips = no_chips) -> None:
        super().__init__(buffer, chips)
        self._anchor = 0  # the offset at which the selection began
        self._goal: float | None = None  # the cells that vertical movement keeps
        self._found: tuple[str, str] | None = None  # the last motion of FINDS, and its character

    @property
    def types(self) -> bool:
        """True in a mode of the kind `insert`."""
        return self._state == "insert"

    @property
    def selection(self) -> tuple[int, int] | None:
        """The selected range; whole lines include the line break."""
        if not self._selecting:
            return None
        extent, offsets = self._selected(), self._on.units.offsets
        return offsets[extent.start], offsets[extent.end]

    @property
    def _selecting(self) -> bool:
        return self._state in SELECTING

    def make_room(self) -> None:
        """Move behind the cursor (before it at the beginning of a line) for inserted text, and delete the selection."""
        units, at = self._on.units, self._on.at
        if self._selecting:
            self._on.change(self._selected())
            self._state = "command"
        elif self._state == "command" and not units.is_break(at) and at > units.start(at):
            self._on.go(at + 1)

    def pause(self) -> None:
        self._end_session()

    def settle(self) -> None:
        text, cursor = self._buffer.text, self._buffer.cursor
        if (text, cursor) == self._seen:
            return
        self._goal = None
        if self._session is not None and text == self._seen[0]:
            self._end_session()  # text typed elsewhere is another change
        if self._selecting and text != self._seen[0]:
            self._state = "command"
        self._rest()

    def _rest(self) -> None:
        """Move the cursor to a valid position, and remember the text to detect changes from outside."""
        if self._state not in TYPING:
            self._on.clamp()
        self._seen = self._buffer.text, self._buffer.cursor

    def restart(self) -> None:
        self.pause()
        self._state, self._goal = "insert", None
        self._seen = self._buffer.text, self._buffer.cursor

    # Commands

    def _do(self, command: EditCommand) -> Outcome:
        verb, times = command.verb, max(command.number, 1)
        if not verb:
            return self._move(command)
        if verb in ("row_down", "row_up"):
            return "row_down" if verb == "row_down" else "row_up"
        if self._selecting:
            self._do_selected(command)
        elif verb in _SELECTS:
            self._state, self._anchor = _SELECTS[verb], self._buffer.cursor
        elif verb == "repeat":
            self._repeat(command.number)
        elif verb == "undo":
            for _ in range(times):
                self._buffer.undo()
        elif verb == "redo":
            before = self._buffer.text
            for _ in range(times):
                self._buffer.redo()
            if self._buffer.text != before:
                self._buffer.move(alike(before, self._buffer.text))
        else:
            self._change(EditChange(command))
        self._goal = None
        return "used"

    def _move(self, command: EditCommand) -> Outcome:
        name = command.motion
        if name in OBJECTS:
            self._select(command)
            return "used"
        target = self._target(command)
        if name not in ("down", "up"):
            self._goal = END if name == "line_end" else None
        if target is not None:
            self._on.go(target.at)
        elif name in ("down", "up") and not self._selecting:
            return "down" if name == "down" else "up"
        return "used"

    def _target(self, command: EditCommand) -> MotionTarget | None:
        """Return where a motion leads from the cursor."""
        name, char = command.motion, command.char
        units, at = self._on.units, self._on.at
        if name in AGAIN:
            if self._found is None:
                return None
            name, char = self._found
            name = FINDS[name] if command.motion == "again_back" else name
            by = {"till": 1, "till_back": -1}.get(name, 0)
            if command.number < 2 and by and 0 <= at + by < units.size and units.units[at + by] == char:
                at += by  # else it would not move
        elif name in FINDS:
            self._found = name, char
        if name in ("down", "up") and self._goal is None:
            self._goal = units.cells(at)
        return MOTIONS[name](MotionStart(units, at, command.number, char, self._goal or 0, command.verb))

    def _extent(self, command: EditCommand) -> UnitRange | None:
        """Return the range that an operator works on."""
        units, at, times = self._on.units, self._on.at, max(command.number, 1)
        if command.motion == LINES:
            end = units.end(units.lines(at, times - 1))
            first = min(at, units.first(at)) if command.verb in CASES else at
            return UnitRange(first, end, lines=True) if times == 1 or units.end(at) < units.size else None
        if command.motion in OBJECTS:
            return OBJECTS[command.motion](units, at, times)
        target = self._target(command)
        self._goal = None
        return None if target is None else self._on.between(at, target, command.verb)

    def _change(self, change: EditChange) -> None:
        self._buffer.begin_step()
        done = self._run(change)
        if self._state in TYPING:
            self._begin_session(change)
            return
        self._buffer.end_step()
        if done and change.command.verb != "copy":
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
        if self._state != "command":
            self._type(change)
            if change.command.verb in INSERTS:
                self._type_more(change)
            self._state = "command"
            self._back()
        self._buffer.end_step()

    def _run(self, change: EditChange) -> bool:
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

    def _operate(self, command: EditCommand, extent: UnitRange) -> bool:
        done = self._on.operate(command, extent)
        if command.verb == "change":
            self._state = "insert"
        return done

    def _insert(self, verb: str) -> None:
        """Move to where typing begins."""
        units, at = self._on.units, self._on.at
        self._state = "overwrite" if verb == "overwrite" else "insert"
        match verb:
            case "append" if not units.empty(at):
                self._on.go(at + 1)
            case "insert_first":
                at = units.first(at)
                self._on.go(at + (units.kind(at) == BLANK and not units.is_break(at)))
            case "append_end":
                self._on.go(units.end(at))
            case "open_below":
                self._on.replace(units.end(at), units.end(at), "\n")
            case "open_above":
                start = units.start(at)
                self._on.replace(start, start, "\n")
                self._on.go(start)

    # Selection

    def _selected(self) -> UnitRange:
        units, (first, last) = self._on.units, self._ends()
        if self._state == "select_lines":
            return UnitRange(units.start(first), units.end(last), lines=True)
        last = units.end(last) if self._goal == END else last
        return UnitRange(first, min(last + 1, units.size))

    def _ends(self) -> tuple[int, int]:
        """Return the first and last unit of the selection."""
        anchor, at = self._on.units.index(self._anchor), self._on.at
        return min(anchor, at), max(anchor, at)

    def _select(self, command: EditCommand) -> None:
        """Select a text object, or extend the selection by it."""
        units, at = self._on.units, self._on.at
        more = at != units.index(self._anchor)
        extent = OBJECTS[command.motion](units, min(at + more, units.size), max(command.number, 1))
        if extent is None:
            return
        if not more:
            self._anchor = units.offsets[extent.start]
        self._state = "select_lines" if extent.lines else "select"
        self._on.go(max(extent.end - 1, extent.start))

    def _do_selected(self, command: EditCommand) -> None:
        verb, extent, units = command.verb.removesuffix(" lines"), self._selected(), self._on.units
        if verb in _SELECTS:
            self._state = "command" if verb == self._state else _SELECTS[verb]
        elif verb == "other_end":
            cursor, self._anchor = self._anchor, self._buffer.cursor
            self._buffer.move(cursor)
        elif verb in ("insert_first", "append_end"):
            self._on.go(extent.start if verb == "insert_first" else extent.end)
            self._state = "command"
            self._change(EditChange(EditCommand("insert")))
        else:
            first, last = self._ends()
            below = units.slice(first, last).count("\n")
            across = END if self._goal == END else extent.end - (units.start(last) if below else first)
            lines = extent.lines or command.verb != verb or verb in WHOLE
            self._state = "command"
            self._on.go(units.start(first) if lines else first)
            self._change(EditChange(command._replace(verb=verb), selected=(below, across, lines)))

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
