"""`Picker`: the one dialog to choose one of many."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from zot_tui.keys.keymap import Keymap
from zot_tui.keys.keys import RUNE, Key, parse_key
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.fuzzy import rank
from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.sanitize import sanitize_line
from zot_tui.text.width import width
from zot_tui.widgets.dialogs.dialog import Dialog, Hint, V
from zot_tui.widgets.dialogs.entry import ListEntry, entry_row, heading_row, window
from zot_tui.widgets.input.editor import EditorWidget
from zot_tui.widgets.rows import canvas, column
from zot_tui.widgets.scroll import MARGIN

MAX_ROWS = 15
LABEL_CELLS = 40
MEASURED = 500  # items whose labels decide where descriptions begin
FOUND = 500  # items that a search shows at most, the best ones
CURRENT = "● "


@dataclass(slots=True)
class PickerItem(Generic[V]):
    """Something to choose, and how it is shown: `detail` at the right edge, under the name of its `group`.

    `current` marks what is in force. One that is not `enabled` is seen but cannot be chosen.
    """

    value: V
    label: str
    description: str = ""
    detail: str = ""
    group: str = ""
    current: bool = False
    enabled: bool = True


@dataclass(slots=True)
class RowAction:
    """Another thing to do to the chosen item. A `key` that types a character does it while nothing is searched for.

    With `confirm`, a question such as `delete this session?`, the key must be pressed twice.
    """

    name: str
    key: str
    help: str
    confirm: str = ""


@dataclass(slots=True)
class _Line:
    """What a row shows: an item by its index with the letters found in its label, or the name of a group."""

    index: int = -1
    heading: str = ""
    positions: Sequence[int] = ()


class Picker(Dialog[V]):
    """Items, of which those stay that fit what is typed. It answers with the value of the chosen one.

    Only the rows in view are built. `on_action` is called with the name of a `RowAction` and the value it is meant for;
    the picker stays, and `set_items` gives it what there is then.
    """

    def __init__(
        self,
        title: str,
        items: Sequence[PickerItem[V]],
        *,
        note: str = "",
        placeholder: str = "type to search",
        empty: str = "nothing to choose from",
        actions: Sequence[RowAction] = (),
        on_action: Callable[[str, V], None] | None = None,
        max_rows: int = MAX_ROWS,
        keymap: Keymap | None = None,
    ) -> None:
        self.filter = EditorWidget(keymap=keymap, placeholder=placeholder, mark="/", single=True, max_rows=1)
        self._list = _List(self, empty)
        super().__init__(title, self._list, note=note, keymap=keymap)
        self._max_rows = max(max_rows, 1)
        self._actions = {str(parse_key(action.key)): action for action in actions}
        self._on_action = on_action
        self._asked: RowAction | None = None  # what is to be confirmed
        self.items: Sequence[PickerItem[V]] = items
        self.lines: list[_Line] = []
        self.at = -1  # the chosen line
        self._searched_for = ("", 0)  # the last search, and how much it found
        self.set_items(items)

    @property
    def chosen(self) -> PickerItem[V] | None:
        """The item that Enter would choose; None if there is none."""
        return self.items[self.lines[self.at].index] if self.at >= 0 else None

    @property
    def max_rows(self) -> int:
        """Rows of items at most."""
        return self._max_rows

    def set_items(self, items: Sequence[PickerItem[V]]) -> None:
        """Show these from now on. What was chosen stays so by its value, else by its place."""
        chosen, place = self.chosen, self.at
        self.items = items
        self._searched_for = ("", 0)
        self._find()
        if chosen is not None:
            same = (at for at, line in enumerate(self.lines) if self._item(line, value=chosen.value) is not None)
            self.at = next(same, min(place, len(self.lines) - 1))
            self._settle()
        self.changed()

    def accept(self) -> None:
        """Answer with the chosen item, if there is one."""
        if self.chosen is not None:
            self.close(self.chosen.value)

    def up(self) -> None:
        """Choose the item above; none follows the first."""
        self._go(self.at - 1, -1)

    def down(self) -> None:
        """Choose the item below; none follows the last."""
        self._go(self.at + 1, 1)

    def page_up(self) -> None:
        """Choose the item a page above."""
        if not self._go(max(self.at - self._list.height, 0), -1):
            self.first()

    def page_down(self) -> None:
        """Choose the item a page below."""
        if not self._go(min(self.at + self._list.height, len(self.lines) - 1), 1):
            self.last()

    def first(self) -> None:
        """Choose the first item."""
        self._go(0, 1)

    def last(self) -> None:
        """Choose the last item."""
        self._go(len(self.lines) - 1, -1)

    def pressed(self, key: Key, name: str) -> bool:
        """Actions on a row, and editing what is searched for."""
        asked, action = self._asked, self._action(key)
        self._asked = None
        if action is not None:
            self._act(action, confirmed=action is asked)
            return True
        method = self.method(key)
        if method is not None:
            return asked is not None and method == self.cancel  # closes the question alone
        before = self.filter.text
        if self.filter.keypress((self.columns,), name) is not None:
            return False
        if self.filter.text != before:
            self._find()
        return True

    def pasted(self, text: str) -> None:
        """Search for what was pasted."""
        self._asked = None
        self.filter.paste(text)
        self._find()

    def notice(self) -> tuple[str, str] | None:
        """The question that is to be confirmed."""
        if self._asked is None:
            return None
        return "warning", f"{self._asked.confirm} {parse_key(self._asked.key).label} again to do it"

    def detail(self) -> str:
        """How many there are, if they are not all in view, and how many of them fit."""
        if not self.filter.text.strip():
            return str(len(self.items)) if len(self.lines) > self._list.height else ""
        more = "+" if len(self.lines) == FOUND else ""
        return f"{len(self.lines)}{more}/{len(self.items)}"

    def _action(self, key: Key) -> RowAction | None:
        return self._actions.get(str(key)) if key.name != RUNE or not self.filter.text else None

    def _act(self, action: RowAction, *, confirmed: bool) -> None:
        chosen = self.chosen
        if chosen is None:
            return
        if action.confirm and not confirmed:
            self._asked = action
        elif self._on_action is not None:
            self._on_action(action.name, chosen.value)

    def _item(self, line: _Line, *, value: V) -> PickerItem[V] | None:
        if line.index < 0 or self.items[line.index].value != value:
            return None
        return self.items[line.index]

    def _find(self) -> None:
        """The lines for what is typed. With nothing typed all, under their groups; else the best first."""
        wanted = self.filter.text
        actions = [(name, action) for name, action in self._actions.items() if not wanted or not _types(name)]
        self.hints = (
            Hint("dialog_accept", "choose"),
            *(Hint(name, action.help) for name, action in actions),
            Hint("dialog_cancel", "close"),
        )
        candidates = self._candidates(wanted)
        self.lines = []
        current = 0
        if wanted.strip():
            found = rank(wanted, candidates, self._searched, FOUND)
            found.sort(key=lambda each: (-each.match.score, len(self.items[each.item].label)))
            self.lines = [_Line(each.item, positions=each.match.positions) for each in found]
        else:
            group = ""
            for index, item in enumerate(self.items):
                if item.group != group:
                    group = item.group
                    self.lines.append(_Line(heading=group))
                if item.current and not current:
                    current = len(self.lines)
                self.lines.append(_Line(index))
        self._searched_for = (wanted, len(self.lines))
        self.at = current if self.lines else -1
        self._settle()
        self._list.moved()

    def _candidates(self, wanted: str) -> Sequence[int]:
        """Items that may fit: of a search that goes on, those it found so far, if that was all of them."""
        before, count = self._searched_for
        if before.strip() and wanted.startswith(before) and count < FOUND:
            return sorted(line.index for line in self.lines)
        return range(len(self.items))

    def _searched(self, index: int) -> str:
        item = self.items[index]
        return f"{item.label} {item.group}" if item.group else item.label

    def _go(self, at: int, step: int) -> bool:
        """Choose the first item that can be chosen from line `at` on in the direction of `step`, if there is one."""
        while 0 <= at < len(self.lines):
            index = self.lines[at].index
            if index >= 0 and self.items[index].enabled:
                self.at = at
                self._list.moved()
                return True
            at += step
        return False

    def _settle(self) -> None:
        """Choose an item near the line that is chosen, or none."""
        at = self.at
        if at < 0 or not (self._go(at, 1) or self._go(at, -1)):
            self.at = -1


def _types(key: str) -> bool:
    """Whether a key types a character."""
    return parse_key(key).name == RUNE


class _List(urwid.Widget):
    """The filter and the rows of a picker that are in view."""

    _sizing = frozenset([urwid.BOX])
    _selectable = False

    def __init__(self, picker: Picker[Any], empty: str) -> None:
        super().__init__()
        self._picker = picker
        self._empty = empty
        self._top = 0
        self._measured: tuple[Sequence[PickerItem[Any]], int, bool] | None = None
        self.height = 1  # rows of items that were drawn last

    def moved(self) -> None:
        """Something else is chosen or shown."""
        self._invalidate()

    def wanted(self, columns: int) -> int:
        """The filter, and rows for all items: a search must not move what is above it."""
        groups = len({item.group for item in self._picker.items[:MEASURED]} - {""})
        return 1 + min(max(len(self._picker.items) + groups, 1), self._picker.max_rows)

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        columns, rows = size
        picker = self._picker
        # Where one row is left it is the chosen item's.
        typed = picker.filter.render((columns,), focus=focus) if rows > 1 else None
        self.height = max(rows - 1, 1)
        self._top = window(len(picker.lines), picker.at, self._top, self.height)
        if picker.at == 1 and self.height > 1:
            self._top = 0  # the name of the first group
        cells, marked = self._measure(columns)
        shown = [
            self._row(line, columns, cells, marked=marked, chosen=self._top + index == picker.at)
            for index, line in enumerate(picker.lines[self._top : self._top + self.height])
        ]
        if not shown:
            said = "nothing found" if picker.filter.text else sanitize_line(self._empty)
            shown = [clip_runs([("muted", MARGIN + said)], columns)]
        shown += [[]] * (self.height - len(shown))
        items = canvas(shown, columns)
        return column([typed, items], columns) if typed is not None else items

    def _measure(self, columns: int) -> tuple[int, bool]:
        """Where descriptions begin, and whether there is a mark before the labels."""
        items = self._picker.items
        if self._measured is None or self._measured[0] is not items:
            cells = max((width(item.label) for item in items[:MEASURED]), default=0)
            self._measured = (items, min(cells, LABEL_CELLS), any(item.current for item in items))
        _, cells, marked = self._measured
        return min(cells, columns // 2), marked

    def _row(self, line: _Line, columns: int, cells: int, *, marked: bool, chosen: bool) -> Row[Any]:
        if line.index < 0:
            return heading_row(line.heading, columns)
        item = self._picker.items[line.index]
        mark = (CURRENT if item.current else " " * len(CURRENT)) if marked else ""
        detail = item.detail
        if self._picker.filter.text and item.group:
            detail = f"{item.group}  {detail}" if detail else item.group
        positions = [place for place in line.positions if place < len(item.label)]
        entry = ListEntry(item.label, item.description, detail, mark, positions, item.enabled)
        return entry_row(entry, columns, cells, chosen=chosen)
