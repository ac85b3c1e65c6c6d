"""`Picker`: the dialog to choose one of many items."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Generic

from zot_tui.keys.key import Key, parse_key
from zot_tui.terminal.canvas import canvas, column
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.fuzzy import rank
from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import width
from zot_tui.widgets.dialogs.dialog import DIALOG, LIST, Dialog, Hint, V
from zot_tui.widgets.dialogs.entry import ListEntry, entry_rows, heading_row, window
from zot_tui.widgets.input.editor import EDITOR, EditorWidget
from zot_tui.widgets.scroll import MARGIN

MAX_ROWS = 15
LABEL_CELLS = 40
MEASURED = 500  # most items whose labels are measured to align descriptions
FOUND = 500  # most items that a search shows
CURRENT = "● "


@dataclass(slots=True)
class PickerItem(Generic[V]):
    """An item: `value` is the answer, `detail` is shown at the right edge, `group` as a heading.

    `current` marks the item in use. An item that is not `enabled` is shown but cannot be chosen.
    """

    value: V
    label: str
    description: str = ""
    detail: str = ""
    group: str = ""
    current: bool = False
    enabled: bool = True


@dataclass(slots=True)
class RowAction(Generic[V]):
    """Another action on the chosen item: `run` gets its value, and the picker stays open.

    A `key` that types a character or moves in the search works only while that is empty. Without `help` there is no
    hint of it. `refusal` returns why the action cannot be done with a value, in a line, or an empty text. With
    `confirm`, a question such as `delete this session?`, the key must be pressed twice.
    """

    key: str
    help: str
    run: Callable[[V], object]
    confirm: str = ""
    refusal: Callable[[V], str] = lambda _: ""


@dataclass(slots=True)
class _Line:
    """The content of a row: the index of an item with the matched positions in its label, or a group's name."""

    index: int = -1
    heading: str = ""
    positions: Sequence[int] = ()


class Picker(Dialog[V]):
    """A list of items filtered by what is typed. It answers with the value of the chosen item.

    Only the rows in view are built. `set_items` updates the open picker. The chosen item shows all of its text, and the
    others are a row each; all show theirs where `max_rows` are enough, or if the picker `wraps`: it has all these then.
    """

    contexts = (LIST, DIALOG, EDITOR)
    wraps = False

    def __init__(
        self,
        title: str,
        items: Sequence[PickerItem[V]],
        *,
        note: str = "",
        placeholder: str = "type to search",
        empty: str = "nothing to choose from",
        actions: Sequence[RowAction[V]] = (),
        max_rows: int = MAX_ROWS,
    ) -> None:
        self.filter = EditorWidget(placeholder=placeholder, mark="/", single=True, max_rows=1)
        self._list = _List(self, empty)
        super().__init__(title, self._list, note=note, field=self.filter)
        self._max_rows = max(max_rows, 1)
        self._actions = {parse_key(action.key): action for action in actions}
        self._unconfirmed: RowAction[V] | None = None
        self.items: Sequence[PickerItem[V]] = items
        self.lines: list[_Line] = []
        self.at = -1  # the chosen line
        self._searched_for = ("", 0)  # the last search and the number of its matches
        self.set_items(items)
        self.filter.edited.connect(self._search)

    @property
    def chosen(self) -> PickerItem[V] | None:
        """The item that Enter chooses, or None."""
        return self.items[self.lines[self.at].index] if self.at >= 0 else None

    @property
    def max_rows(self) -> int:
        """The most rows of items."""
        return self._max_rows

    def set_items(self, items: Sequence[PickerItem[V]]) -> None:
        """Replace the items. The choice stays on the same value, else on the same line."""
        chosen, line_index = self.chosen, self.at
        self.items = items
        self._searched_for = ("", 0)
        self._find()
        if chosen is not None:
            same = (at for at, line in enumerate(self.lines) if self._item(line, value=chosen.value) is not None)
            self.at = next(same, min(line_index, len(self.lines) - 1))
            self._choose_near()
        self.changed()

    def accept(self) -> None:
        if self.chosen is not None:
            self.close(self.chosen.value)

    def cancel(self) -> None:
        """Answer with None; close only the question, if an action waits to be confirmed."""
        if self._unconfirmed is None:
            self.close(None)

    def move(self, rows: int) -> None:
        """Choose the item above or below; it does not wrap around."""
        self._choose(self.at + rows, rows)

    def page(self, pages: int) -> None:
        at = min(max(self.at + pages * self._list.page, 0), len(self.lines) - 1)
        self._list.turn(pages)
        if not self._choose(at, pages):
            self.end(last=pages > 0)

    def end(self, *, last: bool) -> None:
        self._choose(len(self.lines) - 1 if last else 0, -1 if last else 1)

    def press(self, key: Key) -> bool:
        """See `Dialog`; row actions come before everything else."""
        action = self._actions.get(key)
        if action is not None and not (_edits(key) and self.filter.text):
            self._act(action)
            return True
        used = super().press(key)
        self._unconfirmed = None
        return used

    def paste(self, text: str) -> None:
        self._unconfirmed = None
        super().paste(text)

    def notice(self) -> tuple[str, str] | None:
        """See `Dialog`: the question of an action that must be confirmed."""
        if self._unconfirmed is None:
            return super().notice()
        return "warning", f"{self._unconfirmed.confirm} {parse_key(self._unconfirmed.key).label} again to confirm"

    def detail(self) -> str:
        """See `Dialog`: the number of items if not all are in view, and of matches during a search."""
        if not self.filter.text.strip():
            return "" if self._list.whole else str(len(self.items))
        more = "+" if len(self.lines) == FOUND else ""
        return f"{len(self.lines)}{more}/{len(self.items)}"

    def _act(self, action: RowAction[V]) -> None:
        self._invalidate()
        asked, self._unconfirmed = self._unconfirmed, None
        chosen = self.chosen
        self.problem = action.refusal(chosen.value) if chosen is not None else ""
        if chosen is None or self.problem:
            return
        if action.confirm and action is not asked:
            self._unconfirmed = action
        else:
            action.run(chosen.value)

    def _item(self, line: _Line, *, value: V) -> PickerItem[V] | None:
        if line.index < 0 or self.items[line.index].value != value:
            return None
        return self.items[line.index]

    def _search(self) -> None:
        if self.filter.text != self._searched_for[0]:
            self._find()

    def _find(self) -> None:
        """Update the lines: all items under their groups, or the matches of the search, best first."""
        wanted = self.filter.text
        actions = [act for key, act in self._actions.items() if act.help and not (wanted and _edits(key))]
        self.hints = (
            Hint("dialog_accept", "choose"),
            *(Hint(action.key, action.help) for action in actions),
            Hint("dialog_cancel", "close"),
        )
        candidates = self._candidates(wanted)
        self.lines = []
        current = -1
        if wanted.strip():
            found = rank(wanted, candidates, self._searched, FOUND)
            lengths = {each.item: len(self.text(self.items[each.item])) for each in found}
            found.sort(  # what the label itself has comes before the same word behind it
                key=lambda each: (-each.match.score, each.match.positions[-1] >= lengths[each.item], lengths[each.item])
            )
            self.lines = [_Line(each.item, positions=each.match.positions) for each in found]
        else:
            group = ""
            for index, item in enumerate(self.items):
                if item.group != group:
                    group = item.group
                    self.lines.append(_Line(heading=group))
                if item.current and current < 0:
                    current = len(self.lines)
                self.lines.append(_Line(index))
        self._searched_for = (wanted, len(self.lines))
        self.at = max(current, 0) if self.lines else -1
        self._choose_near()
        self._list.moved()

    def _candidates(self, wanted: str) -> Sequence[int]:
        """Return the indexes of items that may match.

        If the text extends the last search, these are its matches, unless they were limited.
        """
        before, count = self._searched_for
        if before.strip() and wanted.startswith(before) and count < FOUND:
            return sorted(line.index for line in self.lines)
        return range(len(self.items))

    def text(self, item: PickerItem[V]) -> str:
        """Return the text of an item: its label, unless a subclass makes the texts when they are needed."""
        return item.label

    def _searched(self, index: int) -> str:
        item = self.items[index]
        return f"{self.text(item)} {item.group}" if item.group else self.text(item)

    def _choose(self, at: int, step: int) -> bool:
        """Choose the first enabled item from line `at` on, going by `step`. Return False if all are disabled."""
        while 0 <= at < len(self.lines):
            index = self.lines[at].index
            if index >= 0 and self.items[index].enabled:
                self.at = at
                self._list.moved()
                return True
            at += step
        return False

    def _choose_near(self) -> None:
        """Choose an enabled item at or near the chosen line, or none."""
        at = self.at
        if at < 0 or not (self._choose(at, 1) or self._choose(at, -1)):
            self.at = -1


def _edits(key: Key) -> bool:
    """Return whether the key is for the search once something is typed there."""
    return bool(key.text) or key.name in ("left", "right")


class _List(urwid.Widget):
    """The search field and the rows of a picker."""

    _sizing = frozenset([urwid.BOX])
    _selectable = False

    def __init__(self, picker: Picker[Any], empty: str) -> None:
        super().__init__()
        self._picker = picker
        self._empty = empty
        self._top = 0
        self._measured: tuple[Sequence[PickerItem[Any]], list[int], bool] | None = None
        self._fitted: tuple[Sequence[PickerItem[Any]], int, tuple[bool, int]] = ((), 0, (True, 1))  # see `_fit`
        self.height = 1  # rows of items in the last drawing
        self.page = 1  # lines that were in view with all of their rows
        self.whole = False  # whether they were all in view

    def moved(self) -> None:
        """Redraw after another choice or search."""
        self._invalidate()

    def turn(self, pages: int) -> None:
        """Show the lines a page below, or above if negative, as far as the chosen one is among them."""
        self._top += pages * self.page

    def wanted(self, columns: int) -> int:
        """See `Body`: rows for the search and all items, so that a search does not change the height."""
        if self._picker.wraps:
            return 1 + self._picker.max_rows
        return 1 + self._fit(columns)[1]

    def _fit(self, columns: int) -> tuple[bool, int]:
        """Return whether all items can show all of their text, and the rows of the list."""
        items, most = self._picker.items, self._picker.max_rows
        if self._fitted[0] is not items or self._fitted[1] != columns:
            groups = len({item.group for item in items[:MEASURED]} - {""})
            rows = max(len(items) + groups, 1)
            if items and rows <= most:
                cells, marked = self._measure(columns)
                lines = (self._rows(_Line(at), columns, cells, marked=marked, wraps=True) for at in range(len(items)))
                rows = groups + sum(map(len, lines))
            self._fitted = items, columns, (rows <= most, min(rows, most))
        return self._fitted[2]

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        columns, rows = size
        picker = self._picker
        # If there is only one row, it shows the chosen item.
        typed = picker.filter.render((columns,), focus=focus) if rows > 1 else None
        self.height = max(rows - 1, 1)
        self._top = window(len(picker.lines), picker.at, self._top, self.height)
        if picker.at == 1 and self.height > 1:
            self._top = 0  # the name of the first group
        shown = self._shown(columns)
        if not shown:
            text = "nothing found" if picker.filter.text else sanitize_line(self._empty)
            shown = [clip_runs([("muted", MARGIN + text)], columns)]
        shown += [[]] * (self.height - len(shown))
        items = canvas(shown, columns)
        return column([typed, items], columns) if typed is not None else items

    def _shown(self, columns: int) -> list[Row[Any]]:
        """Return the rows of the lines in view. The first line moves down as far as it takes to show all of the chosen
        one, if lines above it take several rows."""
        picker, (cells, marked) = self._picker, self._measure(columns)
        wraps = picker.wraps or self._fit(columns)[0]

        def drawn(first: int, end: int) -> list[list[Row[Any]]]:
            return [
                self._rows(line, columns, cells, marked=marked, chosen=at == picker.at, wraps=wraps or at == picker.at)
                for at, line in enumerate(picker.lines[first:end], first)
            ]

        end = self._top + self.height
        lines = drawn(self._top, end)
        while self._top < picker.at and sum(map(len, lines[: picker.at - self._top + 1])) > self.height:
            self._top += 1
            lines = [*lines[1:], *drawn(end, end + 1)]
            end += 1
        found = [row for rows in lines for row in rows]
        self.page = max(sum(rows <= self.height for rows in accumulate(map(len, lines))), 1)
        self.whole = len(found) <= self.height and len(lines) == len(picker.lines)
        return found[: self.height]

    def _measure(self, columns: int) -> tuple[int, bool]:
        """Return the column of descriptions, and whether labels have a mark. A third of the row is enough for labels
        if nine of ten fit there: descriptions are read more than the longest labels are aligned."""
        items = self._picker.items
        if self._measured is None or self._measured[0] is not items:
            cells = sorted(min(width(self._picker.text(item)), LABEL_CELLS) for item in items[:MEASURED]) or [0]
            self._measured = (items, cells, any(item.current for item in items))
        _, cells, marked = self._measured
        return min(cells[-1], max(cells[len(cells) * 9 // 10], columns // 3), columns // 2), marked

    def _rows(
        self, line: _Line, columns: int, cells: int, *, marked: bool, wraps: bool, chosen: bool = False
    ) -> list[Row[Any]]:
        if line.index < 0:
            return [heading_row(line.heading, columns)]
        item = self._picker.items[line.index]
        mark = (CURRENT if item.current else " " * len(CURRENT)) if marked else ""
        detail = item.detail
        if self._picker.filter.text and item.group:
            detail = f"{item.group}  {detail}" if detail else item.group
        label = self._picker.text(item)
        positions = [position for position in line.positions if position < len(label)]
        entry = ListEntry(label, item.description, detail, mark, positions, item.enabled)
        return entry_rows(entry, columns, cells, chosen=chosen, wraps=wraps)
