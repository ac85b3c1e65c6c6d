"""`KeyedMode`: an editor mode whose keys are data; pure."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from zot_tui.editor.buffer import Buffer
from zot_tui.editor.keyed.command import LINES, MOST, SELECTING, TYPING, EditCommand, ModeKind, Step, waits
from zot_tui.editor.keyed.engine import ModeEngine
from zot_tui.editor.keyed.insert import behind_escape, typed_by
from zot_tui.editor.keyed.objects import UnitRange
from zot_tui.editor.keyed.operators import Chips, no_chips
from zot_tui.editor.keyed.read import KEPT, KeyedModes, Keys
from zot_tui.editor.mode import CursorShape, Outcome
from zot_tui.keys.key import RUNE, Key

BEGINNINGS = frozenset("/!@")
"""Characters that are typed in every mode if the editor is empty, because they begin a command or a file name."""

_SHAPES: dict[ModeKind, CursorShape] = {"insert": "bar", "overwrite": "underline"}


class _Operator(NamedTuple):
    """An operator that waits for a motion: its command, with the count, and the keys that began it."""

    command: EditCommand
    keys: Keys


class KeyedMode(ModeEngine):
    """The modes of `modes`. `act` does an action by its name.

    Of a sequence of keys that has no meaning, the characters have been typed in a mode that types, and the last key is
    handled afresh; other modes drop it. When the editor is empty, `/`, `!` and `@` are typed in every mode.
    """

    def __init__(
        self, buffer: Buffer, modes: KeyedModes, act: Callable[[str], object], chips: Chips = no_chips
    ) -> None:
        super().__init__(buffer, chips)
        self.modes, self._act = modes, act
        self._mode = modes.first
        self._state = self._mode.kind
        self._pending: Keys = ()
        self._number = 0
        self._operator: _Operator | None = None
        self._asked: EditCommand | None = None  # a command that waits for a character
        self._performing = False
        self._rest()

    # The interface of `EditorMode`

    @property
    def name(self) -> str:
        return self._mode.label

    @property
    def shape(self) -> CursorShape:
        """That of the mode, else a bar where one types, an underline where one types over, else a block."""
        return self._mode.cursor or _SHAPES.get(self._state, "block")

    @property
    def current(self) -> str:
        return self._mode.name

    @current.setter
    def current(self, name: str) -> None:
        """Switch to a mode, which must exist."""
        self._drop()
        self._switch(name)
        self._rest()

    def claims(self, key: Key) -> bool:
        name = str(key)
        keys = (*self._pending, name)
        return name not in KEPT and name != "esc" and (keys in self._meanings() or keys in self._mode.begun)

    def press(self, key: Key) -> Outcome:
        typed, name = typed_by(key), str(key)
        if name in KEPT:
            return ""
        if self._asked is not None:
            return self._answered(typed)
        if (letter := self._behind_escape(key)) is not None:
            self.escape()
            return self.press(letter)
        if self._counts(name):
            self._number = min(self._number * 10 + int(name), MOST)
            return "used"
        keys = (*self._pending, name)
        if keys in self._meanings():
            return self._complete(keys)
        if keys in self._mode.begun:
            self._pending = keys
            return self._typed(key, typed) if self._typing else "used"
        return self._unknown(key, typed)

    def _unknown(self, key: Key, typed: str) -> Outcome:
        """Handle a key that continues nothing."""
        mode = self._mode
        if self._pending and self._typing:
            self._pending = ()
            return self.press(key)
        if self._pending or self._operator is not None:
            self._drop()
            return "used"
        if not self._buffer.text and typed in BEGINNINGS and not self._typing:
            self._go_to("insert")
            return self._typed(key, typed)
        if mode.fallthrough:
            self._drop()
            self._switch(mode.fallthrough)
            return self.press(key)
        if self._typing:
            return self._typed(key, typed)
        self._number = 0
        return "used" if typed else ""

    def escape(self) -> bool:
        """Drop what waits for more keys, or do what the key does in this mode."""
        waited, counted = self._waiting, self._number > 0
        self._drop()
        if waited:
            return True
        steps = self._mode.keys.get(("esc",))
        if steps is not None:
            self._perform(steps, 0)
        return counted or steps is not None

    def enter(self) -> bool:
        """Answer a command that waits for a character, or do what the key does in this mode."""
        if self._performing:
            return False
        if self._asked is not None:
            return bool(self._answered("\n"))
        keys = (*self._pending, "enter")
        if keys in self._meanings():
            return bool(self._complete(keys))
        waited = self._waiting or self._number > 0
        self._drop()
        return waited

    def make_room(self) -> None:
        super().make_room()
        self._follow()

    def pause(self) -> None:
        self._drop()
        super().pause()

    def settle(self) -> None:
        changed = (self._buffer.text, self._buffer.cursor) != self._seen
        super().settle()
        self._follow()
        if changed and not (self._typing and self._before_cursor(self._pending)):
            self._pending, self._number, self._operator = (), 0, None

    def restart(self) -> None:
        super().restart()
        self._drop()
        self._mode = self.modes.first
        self._state = self._mode.kind

    # Keys

    @property
    def _typing(self) -> bool:
        return self._state in TYPING

    @property
    def _waiting(self) -> bool:
        """Whether a command has begun that needs more keys."""
        begun = bool(self._pending) and not self._typing
        return begun or self._asked is not None or self._operator is not None

    def _meanings(self) -> Mapping[Keys, object]:
        """Return the keys that mean something now."""
        if self._operator is not None:
            return {**self._mode.targets, self._operator.keys: LINES, self._operator.keys[-1:]: LINES}
        return self._mode.keys

    def _counts(self, name: str) -> bool:
        if not self._mode.counts or self._pending or self._typing or len(name) != 1 or name not in "0123456789":
            return False
        return name != "0" or self._number > 0

    def _behind_escape(self, key: Key) -> Key | None:
        letter = behind_escape(key)
        keys = (*self._pending, str(key))
        if letter is None or ("esc",) not in self._mode.keys or keys in self._mode.keys or keys in self._mode.begun:
            return None
        return letter

    def _typed(self, key: Key, typed: str) -> Outcome:
        return self._in_insert(typed) if self._state == "insert" else self._in_replace(key, typed)

    def _before_cursor(self, keys: Keys) -> bool:
        """Whether the characters of keys are right before the cursor."""
        text = "".join(_character(each) for each in keys)
        return bool(keys) and self._buffer.text.endswith(text, 0, self._buffer.cursor)

    def _complete(self, keys: Keys) -> Outcome:
        """Do what a complete sequence of keys means."""
        before, self._pending = self._pending, ()
        operator, self._operator = self._operator, None
        if operator is not None:
            motion = self._mode.targets.get(keys, LINES)
            number = operator.command.number or self._number
            if operator.command.number and self._number:
                number = min(operator.command.number * self._number, MOST)
            self._number = 0
            return self._perform((Step("command", EditCommand(operator.command.verb, motion, number)),), number)
        if self._typing:
            self._take_back_typed(before)
        steps, number = self._mode.keys[keys], self._number
        self._number = 0
        if len(steps) == 1 and steps[0].kind == "operator":
            self._operator = _Operator(steps[0].command._replace(number=number), keys)
            return "used"
        return self._perform(steps, number)

    def _take_back_typed(self, keys: Keys) -> None:
        """Remove the characters that the beginning of a sequence has typed."""
        length = sum(len(_character(each)) for each in keys)
        if length and self._before_cursor(keys):
            self._buffer.replace(self._buffer.cursor - length, self._buffer.cursor, "")

    def _answered(self, typed: str) -> Outcome:
        asked, self._asked = self._asked, None
        if asked is not None and typed:
            self._perform((Step("command", asked._replace(char=typed)),), asked.number)
        return "used"

    def _drop(self) -> None:
        self._pending, self._number, self._operator, self._asked = (), 0, None, None

    # Steps

    def _perform(self, steps: tuple[Step, ...], number: int) -> Outcome:
        """Do steps one after the other. The outcome is that of the last."""
        outcome: Outcome = "used"
        before, self._performing = self._performing, True
        try:
            for step in steps:
                outcome = self._do_step(step, number)
                self._follow()
        finally:
            self._performing = before
        self._rest()
        return outcome

    def _do_step(self, step: Step, number: int) -> Outcome:
        command = step.command
        match step.kind:
            case "mode":
                self._switch(step.text)
            case "type":
                self._buffer.insert(step.text)
            case "action":
                self._rest()
                for _ in range(max(number, 1)):
                    self._act(step.text)
            case _ if waits(command):
                self._asked = command._replace(number=number)
            case _:
                return self._once(command._replace(number=command.number or number))
        return "used"

    def _once(self, command: EditCommand) -> Outcome:
        """Do a command of the engine, also in a mode that types."""
        before = self._state
        if before not in TYPING:
            return self._do(command)
        self._end_session()
        self._state = "command"
        outcome = self._do(command)
        if self._state == "command":
            self._state = before
        return outcome

    def _selected(self) -> UnitRange:
        if self._mode.exclusive and self._state == "select":
            return UnitRange(*self._ends())
        return super()._selected()

    def _rest(self) -> None:
        if self._mode.exclusive:
            self._seen = self._buffer.text, self._buffer.cursor
        else:
            super()._rest()

    def _switch(self, name: str) -> None:
        mode = self.modes.modes[name]
        if mode.kind == "command" and self._typing:
            self._leave_insert()
        elif mode.kind in SELECTING and not self._selecting:
            self._end_session()
            self._anchor = self._buffer.cursor
        elif mode.kind in TYPING and self._state == "command":
            self._do(EditCommand(mode.kind))
        self._state, self._mode = mode.kind, mode

    def _go_to(self, kind: ModeKind) -> None:
        mode = self.modes.of_kind(kind)
        if mode is not None:
            self._switch(mode.name)

    def _follow(self) -> None:
        """Choose the mode that fits the state of the engine, after a command has changed it."""
        if self._mode.kind != self._state:
            self._mode = self.modes.of_kind(self._state) or self.modes.first
            self._state = self._mode.kind


def _character(name: str) -> str:
    """Return what a key types, by its name."""
    return " " if name == "space" else name if len(name) == 1 and name != RUNE else ""
