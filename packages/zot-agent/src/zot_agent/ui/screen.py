"""`Screen`: the layout of the chat screen. `check_terminal`: whether it can be drawn."""

from collections.abc import Mapping
from typing import Any, Protocol

from zot_agent.ui.extensions.widget_area import WidgetArea
from zot_agent.ui.rows.agenda import QueueRows, TodoRows
from zot_core.machine.posix import missing_posix
from zot_provider.errors import ConfigError
from zot_tui.keys.key import Key
from zot_tui.terminal.canvas import Rows, column, cut
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row, clip_runs
from zot_tui.widgets.dialogs.panel import PanelWidget
from zot_tui.widgets.dialogs.stack import Stack
from zot_tui.widgets.input.editor import EditorWidget
from zot_tui.widgets.input.suggest import MAX_ROWS, Suggest
from zot_tui.widgets.spinner import Spinner
from zot_tui.widgets.status import ALWAYS, Status, StatusLine
from zot_tui.widgets.transcript.transcript import Transcript

MIN_TRANSCRIPT = 3
"""Rows that the conversation keeps when the widgets below it grow."""

LOW = 10
"""Rows of a terminal below which nothing of extensions is drawn around the editor."""

AIRY = 16
"""Rows of a terminal from which the working row, the to-do list and the queue have an empty row around them."""

_BLANK = Rows(lambda _: [[]])


class PanelLayer(Protocol):
    """The panels that extensions draw themselves."""

    @property
    def has_keys(self) -> bool:
        """Whether a panel has the keys."""

    def beside(self, mode: str) -> Any:
        """The widget above the editor (`inline`), or in its place (`replace_editor`)."""

    def over(self, whole: urwid.Canvas) -> urwid.Canvas:
        """Return the drawn screen with the overlays over it."""

    def mouse(self, name: str, button: int, column: int, row: int) -> bool:
        """Pass on the mouse over an overlay. Return whether it was over one."""

    def held(self, key: Key, released: bool) -> bool:  # noqa: FBT001  of `App`
        """Pass on a key that is held down or was released. Return whether it was used."""


class Screen(urwid.Widget):
    """From top to bottom: the conversation, queued prompts, the working row, the to-do list, a panel or suggestions,
    the editor, the status row. On a low terminal the lowest widgets stay and the others shrink."""

    no_cache = ("render",)  # see `Stack`
    _sizing = frozenset([urwid.BOX])
    _selectable = False

    def __init__(
        self, transcript: Transcript, editor: EditorWidget, spinner: Spinner, status: Status, widgets: WidgetArea
    ) -> None:
        """`widgets` has what extensions show around the rest."""
        super().__init__()
        self.transcript, self.editor, self.spinner, self.status = transcript, editor, spinner, status
        self.suggest = Suggest()
        self._panel: PanelWidget | None = None
        self._placeholder = ""
        self.queue, self.todos, self.widgets = QueueRows(), TodoRows(), widgets
        self.layer: PanelLayer | None = None
        """The panels that extensions draw themselves, once there is one."""
        self.shows_work = True
        """Whether the working row is drawn."""
        self._mark = Rows(self._mark_rows)
        self.stack = Stack(self, below=self._below)

    def lay_panels(self, layer: PanelLayer) -> None:
        """Draw these panels from now on."""
        self.layer = layer

    @property
    def panel(self) -> PanelWidget | None:
        """The panel that has the keys, if one is open. The editor is then drawn unfocused and without a placeholder."""
        return self._panel

    @panel.setter
    def panel(self, panel: PanelWidget | None) -> None:
        self._panel = panel
        self.typing_changed()

    @property
    def typing(self) -> bool:
        """Whether the editor gets what is typed, and no panel."""
        return self._panel is None and not (self.layer is not None and self.layer.has_keys)

    def typing_changed(self) -> None:
        """Show the editor's placeholder while the editor gets what is typed."""
        if not self.typing and self.editor.placeholder:
            self._placeholder, self.editor.placeholder = self.editor.placeholder, ""
        elif self.typing and self._placeholder:
            self._placeholder, self.editor.placeholder = "", self._placeholder

    def mouse_event(self, size: Any, event: str, button: int, column: int, row: int, focus: bool) -> bool:  # noqa: FBT001  urwid's
        """See urwid: the wheel scrolls the conversation, wherever the pointer is."""
        if self.layer is not None and self.layer.mouse(event, button, column, row):
            return True
        return bool(self.transcript.mouse_event(size, event, button, column, row, focus))

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        columns, rows = size
        parts: list[urwid.Canvas] = []
        room = rows
        for widget, keeps in self._lower(columns, rows):
            kept = room - (MIN_TRANSCRIPT if rows > 2 * MIN_TRANSCRIPT and not keeps else 1)
            if widget is self.suggest:
                self.suggest.max_rows = min(kept, MAX_ROWS)  # it scrolls to keep its choice in view
            wanted = widget.rows((columns,), focus)
            if not wanted or kept <= 0:
                continue
            drawn = widget.render((columns,), focus and widget is self.editor and self.typing)
            if wanted > kept:  # show its end, which has the cursor or the newest line
                drawn = cut(drawn, wanted - kept, kept)
            parts.insert(0, drawn)
            room -= min(wanted, kept)
        wanted = self.widgets.header.rows((columns,))
        header = max(min(wanted, rows // 3, room - MIN_TRANSCRIPT), 0)
        conversation = self.transcript.render((columns, room - header))
        room -= header
        if self.transcript.new_below and room > 1:
            self._mark.changed()
            parts.insert(0, self._mark.render((columns,)))
            conversation = cut(conversation, 0, room - 1)
        above = [cut(self.widgets.header.render((columns,)), 0, header)] if header else []
        whole = column([*above, conversation, *parts], columns)
        return whole if self.layer is None else self.layer.over(whole)

    def _lower(self, columns: int, rows: int) -> list[tuple[Any, bool]]:
        """Return the widgets below the conversation, from the bottom up, and whether each keeps its rows."""
        self.editor.max_rows = max(min(rows // 3, 12), 1)
        around = self.widgets if rows >= LOW and self.widgets.shown else None
        footer = around is not None and around.footer.rows((columns,))
        below: list[Rows] = [self._always, around.footer] if around is not None and footer else [self.status]
        if around is not None:
            below += [around.below, around.bottom]
        widgets: list[tuple[Any, bool]] = [(each, rows < 2 * MIN_TRANSCRIPT) for each in below]
        instead = None if self.layer is None else self.layer.beside("replace_editor")
        widgets.append((instead or self.editor, True))
        if around is not None:
            widgets += [(around.top, False), (around.above, False)]
        inline = None if self.layer is None else self.layer.beside("inline")
        if self._panel is not None:
            self._panel.max_rows = max(rows - 8, 4)
            widgets.append((self._panel, False))
        elif inline is not None:
            widgets.append((inline, False))
        else:
            widgets.append((self.suggest, False))
        return [*widgets, *((each, False) for each in self._activity(columns, airy=rows >= AIRY))]

    @property
    def _always(self) -> Status:
        """The part of the status row that is drawn where an extension has a row in its place."""
        return Status(StatusLine([each for line in self.status.lines for each in line.left if each.priority >= ALWAYS]))

    def _activity(self, columns: int, *, airy: bool) -> list[Any]:
        """Return what is between the conversation and the editor, from the bottom up: to-do list, queue, working
        row; if `airy`, with an empty row around each."""
        blank = [_BLANK] if airy else []
        found: list[Any] = []
        for each in (self.todos, self.queue):
            if each.rows((columns,)):
                found += [*blank, each]
        if not self.shows_work:
            return found
        return [*found, *blank, self.spinner, *blank] if self.spinner.spinning else [*found, self.spinner]

    def _below(self, columns: int) -> int:
        """Return the rows visible below a dialog: the status, and the editor while the dialog waits for it."""
        rows = self.status.rows((columns,))
        if self.stack.beside:
            rows += self.editor.rows((columns,))
            rows += 0 if self._panel is not None else self.suggest.rows((columns,))
        return int(rows)

    def _mark_rows(self, columns: int) -> list[Row[Any]]:
        text = f" {self.transcript.new_below} new below "
        return [clip_runs([(None, " " * max(columns - len(text), 0)), ("selection", text)], columns)]


def check_terminal(environ: Mapping[str, str]) -> None:
    """Raise `ConfigError` on Windows, and if the terminal reports that it can only print lines (`TERM=dumb`)."""
    if problem := missing_posix("chat screens"):
        raise ConfigError(f'{problem}, or use zot -p "your question"')
    if environ.get("TERM") == "dumb":
        raise ConfigError('this terminal (TERM=dumb) cannot show the chat screen; use zot -p "your question"')
