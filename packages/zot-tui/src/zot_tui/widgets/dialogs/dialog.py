"""`Dialog`: the base class of all dialogs."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from zot_tui.keys.key import Key, parse_key
from zot_tui.keys.keymap import Keymap
from zot_tui.terminal.canvas import canvas, column, cut
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row, clip_runs, runs_width
from zot_tui.text.sanitize import detached, sanitize, sanitize_line
from zot_tui.text.width import clip, width
from zot_tui.text.wrap import wrap
from zot_tui.widgets.actions import Action, bindings
from zot_tui.widgets.input.editor import EDITOR, EDITOR_ACTIONS, EditorWidget
from zot_tui.widgets.scroll import MARGIN

V = TypeVar("V")

NOTE_ROWS = 4
AIRY = 14  # rows from which blank rows are kept even if the body needs more room

DIALOG, LIST = "dialog", "list"
"""The contexts of keys in dialogs: in all of them, and in those with rows to go through."""

_SCROLLING = frozenset({"dialog_page_up", "dialog_page_down"})


class Hint(NamedTuple):
    """A hint in the bottom line: an action whose key is shown, or a key itself, and what it does, or does now."""

    action: str
    help: str | Callable[[], str]


class Body(Protocol):
    """The body of a dialog: an urwid box widget that knows how many rows it needs."""

    def wanted(self, columns: int) -> int:
        """Return the rows needed to show everything."""

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See urwid; `size` is columns and rows."""


class Dialog(urwid.Widget, Generic[V]):
    """A question: title, note, body, hints. A showing has one answer, a value or None.

    It needs `wanted(columns)` rows; with fewer rows it leaves out first the blank rows, then hints, note and rule.
    Hints of keys that scroll are drawn only if the body is not completely in view.

    A key bound in one of `contexts` does its action of `DIALOG_ACTIONS` or `LIST_ACTIONS`. Other keys and pastes go to
    `field`, the editor in the body, if there is one. `problem` is an error in one line, shown until the next key.
    """

    _sizing = frozenset([urwid.BOX])
    _selectable = True

    contexts: tuple[str, ...] = (DIALOG,)
    """Where keys are looked up, innermost first."""
    answered_by_letter = False
    """Whether a letter alone answers, so that one which was typed for something else could."""
    scrolls_base = False
    """Whether the mouse scrolls what is behind the dialog."""

    def __init__(
        self,
        title: str,
        body: Any = None,
        *,
        note: str = "",
        hints: Sequence[Hint] = (Hint("dialog_cancel", "close"),),
        field: EditorWidget | None = None,
    ) -> None:
        """`body` is a `Body` or an urwid flow widget."""
        super().__init__()
        self._take: Callable[[V | None], None] | None = None
        self.body = body
        self.field = field
        self.hints: Sequence[Hint] = hints
        self.keymap = _keymap()
        self.problem = ""
        self._title = title
        self._note = note
        self._waits = ""

    @property
    def waits(self) -> str:
        """Why the dialog has no keys yet, shown in place of the hints; empty if it has them."""
        return self._waits

    @waits.setter
    def waits(self, why: str) -> None:
        if why != self._waits:
            self._waits = why
            self._invalidate()

    def shown(self, take: Callable[[V | None], None]) -> None:
        """Pass the next answer to `take`."""
        self._take = take

    def close(self, value: V | None) -> None:
        """Answer with `value`. Only the first answer counts."""
        take, self._take = self._take, None
        if take is not None:
            take(value)

    def changed(self) -> None:
        """Redraw the dialog and its body, whose canvas urwid keeps otherwise."""
        self._invalidate()
        if self.body is not None:
            self.body._invalidate()

    def restyle(self) -> None:
        """Draw again, because the style of what the dialog shows has changed."""
        self.changed()

    # Keys: what a dialog does not support does nothing

    def accept(self) -> None:
        """Answer with what is chosen."""

    def cancel(self) -> None:
        """Answer with None."""
        self.close(None)

    def move(self, rows: int) -> None:
        """Go down by rows, or up if negative."""

    def page(self, pages: int) -> None:
        """Go down by pages, or up if negative."""

    def end(self, *, last: bool) -> None:
        """Go to the first or last row."""

    def typed(self, text: str) -> None:
        """Handle a typed character, without a `field`."""

    def takes_letter(self, key: Key) -> bool:
        """Whether a key is a typed character for `typed`."""
        return self.field is None and bool(key.text) and self._action(key) not in _RUN

    def accepts(self, key: Key) -> bool:
        """Whether a key answers with what is chosen."""
        return self._action(key) == "dialog_accept"

    def _action(self, key: Key) -> str:
        binding = self.keymap.find(key, self.contexts)
        return "" if binding is None else binding.action

    def press(self, key: Key) -> bool:
        self._invalidate()
        self.problem = ""
        binding = self.keymap.find(key, self.contexts)
        run = _RUN.get(binding.action) if binding is not None else None
        if run is not None:
            run(self)
        elif self.field is not None:
            return self.field.handle(key, binding)
        elif key.text:
            self.typed(key.text)
        return run is not None or bool(key.text)

    def paste(self, text: str) -> None:
        """See `KeyTarget`. Without a `field` nothing happens: a paste does not answer a question."""
        self._invalidate()
        self.problem = ""
        if self.field is not None:
            self.field.paste(text)

    # Drawing

    def detail(self) -> str:
        """Return the text at the right of the title."""
        return ""

    def foot(self, columns: int, limit: int) -> list[Row[Any]]:
        """Return the rows below the body that are always drawn, at most `limit`."""
        return []

    def notice(self) -> tuple[str, str] | None:
        """Return style and text of a notice in place of the hints, or None."""
        return ("error", self.problem) if self.problem else None

    def wanted(self, columns: int) -> int:
        """Return the rows needed to show everything."""
        foot = len(self.foot(columns, 1000))
        note = len(self._note_rows(columns))
        return 5 + note + self._body_wanted(columns) + foot + bool(foot and self.body is not None)

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        columns, rows = size
        room = rows - 1
        body = self._body_wanted(columns)
        foot = self.foot(columns, max(room - (body > 0), 1))
        room -= len(foot) + min(body, 1)
        hints, room = room > 0, room - 1
        rule, room = room > 0, room - 1
        note = self._note_rows(columns)[: max(room, 0)]
        room = max(room - len(note), 0)
        spaced = 2 + bool(foot and body)
        airy = spaced if rows >= AIRY else 0
        grown = min(max(body - 1, 0), max(room - airy, 0))
        room -= grown
        blanks = [room > index for index in range(3)]
        above: list[Row[Any]] = [[("border", "─" * columns)]] if rule else []
        # The body is drawn before the title, whose detail says which rows are in view.
        shown = min(body, 1) + grown
        drawn = self._body_canvas(columns, shown, focus=focus) if body else None
        above += [self._title_row(columns), *note, *([[]] if blanks[0] else [])]
        below: list[Row[Any]] = [[]] if foot and drawn is not None and blanks[2] else []
        below += [
            *foot,
            *([[]] if blanks[1] else []),
            *([self._hint_row(columns, whole=body <= shown)] if hints else []),
        ]
        parts = [canvas(above, columns), *([drawn] if drawn is not None else []), canvas(below, columns)]
        return cut(column(parts, columns), 0, rows)

    def _body_wanted(self, columns: int) -> int:
        if self.body is None:
            return 0
        if hasattr(self.body, "wanted"):
            return int(self.body.wanted(columns))
        return int(self.body.rows((columns,)))

    def _body_canvas(self, columns: int, rows: int, *, focus: bool) -> urwid.Canvas:
        if hasattr(self.body, "wanted"):
            drawn: urwid.Canvas = self.body.render((columns, rows), focus)
            return drawn
        return cut(self.body.render((columns,), focus), 0, rows)

    def _title_row(self, columns: int) -> Row[Any]:
        detail = sanitize_line(self.detail())
        title = MARGIN + detached(sanitize_line(self._title))
        free = columns - width(detail) - 2
        if not detail or free < len(MARGIN) + 4:
            return clip_runs([("title", title)], columns)
        title = clip(title, free - 1)
        return [("title", title), (None, " " * (free - width(title))), ("muted", detail)]

    def _note_rows(self, columns: int) -> list[Row[Any]]:
        if not self._note:
            return []
        rows = wrap([("muted", sanitize(self._note))], columns, first=[(None, MARGIN)], rest=[(None, MARGIN)])
        return [*rows[:NOTE_ROWS]]

    def _hint_row(self, columns: int, *, whole: bool) -> Row[Any]:
        """Return as many hints as fit; hints of scrolling keys are dropped first, or if the `whole` body is in view."""
        notice = ("warning", self._waits) if self._waits else self.notice()
        if notice is not None:
            return clip_runs([(None, MARGIN), (notice[0], sanitize_line(notice[1]))], columns)
        hints = [hint for hint in self.hints if not (whole and hint.action in _SCROLLING)]
        row, fits = self._hinted(hints, columns)
        if not fits:
            row, _ = self._hinted([hint for hint in hints if hint.action not in _SCROLLING], columns)
        return row

    def _hinted(self, hints: Sequence[Hint], columns: int) -> tuple[Row[Any], bool]:
        """Return the hints that fit, and whether all do."""
        row: Row[Any] = [(None, MARGIN)]
        fits = True
        for hint in hints:
            label = self._label(hint.action)
            more: Row[Any] = [("dim", " · ")] if len(row) > 1 else []
            said = hint.help if isinstance(hint.help, str) else hint.help()
            more += [("key", label), ("muted", f" {said}")]
            if label and runs_width(row) + runs_width(more) <= columns:
                row += more
            elif label:
                fits = False
        return row, fits

    def _label(self, action: str) -> str:
        if action in _RUN:
            keys = self.keymap.keys(action, self.contexts)
            return keys[0].label if keys else ""
        return parse_key(action).label


DIALOG_ACTIONS: tuple[Action[Dialog[Any]], ...] = (
    Action("dialog_accept", lambda dialog: dialog.accept(), "choose", ("enter",)),
    Action("dialog_cancel", lambda dialog: dialog.cancel(), "close", ("esc", "ctrl+[", "ctrl+c")),
)
LIST_ACTIONS: tuple[Action[Dialog[Any]], ...] = (
    Action("dialog_up", lambda dialog: dialog.move(-1), "up a row", ("up", "ctrl+p")),
    Action("dialog_down", lambda dialog: dialog.move(1), "down a row", ("down", "ctrl+n")),
    Action("dialog_page_up", lambda dialog: dialog.page(-1), "up a page", ("pageup",)),
    Action("dialog_page_down", lambda dialog: dialog.page(1), "down a page", ("pagedown",)),
    Action("dialog_first", lambda dialog: dialog.end(last=False), "to the first row", ("home",)),
    Action("dialog_last", lambda dialog: dialog.end(last=True), "to the last row", ("end",)),
)

_RUN = {action.name: action.run for action in (*DIALOG_ACTIONS, *LIST_ACTIONS)}


@cache
def _keymap() -> Keymap:
    return Keymap([*bindings(LIST, LIST_ACTIONS), *bindings(DIALOG, DIALOG_ACTIONS), *bindings(EDITOR, EDITOR_ACTIONS)])
