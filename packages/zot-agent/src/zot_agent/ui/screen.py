"""`Screen`: where things stand. It places widgets and knows nothing of what they show."""

from collections.abc import Sequence
from typing import Any

from zot_tui.terminal.canvas import Rows, column, cut
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.text.runs import Row, clip_runs
from zot_tui.text.sanitize import sanitize_line
from zot_tui.widgets.dialogs.panel import PanelWidget
from zot_tui.widgets.dialogs.stack import Stack
from zot_tui.widgets.input.editor import EditorWidget
from zot_tui.widgets.input.suggest import MAX_ROWS as MOST
from zot_tui.widgets.input.suggest import Suggest
from zot_tui.widgets.spinner import Spinner
from zot_tui.widgets.status import Status
from zot_tui.widgets.transcript.transcript import Transcript

LEAST = 3
"""Rows that the conversation keeps when what stands below it grows."""

WAITING = 3
"""Waiting prompts that are shown."""


class Screen(urwid.Widget):
    """From top to bottom: the conversation, waiting prompts, the working row, a panel or suggestions, the editor, the
    status. On a low terminal the last ones stay and the others give way."""

    _sizing = frozenset([urwid.BOX])
    _selectable = True

    def __init__(self, transcript: Transcript, editor: EditorWidget, spinner: Spinner, status: Status) -> None:
        super().__init__()
        self.transcript, self.editor, self.spinner, self.status = transcript, editor, spinner, status
        self.suggest = Suggest()
        self._panel: PanelWidget | None = None
        self._placeholder = ""
        self.waiting: Sequence[str] = ()
        """Prompts that wait for the turn to end."""
        self._waiting = Rows(self._waiting_rows)
        self._mark = Rows(self._mark_rows)
        self.stack = Stack(self, below=self._below)

    @property
    def panel(self) -> PanelWidget | None:
        """The panel that has the keys, if one is open. The editor is not lit then, and invites to nothing."""
        return self._panel

    @panel.setter
    def panel(self, panel: PanelWidget | None) -> None:
        if self._panel is None and panel is not None:
            self._placeholder, self.editor.placeholder = self.editor.placeholder, ""
        elif self._panel is not None and panel is None:
            self.editor.placeholder = self._placeholder
        self._panel = panel

    def changed(self) -> None:
        """Something has come, gone or another size."""
        self._waiting.changed()
        self._mark.changed()
        self._invalidate()

    def keypress(self, size: Any, key: str) -> str | None:
        """See urwid: what is no action goes to the editor."""
        return self.editor.keypress((size[0],), key)

    def mouse_event(self, size: Any, event: str, button: int, column: int, row: int, focus: bool) -> bool:  # noqa: FBT001  urwid's
        """See urwid: the wheel scrolls the conversation wherever it turns."""
        return bool(self.transcript.mouse_event(size, event, button, column, row, focus))

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        columns, rows = size
        parts: list[urwid.Canvas] = []
        room = rows
        for widget, least in self._lower(rows):
            kept = room - (LEAST if rows > 2 * LEAST and not least else 1)
            if widget is self.suggest:
                self.suggest.max_rows = min(kept, MOST)  # it scrolls, so that its choice is in sight
            wanted = widget.rows((columns,), focus)
            if not wanted or kept <= 0:
                continue
            drawn = widget.render((columns,), focus and widget is self.editor and self._panel is None)
            if wanted > kept:  # its end matters: the cursor is there, or the newest line
                drawn = cut(drawn, wanted - kept, kept)
            parts.insert(0, drawn)
            room -= min(wanted, kept)
        self._mark.changed()
        conversation = self.transcript.render((columns, room))
        if self.transcript.new_below and room > 1:
            parts.insert(0, self._mark.render((columns,)))
            conversation = cut(conversation, 0, room - 1)
        return column([conversation, *parts], columns)

    def _lower(self, rows: int) -> list[tuple[Any, bool]]:
        """What stands below the conversation, from the bottom up, and whether it stays when there is no room."""
        self.editor.max_rows = max(min(rows // 3, 12), 1)
        widgets: list[tuple[Any, bool]] = [(self.status, rows < 2 * LEAST), (self.editor, True)]
        if self._panel is not None:
            self._panel.max_rows = max(rows - 8, 4)
            widgets.append((self._panel, False))
        else:
            widgets.append((self.suggest, False))
        return [*widgets, (self.spinner, False), (self._waiting, False)]

    def _below(self, columns: int) -> int:
        """What stays in sight below a dialog: the status, and the editor while one waits for it."""
        rows = self.status.rows((columns,))
        if self.stack.beside:
            rows += self.editor.rows((columns,))
            rows += 0 if self._panel is not None else self.suggest.rows((columns,))
        return int(rows)

    def _waiting_rows(self, columns: int) -> list[Row[Any]]:
        shown = [sanitize_line(text.strip().partition("\n")[0]) for text in self.waiting[:WAITING]]
        rows: list[Row[Any]] = [clip_runs([("dim", "  sliding in: "), ("muted", text)], columns) for text in shown]
        if len(self.waiting) > WAITING:
            rows.append([("dim", f"  and {len(self.waiting) - WAITING} more"[:columns])])
        return rows

    def _mark_rows(self, columns: int) -> list[Row[Any]]:
        text = f" {self.transcript.new_below} new below "
        return [clip_runs([(None, " " * max(columns - len(text), 0)), ("selection", text)], columns)]
