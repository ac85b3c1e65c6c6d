"""`Form`: a dialog of labelled fields."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from zot_tui.keys.key import Key
from zot_tui.keys.keymap import Keymap
from zot_tui.terminal.canvas import canvas, column, cut
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import pad, width
from zot_tui.widgets.dialogs.dialog import Dialog, Hint
from zot_tui.widgets.dialogs.entry import window
from zot_tui.widgets.input.editor import EditorWidget
from zot_tui.widgets.scroll import MARGIN

LABEL_CELLS = 24
GAP = 1


@dataclass(slots=True)
class Field:
    """A line to fill in. `name` is its key in the answer, `masked` draws dots."""

    name: str
    label: str
    text: str = ""
    placeholder: str = ""
    masked: bool = False


class Form(Dialog[dict[str, str]]):
    """Fields, of which one is edited at a time. It answers with the text of each by its name.

    Enter goes to the next field, on the last it answers; `check` may refuse the answer by saying why.
    """

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        *,
        note: str = "",
        check: Callable[[dict[str, str]], str] | None = None,
        keymap: Keymap | None = None,
    ) -> None:
        self._fields = [*fields]
        self._editors = [
            EditorWidget(keymap=keymap, placeholder=field.placeholder, masked=field.masked, single=True, max_rows=1)
            for field in fields
        ]
        for editor, field in zip(self._editors, fields, strict=True):
            editor.set_text(field.text)
        self._body = _Fields(self._fields, self._editors)
        hints = (Hint("dialog_accept", "accept"), Hint("dialog_next", "next"), Hint("dialog_cancel", "cancel"))
        super().__init__(title, self._body, note=note, hints=hints, keymap=keymap)
        self._check = check
        self._problem = ""

    @property
    def answer(self) -> dict[str, str]:
        """What stands in the fields."""
        return {field.name: editor.text for field, editor in zip(self._fields, self._editors, strict=True)}

    def accept(self) -> None:
        """Go to the next field; from the last, answer unless that is refused."""
        if self._body.at < len(self._fields) - 1:
            self.down()
            return
        answer = self.answer
        self._problem = self._check(answer) if self._check is not None else ""
        if not self._problem:
            self.close(answer)

    def up(self) -> None:
        """To the field above, if there is one."""
        self._body.go(max(self._body.at - 1, 0))

    def down(self) -> None:
        """To the field below, if there is one."""
        self._body.go(min(self._body.at + 1, len(self._fields) - 1))

    def following(self) -> None:
        """To the next field, from the last to the first."""
        self._body.go((self._body.at + 1) % len(self._fields))

    def previous(self) -> None:
        """To the field before, from the first to the last."""
        self._body.go((self._body.at - 1) % len(self._fields))

    def pressed(self, key: Key, name: str) -> bool:
        """Edit the field, unless the key is the dialog's."""
        self._problem = ""
        if self.method(key) is not None:
            return False
        return self._editors[self._body.at].keypress((self.columns,), name) is None

    def pasted(self, text: str) -> None:
        """Put a pasted text into the field, on one line."""
        self._problem = ""
        self._editors[self._body.at].paste(text)

    def notice(self) -> tuple[str, str] | None:
        """Why the answer was refused."""
        return ("error", self._problem) if self._problem else None


class _Fields(urwid.Widget):
    """A row for each field: its label, its editor."""

    _sizing = frozenset([urwid.BOX])
    _selectable = False

    def __init__(self, fields: Sequence[Field], editors: Sequence[EditorWidget]) -> None:
        super().__init__()
        self.at = 0
        self._labels = [sanitize_line(field.label) for field in fields]
        self._editors = editors
        self._top = 0

    def go(self, at: int) -> None:
        """Edit another field."""
        self.at = at
        self._invalidate()

    def wanted(self, columns: int) -> int:
        """See `Body`."""
        return len(self._editors)

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        columns, rows = size
        cells = min(max(map(width, self._labels)), LABEL_CELLS, columns // 3)
        self._top = window(len(self._editors), self.at, self._top, rows)
        room = columns - cells - len(MARGIN) - GAP
        drawn: list[urwid.Canvas] = []
        for index in range(self._top, min(self._top + rows, len(self._editors))):
            chosen = index == self.at
            style = "accent" if chosen else "muted"
            label = canvas([[(style, MARGIN + pad(self._labels[index], cells) + " " * GAP)]], columns - room)
            field = self._editors[index].render((room,), focus=focus and chosen)
            drawn.append(urwid.CanvasJoin([(label, None, False, columns - room), (field, None, chosen, room)]))
        return cut(column(drawn, columns), 0, rows)
