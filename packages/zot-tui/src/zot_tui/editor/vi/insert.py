"""`InsertModeBase`: vi's insert and replace mode, each time of which is one change that can be done again; pure."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from zot_tui.editor.buffer import Buffer, alike
from zot_tui.editor.mode import EditorMode, Outcome
from zot_tui.editor.vi.command import ViCommand
from zot_tui.editor.vi.operators import LARGEST, Chips, Operators, no_chips
from zot_tui.keys.key import RUNE, Key

ViState: TypeAlias = Literal["insert", "normal", "replace", "visual", "visual line"]

INSERTS = frozenset("iIaAoOR")
"""Commands that begin to type, as often as their count says."""


class TypedText(NamedTuple):
    """What a time in insert mode came to: units that went before and behind the cursor, and what was typed."""

    before: int = 0
    behind: int = 0
    text: str = ""


_NOTHING = TypedText()


@dataclass(slots=True)
class ViChange:
    """What `.` does again: a command, what was typed then, and how much was selected: lines below the first one, and
    units of the last line, and whether lines are meant."""

    command: ViCommand
    typed: TypedText = _NOTHING
    selected: tuple[int, float, bool] | None = None


@dataclass(slots=True)
class InsertSession:
    """A time in insert or replace mode: what began it, and text and cursor then."""

    change: ViChange
    text: str
    cursor: int


class InsertModeBase(EditorMode):
    """The half of `Vi` that types. What it cannot do, keys of bindings, the editor does."""

    def __init__(self, buffer: Buffer, chips: Chips = no_chips) -> None:
        self._buffer = buffer
        self._on = Operators(buffer, chips)
        self._state: ViState = "insert"
        self._last: ViChange | None = None
        self._session: InsertSession | None = None
        self._over: list[str] = []  # the units that replace mode has typed over
        self._seen = (buffer.text, buffer.cursor)

    def _in_insert(self, key: Key, typed: str) -> Outcome:
        if (letter := behind_escape(key)) is not None:
            self.escape()
            return self.press(letter)
        if typed and self._session is None:
            self._buffer.begin_step()
            self._begin_session(ViChange(ViCommand("i")))
        return ""

    def _in_replace(self, key: Key, typed: str) -> Outcome:
        if typed:
            self._type_over(typed)
        elif str(key) in ("backspace", "ctrl+h"):
            self._take_back()
        elif (letter := behind_escape(key)) is not None:
            self.escape()
            return self.press(letter)
        else:
            return ""
        self._seen = self._buffer.text, self._buffer.cursor
        return "used"

    def _type_over(self, typed: str) -> None:
        if self._session is None:
            self._buffer.begin_step()
            self._begin_session(ViChange(ViCommand("R")))
        at, units = self._on.at, self._on.units
        over = "" if units.is_break(at) else units.units[at]
        self._over.append(over)
        self._on.replace(at, at + bool(over), typed)

    def _take_back(self) -> None:
        at = self._on.at
        if self._session is not None and self._over and at:
            over = self._over.pop()
            self._on.replace(at - 1, at, over)
            self._on.go(at - 1)
        elif at > self._on.units.start(at):
            self._on.go(at - 1)

    def _begin_session(self, change: ViChange) -> None:
        """From here what is typed belongs to `change`, whose step of undo has begun."""
        self._session = InsertSession(change, self._buffer.text, self._buffer.cursor)
        self._over.clear()

    def _end_session(self, *, again: bool = False) -> None:
        """What was typed is one change; with `again` as often as its count says."""
        session, self._session = self._session, None
        if session is None:
            return
        change = session.change
        change.typed = self._typed_in(session)
        if again and change.command.verb in INSERTS:
            self._type_more(change)
        self._last = change
        self._buffer.end_step()

    def _leave_insert(self) -> None:
        self._end_session(again=True)
        self._state = "normal"
        self._back()

    def _typed_in(self, session: InsertSession) -> TypedText:
        """What differs from the text in which it began."""
        before, after = session.text, self._buffer.text
        if session.change.command.verb == "R":
            return TypedText(0, len(self._over), after[session.cursor : self._seen[1]])
        behind = alike(before[session.cursor :][::-1], after[::-1])
        rest = after[: len(after) - behind]
        start = alike(before[: session.cursor], rest)
        gone = self._on.count(before, start, session.cursor)
        return TypedText(gone, self._on.count(before, session.cursor, len(before) - behind), rest[start:])

    def _type(self, change: ViChange) -> None:
        """Type again what was typed then."""
        before, behind, text = change.typed
        units, at = self._on.units, self._on.at
        end = units.end(at) if change.command.verb == "R" else units.size
        self._on.replace(max(at - before, 0), min(at + behind, end), text)

    def _type_more(self, change: ViChange) -> None:
        """Type it as often as the count says, once being done."""
        command, typed = change.command, change.typed
        for _ in range(min(command.number, LARGEST // max(len(typed.text), 1)) - 1):
            if command.verb in ("o", "O"):
                self._on.replace(self._on.at, self._on.at, "\n")
            self._type(ViChange(command, typed._replace(before=0, behind=typed.behind * (command.verb == "R"))))

    def _back(self) -> None:
        """To the left, where something was typed."""
        at = self._on.at
        if at > self._on.units.start(at):
            self._on.go(at - 1)


def typed_by(key: Key) -> str:
    """The character that a key types, or nothing."""
    return key.text if key.name == RUNE and not key.modifiers else ""


def behind_escape(key: Key) -> Key | None:
    """What was typed right behind Esc: to a terminal both are one key with Alt. None for other keys."""
    if "alt" not in key.modifiers or not {"alt", "shift"}.issuperset(key.modifiers) or len(key.name) != 1:
        return None
    return Key(RUNE, (), key.name.upper() if "shift" in key.modifiers else key.name)
