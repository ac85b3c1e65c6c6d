"""`OwnWidgets`: the widgets of one extension."""

import time
from collections.abc import Callable

from zot_agent.operations.fields import OperationFailed
from zot_core.conversation.events import Alert, ExtensionEvent, TitleChange, WidgetChange, WorkingChange

MOST = 50
"""Widgets of one extension."""

ALERT_SECONDS = 1.0
"""Seconds between two alerts of one extension."""


class OwnWidgets:
    """Passes on what an extension shows, and removes it at the end. `emit` takes the events."""

    def __init__(self, extension: str, emit: Callable[[ExtensionEvent], None]) -> None:
        self._extension, self._emit = extension, emit
        self._shown: dict[str, WidgetChange] = {}
        self._changed: dict[type, ExtensionEvent] = {}
        self._alerted = float("-inf")
        self.at_end: dict[str, Callable[[], object]] = {}
        """Cleaning up when the extension ends."""

    def set(self, widget: WidgetChange) -> None:
        """Show a widget, or remove the one with its key. Raises `OperationFailed` for too many."""
        before = self._shown.get(widget.key)
        if before is None and not widget.lines:
            return
        if before is None and len(self._shown) >= MOST:
            raise OperationFailed("busy", f"there are {MOST} widgets of this extension already")
        if before is not None and (not widget.lines or before.place != widget.place):
            self._emit(before.replace(lines=()))
        if widget.lines:
            self._shown[widget.key] = widget
            self._emit(widget)
        else:
            del self._shown[widget.key]

    def change(self, event: TitleChange | WorkingChange) -> None:
        """Change the title or the working row."""
        self._changed[type(event)] = event
        self._emit(event)

    def alert(self, text: str) -> None:
        """Call the person. Raises `OperationFailed` within `ALERT_SECONDS` of the last."""
        now = time.monotonic()
        if now - self._alerted < ALERT_SECONDS:
            raise OperationFailed("busy", f"the last alert was less than {ALERT_SECONDS:g} s ago")
        self._alerted = now
        self._emit(Alert(self._extension, text))

    def remove(self) -> None:
        """Remove everything, because the extension has ended."""
        for widget in self._shown.values():
            self._emit(widget.replace(lines=()))
        if TitleChange in self._changed:
            self._emit(TitleChange(self._extension, ""))
        if WorkingChange in self._changed:
            self._emit(WorkingChange(self._extension))
        for end in self.at_end.values():
            end()
        self._shown.clear()
        self._changed.clear()
