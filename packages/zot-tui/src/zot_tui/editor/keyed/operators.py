"""`Operators`: changes to a range of a buffer, and the put commands; pure."""

from collections.abc import Callable, Iterable

from zot_tui.editor.buffer import Buffer
from zot_tui.editor.keyed.command import EditCommand
from zot_tui.editor.keyed.motions import MotionTarget
from zot_tui.editor.keyed.objects import UnitRange
from zot_tui.editor.units import BLANK, CHIP, Units

Chips = Callable[[str], Iterable[tuple[int, int]]]

SHIFT = 4
"""Blanks by which `indent` and `outdent` move a line."""

LARGEST = 1 << 20
"""The most characters that a count may produce from a put text."""


def no_chips(text: str) -> Iterable[tuple[int, int]]:
    """Return no ranges: the text has no chips."""
    return ()


class Operators:
    """Changes to a buffer in units. `units` are the units of the current text, `at` is the unit at the cursor.

    No change is an undo step by itself. Cut or copied text goes to the buffer's kill ring; whole lines end with a line
    break there.
    """

    __slots__ = ("_chips", "_lines", "_units", "buffer")

    def __init__(self, buffer: Buffer, chips: Chips = no_chips) -> None:
        self.buffer = buffer
        self._chips = chips
        self._units = Units("")
        self._lines = ""  # the last text that was kept as whole lines

    @property
    def units(self) -> Units:
        if self._units.text != self.buffer.text:
            self.refresh()
        return self._units

    def refresh(self) -> None:
        """Update the units: the chips may have changed."""
        self._units = Units(self.buffer.text, self._chips(self.buffer.text))

    @property
    def at(self) -> int:
        """The unit at the cursor."""
        return self.units.index(self.buffer.cursor)

    def go(self, at: int) -> None:
        """Put the cursor before a unit."""
        self.buffer.move(self.units.offsets[at])

    def clamp(self) -> None:
        """Put the cursor on the last unit of its line if it is behind it."""
        units, at = self.units, self.at
        if units.is_break(at) and not units.empty(at):
            self.go(at - 1)
        elif units.offsets[at] != self.buffer.cursor:
            self.go(at)  # within a chip

    def replace(self, start: int, end: int, text: str) -> None:
        """Replace units by `text` and move the cursor behind it."""
        offsets = self.units.offsets
        self.buffer.replace(offsets[start], offsets[end], text)

    # Operators on a range

    def between(self, start: int, target: MotionTarget, verb: str) -> UnitRange:
        """Return the range of an operator for a motion from `start` to `target` (`:help exclusive` in Vim)."""
        units = self.units
        first, last = sorted((start, target.at))
        if target.kind == "lines":
            return UnitRange(first, units.end(last), lines=True)
        if target.kind == "inclusive":
            last += not units.is_break(last)
        elif last > first and last == units.start(last) and units.start(first) != last:
            # A range that ends at the beginning of a line ends on the line before, or becomes linewise.
            last -= 1
            if first <= units.first(first):
                return UnitRange(first, last, lines=True)
        if verb == "cut" and self._alone(first, last):
            return UnitRange(first, last, lines=True)
        return UnitRange(first, last)

    def _alone(self, first: int, last: int) -> bool:
        """Whether a range of several lines has only blanks before and behind it."""
        units = self.units
        end = units.end(last)
        return (
            units.start(first) != units.start(last)
            and first <= units.first(first)
            and all(units.kind(at) == BLANK for at in range(last, end))
        )

    def whole(self, extent: UnitRange) -> UnitRange:
        """Return the range as lines, from the first unit to the line break of the last line."""
        units = self.units
        end = extent.end if extent.lines else units.end(max(extent.end - 1, extent.start))
        return UnitRange(units.start(extent.start), end, lines=True)

    def keep(self, extent: UnitRange) -> None:
        """Copy a range for `put`."""
        text = self.units.slice(extent.start, extent.end)
        if extent.lines:
            text = self._lines = text + "\n"
        elif text == self._lines:
            self._lines = ""
        self.buffer.kills.add(text)

    def yank(self, extent: UnitRange, at: int) -> None:
        """Copy, and move the cursor to `at`."""
        self.keep(extent)
        self.go(at)

    def delete(self, extent: UnitRange) -> None:
        """Cut. Cutting the last line also removes the line break before it."""
        start, end, lines = extent
        units = self.units
        if not lines:
            if end > start:
                self.keep(extent)
                self.replace(start, end, "")
            return
        self.keep(extent)
        if end < units.size:
            end += 1
        elif start:
            start -= 1
        self.replace(start, end, "")
        self.go(self.units.first(min(self.at + (start != extent.start), self.units.size)))
        if start != extent.start:
            self.go(self.units.first(self.units.size))

    def change(self, extent: UnitRange) -> None:
        """Cut, to type a replacement; lines leave an empty line behind."""
        if extent.lines or extent.end > extent.start:
            self.keep(extent)
            self.replace(extent.start, extent.end, "")

    def case(self, extent: UnitRange, convert: Callable[[str], str]) -> None:
        """Change the case, unless that changes the length; chips stay as they are."""
        units = self.units
        converted = [
            new
            if units.kinds[at] < CHIP and len(new := convert(units.units[at])) == len(units.units[at])
            else units.units[at]
            for at in range(extent.start, extent.end)
        ]
        cursor = self.buffer.cursor
        self.replace(extent.start, extent.end, "".join(converted))
        self.buffer.move(cursor)

    def shift(self, extent: UnitRange, times: int, *, back: bool) -> None:
        """Add blanks at the beginning of lines, or remove them."""
        text = self.units.slice(extent.start, extent.end)
        lines = text.split("\n")
        width = min(SHIFT * times, LARGEST // len(lines))
        for number, line in enumerate(lines):
            if back:
                blanks = len(line) - len(line.lstrip(" "))
                lines[number] = line[1:] if line.startswith("\t") else line[min(blanks, width) :]
            elif line:
                lines[number] = " " * width + line
        start = self.units.offsets[extent.start]
        self.replace(extent.start, extent.end, "\n".join(lines))
        self.go(self.units.first(self.units.index(start)))

    def join(self, at: int, lines: int, *, spaced: bool) -> bool:
        """Join lines, separated by a blank if `spaced`. Returns False if there is no line to join."""
        joined = False
        self.go(at)
        for _ in range(max(lines - 1, 1)):
            units = self.units
            end = following = units.end(self.at)
            if end == units.size:
                break
            following += 1
            while spaced and following < units.size and units.kinds[following] == BLANK:
                following += 1
            none = not spaced or units.is_break(following) or units.units[following] == ")"
            blank = "" if none or units.start(end) == end or units.kind(end - 1) == BLANK else " "
            self.replace(end, following, blank)
            self.go(max(self.at - len(blank), 0))
            joined = True
        return joined

    # Put

    def put(self, count: int, *, before: bool) -> bool:
        """Insert the last cut or copied text behind or before the cursor; False without such a text."""
        text = self.buffer.kills.text
        if not text:
            return False
        lines = text == self._lines
        text *= max(min(count, LARGEST // len(text)), 1)
        units, at = self.units, self.at
        if lines:
            self._put_lines(text, before=before)
            return True
        if not before and not units.empty(at):
            at += 1
        start = units.offsets[at]
        self.replace(at, at, text)
        end = self.units.index(start + len(text))
        self.go(self.units.index(start) if "\n" in text else max(end - 1, 0))
        return True

    def _put_lines(self, text: str, *, before: bool) -> None:
        units, at = self.units, self.at
        end = units.end(at)
        if before:
            at = units.start(at)
            self.replace(at, at, text)
        elif end < units.size:
            at = end + 1
            self.replace(at, at, text)
        else:
            at = end + 1
            self.replace(end, end, "\n" + text[:-1])
        self.go(self.units.first(at))

    def put_over(self, extent: UnitRange, count: int) -> bool:
        """Cut a selection and put the last cut or copied text there; False if there is no such text."""
        text = self.buffer.kills.text
        if not text:
            return False
        lines = text == self._lines
        if extent.lines and not lines:
            text += "\n"
            lines = True
        text *= max(min(count, LARGEST // len(text)), 1)
        extent = self.whole(extent) if extent.lines else extent
        if lines and extent.lines:
            text = text[:-1]
        elif lines:
            text = "\n" + text
        self.keep(extent)
        start = self.units.offsets[extent.start]
        self.replace(extent.start, extent.end, text)
        last = max(self.units.index(start + len(text)) - 1, 0)
        self.go(self.units.index(start) if extent.lines or lines else last)
        return True

    # Commands

    def operate(self, command: EditCommand, extent: UnitRange) -> bool:
        """Run an operator, or an action on a selection; False if that is impossible.

        `command.number` is the count of `put`, `indent` and `outdent`.
        """
        verb, at, times = command.verb, extent.start, max(command.number, 1)
        if verb in ("put", "put_before"):
            return self.put_over(extent, times)
        if verb in ("join", "join_plain"):
            return self.join(at, self.units.slice(*extent[:2]).count("\n") + 1, spaced=verb == "join")
        whole = self.whole(extent)
        extent = whole if extent.lines else extent
        match verb:
            case "cut":
                self.delete(extent)
            case "change":
                self.change(extent)
            case "copy":
                self.yank(extent, at)
            case "indent" | "outdent":
                self.shift(whole, times, back=verb == "outdent")
            case "replace":
                self.fill(extent, command.char)
            case _:
                self.case(extent, CASES[verb])
                self.go(at)
        return True

    def act(self, command: EditCommand) -> bool:
        """Run a command at the cursor that is no operator; False if that is impossible."""
        units, at, count = self.units, self.at, max(command.number, 1)
        end = min(at + count, units.end(at))
        match command.verb:
            case "put" | "put_before":
                return self.put(count, before=command.verb == "put_before")
            case "join" | "join_plain":
                return self.join(at, count, spaced=command.verb == "join")
            case "replace":
                if at + count > end:
                    return False
                if command.char == "\n":
                    self.replace(at, end, "\n")
                    return True
                self.fill(UnitRange(at, end), command.char)
                self.go(end - 1)
            case "toggle_case":
                if at == end:
                    return False
                self.case(UnitRange(at, end), str.swapcase)
                self.go(end)
        return True

    def fill(self, extent: UnitRange, char: str) -> None:
        """Replace every unit except line breaks by one character."""
        filled = [each if each == "\n" else char for each in self.units.units[extent.start : extent.end]]
        self.replace(extent.start, extent.end, "".join(filled))
        self.go(extent.start)

    def count(self, text: str, start: int, end: int) -> int:
        """Return the number of units of another text between two offsets."""
        units = Units(text, self._chips(text))
        return max(units.index(end) - units.index(start), 0)


CASES: dict[str, Callable[[str], str]] = {
    "swap_case": str.swapcase,
    "lower_case": str.lower,
    "upper_case": str.upper,
}
