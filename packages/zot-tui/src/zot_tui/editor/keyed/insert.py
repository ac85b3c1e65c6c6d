"""`InsertModeBase`: the modes that type. Each stay in them is one change, which can be repeated; pure."""

from dataclasses import dataclass
from typing import NamedTuple

from zot_tui.editor.buffer import Buffer, alike
from zot_tui.editor.keyed.command import INSERTS, EditCommand, ModeKind
from zot_tui.editor.keyed.operators import LARGEST, Chips, Operators, no_chips
from zot_tui.editor.mode import EditorMode, Outcome
from zot_tui.keys.key import RUNE, Key


class TypedText(NamedTuple):
    """The result of a stay in a mode that types: units removed before and behind the cursor, and the text typed."""

    before: int = 0
    behind: int = 0
    text: str = ""


_NOTHING = TypedText()


@dataclass(slots=True)
class EditChange:
    """A change that `.` can repeat: a command, the text typed with it, and the size of its selection.

    The size is the number of lines below the first, the units of the last line, and whether it is linewise.
    """

    command: EditCommand
    typed: TypedText = _NOTHING
    selected: tuple[int, float, bool] | None = None


@dataclass(slots=True)
class InsertSession:
    """A stay in a mode that types: the change it belongs to, and text and cursor at its start."""

    change: EditChange
    text: str
    cursor: int


class InsertModeBase(EditorMode):
    """The typing part of `ModeEngine`. Keys with bindings are handled by the editor."""

    def __init__(self, buffer: Buffer, chips: Chips = no_chips) -> None:
        self._buffer = buffer
        self._on = Operators(buffer, chips)
        self._state: ModeKind = "insert"
        self._last: EditChange | None = None
        self._session: InsertSession | None = None
        self._over: list[str] = []  # the units that were typed over
        self._seen = (buffer.text, buffer.cursor)

    def _in_insert(self, typed: str) -> Outcome:
        if typed and self._session is None:
            self._buffer.begin_step()
            self._begin_session(EditChange(EditCommand("insert")))
        return ""

    def _in_replace(self, key: Key, typed: str) -> Outcome:
        if typed:
            self._type_over(typed)
        elif str(key) in ("backspace", "ctrl+h"):
            self._take_back()
        else:
            return ""
        self._seen = self._buffer.text, self._buffer.cursor
        return "used"

    def _type_over(self, typed: str) -> None:
        if self._session is None:
            self._buffer.begin_step()
            self._begin_session(EditChange(EditCommand("overwrite")))
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

    def _begin_session(self, change: EditChange) -> None:
        """Begin to record typed text as part of `change`, whose undo step has begun."""
        self._session = InsertSession(change, self._buffer.text, self._buffer.cursor)
        self._over.clear()

    def _end_session(self, *, again: bool = False) -> None:
        """End the recording as one change; with `again`, repeat the text as often as the count says."""
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
        self._state = "command"
        self._back()

    def _typed_in(self, session: InsertSession) -> TypedText:
        """Return the difference to the text at the start of the session."""
        before, after = session.text, self._buffer.text
        if session.change.command.verb == "overwrite":
            return TypedText(0, len(self._over), after[session.cursor : self._seen[1]])
        behind = alike(before[session.cursor :][::-1], after[::-1])
        rest = after[: len(after) - behind]
        start = alike(before[: session.cursor], rest)
        gone = self._on.count(before, start, session.cursor)
        return TypedText(gone, self._on.count(before, session.cursor, len(before) - behind), rest[start:])

    def _type(self, change: EditChange) -> None:
        before, behind, text = change.typed
        units, at = self._on.units, self._on.at
        end = units.end(at) if change.command.verb == "overwrite" else units.size
        self._on.replace(max(at - before, 0), min(at + behind, end), text)

    def _type_more(self, change: EditChange) -> None:
        """Type the text again until it is there as often as the count says; it was typed once."""
        command, typed = change.command, change.typed
        for _ in range(min(command.number, LARGEST // max(len(typed.text), 1)) - 1):
            if command.verb in ("open_below", "open_above"):
                self._on.replace(self._on.at, self._on.at, "\n")
            behind = typed.behind if command.verb == "overwrite" else 0
            self._type(EditChange(command, typed._replace(before=0, behind=behind)))

    def _back(self) -> None:
        """Move left, as the end of typing does."""
        at = self._on.at
        if at > self._on.units.start(at):
            self._on.go(at - 1)


def typed_by(key: Key) -> str:
    """Return the character that a key types, or an empty string."""
    return key.text if key.name == RUNE and not key.modifiers else ""


def behind_escape(key: Key) -> Key | None:
    """Return the key typed right behind Esc, which terminals report as one key with Alt; None for other keys."""
    if "alt" not in key.modifiers or not {"alt", "shift"}.issuperset(key.modifiers) or len(key.name) != 1:
        return None
    return Key(RUNE, (), key.name.upper() if "shift" in key.modifiers else key.name)
