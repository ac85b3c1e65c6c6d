"""`Dialog`: the base class of all dialogs."""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from zot_tui.keys.key import Key, parse_key
from zot_tui.keys.keymap import Keymap
from zot_tui.terminal.canvas import canvas, column, cut
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row, clip_runs, runs_width
from zot_tui.text.sanitize import detached, sanitize, sanitize_line
from zot_tui.text.width import width
from zot_tui.text.wrap import wrap
from zot_tui.widgets.actions import Action, bindings
from zot_tui.widgets.input.editor import EDITOR, EDITOR_ACTIONS, EditorWidget
from zot_tui.widgets.scroll import MARGIN

V = TypeVar("V")

NOTE_ROWS = 4
"""The rows of title and note, after the first, that come before the body."""
DETAIL = 14  # cells beside a title that it leaves to the detail
FEW = 8  # rows from which hints may take several
AIRY = 14  # rows from which blank rows are kept even if the body needs more room

DIALOG, LIST = "dialog", "list"
"""The contexts of keys in dialogs: in all of them, and in those with rows to go through."""

_SCROLLING, _READING = frozenset({"dialog_page_up", "dialog_page_down"}), frozenset({"dialog_read_on"})
_OPTIONAL = _SCROLLING | _READING


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


class _Plan(NamedTuple):
    """The rows of the parts of a dialog; `room` is what is left for blank ones."""

    head: int
    body: int
    foot: Sequence[Row[Any]]
    hints: Sequence[Row[Any]]
    rule: bool
    room: int


class Dialog(urwid.Widget, Generic[V]):
    """A question: title, note, body, hints. A showing has one answer, a value or None.

    It needs `wanted(columns)` rows; with fewer rows it leaves out first the blank rows, then a part of title and note,
    which a key turns like pages, then rule and hints. Hints of keys that scroll, and of that key, are drawn only if not
    everything is in view.

    A key bound in one of `contexts` does its action of `DIALOG_ACTIONS` or `LIST_ACTIONS`. Other keys and pastes go to
    `field`, the editor in the body, if there is one. `problem` is an error in one line, shown until the next key.
    """

    _sizing = frozenset([urwid.BOX])
    _selectable = True

    contexts: tuple[str, ...] = (DIALOG,)
    """Where keys are looked up, innermost first."""
    answered_by_letter = False
    """Whether a letter alone answers, which may have been typed for something else."""
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
        self._titled: tuple[int, list[Row[Any]]] = (0, [])  # the rows of the title, for a width
        self._first = self._turn = 0  # of title and note, the first row in view and how many are
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

    def read_on(self) -> None:
        """Show what follows of title and note, or their beginning after the end."""
        self._first += self._turn

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
        """Return the rows needed to show everything but the end of a long title."""
        foot, title = len(self.foot(columns, 1000)), self._title_rows(columns)
        head = min(len(title), 1 + NOTE_ROWS) + len(self.note_rows(columns))
        hints = len(self._hint_rows(columns, _OPTIONAL))
        body = self._body_wanted(columns)
        return 1 + hints + head + body + foot + _spaces(body, foot)

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        columns, rows = size
        head = [*self._title_rows(columns), *self.note_rows(columns)]
        plan = self._plan(columns, rows, self._body_wanted(columns), len(head))
        first = self._first = self._first if self._first < len(head) else 0
        self._turn = plan.head
        shown = head[first : first + plan.head]
        # The body is drawn before the title, whose detail says which rows are in view.
        drawn = self._body_canvas(columns, plan.body, focus=focus) if plan.body else None
        above: list[Row[Any]] = [[("border", "─" * columns)]] if plan.rule else []
        above += [self._detailed(shown[0], columns), *shown[1:], *([[]] * (plan.head - len(shown)))]
        above += [[]] if plan.room > 0 and (plan.body or plan.foot) else []
        below: list[Row[Any]] = [[]] if plan.foot and drawn is not None and plan.room > 2 else []
        below += [*plan.foot, *([[]] if plan.room > 1 else []), *plan.hints]
        parts = [canvas(above, columns), *([drawn] if drawn is not None else []), canvas(below, columns)]
        return cut(column(parts, columns), 0, rows)

    def _plan(self, columns: int, rows: int, body: int, head: int) -> "_Plan":
        """Share the rows among the parts, of which `body` and `head` rows are wanted."""
        left_out = _OPTIONAL
        while True:
            hints = self._hint_rows(columns, left_out)[: None if rows >= FEW else 1]
            foot = self.foot(columns, max(rows - 1 - min(body, 1) - (len(hints) if rows >= FEW else 0), 1))
            room = rows - 1 - len(foot) - min(body, 1)
            hints = hints[: max(room, 0)]
            room -= len(hints)
            rule, room = room > 0, room - 1
            said = max(min(head - 1, NOTE_ROWS, max(room // 3, 1), room), 0)
            spare = max(room - said - (_spaces(body, len(foot)) if rows >= AIRY else 0), 0)
            grown = min(max(body - 1, 0), spare)
            more = min(head - 1 - said, spare - grown)
            plan = _Plan(1 + said + more, min(body, 1) + grown, foot, hints, rule, room - said - grown - more)
            needed = (_SCROLLING if plan.body < body else frozenset()) | (_READING if plan.head < head else frozenset())
            if not needed & left_out:
                return plan
            left_out -= needed

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

    def _title_rows(self, columns: int) -> list[Row[Any]]:
        """Return the title, with room beside it for the detail."""
        if self._titled[0] != columns:
            runs, margin = [("title", detached(sanitize_line(self._title)))], [(None, MARGIN)]
            room = columns - max(min(DETAIL, columns // 2 - 10), 0)
            self._titled = columns, [*wrap(runs, room, first=margin, rest=margin)]
            self._first = 0  # rows of another width begin elsewhere
        return self._titled[1]

    def _detailed(self, row: Row[Any], columns: int) -> Row[Any]:
        detail = sanitize_line(self.detail())
        free = columns - runs_width(row) - width(detail) - len(MARGIN)
        return [*row, (None, " " * free), ("muted", detail)] if detail and free > 0 else row

    def note_rows(self, columns: int) -> list[Row[Any]]:
        """Return the rows of the note."""
        if not self._note:
            return []
        return [*wrap([("muted", sanitize(self._note))], columns, first=[(None, MARGIN)], rest=[(None, MARGIN)])]

    def _hint_rows(self, columns: int, left_out: Collection[str]) -> list[Row[Any]]:
        """Return the rows below: a notice, or the hints whose actions are not `left_out`."""
        notice = ("warning", self._waits) if self._waits else self.notice()
        margin: Row[Any] = [(None, MARGIN)]
        if notice is not None:
            return [*wrap([(notice[0], sanitize_line(notice[1]))], columns, first=margin, rest=margin)]
        rows = [margin]
        for hint in (*self.hints, Hint("dialog_read_on", "read on")):
            label = "" if hint.action in left_out else self._label(hint.action)
            if label:
                said = hint.help if isinstance(hint.help, str) else hint.help()
                more: Row[Any] = [("key", label), ("muted", f" {said}")]
                between: Row[Any] = [("dim", " · ")] if len(rows[-1]) > 1 else []
                if between and runs_width(rows[-1]) + runs_width(between) + runs_width(more) > columns:
                    rows.append([*margin, *more])
                else:
                    rows[-1] = [*rows[-1], *between, *more]
        return [clip_runs(row, columns) for row in rows]

    def _label(self, action: str) -> str:
        if action in _RUN:
            keys = self.keymap.keys(action, self.contexts)
            return keys[0].label if keys else ""
        return parse_key(action).label


DIALOG_ACTIONS: tuple[Action[Dialog[Any]], ...] = (
    Action("dialog_accept", lambda dialog: dialog.accept(), "choose", ("enter",)),
    Action("dialog_cancel", lambda dialog: dialog.cancel(), "close", ("esc", "ctrl+[", "ctrl+c")),
    Action("dialog_read_on", lambda dialog: dialog.read_on(), "read the rest of a long title or note", ("ctrl+o",)),
)
LIST_ACTIONS: tuple[Action[Dialog[Any]], ...] = (
    Action("dialog_up", lambda dialog: dialog.move(-1), "up a row", ("up", "ctrl+p")),
    Action("dialog_down", lambda dialog: dialog.move(1), "down a row", ("down", "ctrl+n")),
    Action("dialog_page_up", lambda dialog: dialog.page(-1), "up a page", ("pageup",)),
    Action("dialog_page_down", lambda dialog: dialog.page(1), "down a page", ("pagedown",)),
    Action("dialog_first", lambda dialog: dialog.end(last=False), "to the first row", ("home",)),
    Action("dialog_last", lambda dialog: dialog.end(last=True), "to the last row", ("end",)),
)


def _spaces(body: int, foot: int) -> int:
    """Return the blank rows: above the hints, above the other parts, and between these."""
    return 1 + bool(body or foot) + bool(body and foot)


_RUN = {action.name: action.run for action in (*DIALOG_ACTIONS, *LIST_ACTIONS)}


@cache
def _keymap() -> Keymap:
    return Keymap([*bindings(LIST, LIST_ACTIONS), *bindings(DIALOG, DIALOG_ACTIONS), *bindings(EDITOR, EDITOR_ACTIONS)])
