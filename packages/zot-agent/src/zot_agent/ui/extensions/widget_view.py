"""`WidgetView`: what extensions show outside the conversation, on the chat screen."""

from collections.abc import Callable

from zot_agent.ui.screen import Screen
from zot_core.conversation.events import TitleChange, WidgetChange, WorkingChange
from zot_tui.text.sanitize import sanitize_line
from zot_tui.theme.theme import SpinnerStyle, Theme
from zot_tui.widgets.transcript.cell import CellStyle


class WidgetView:
    """Shows widgets, titles and working rows. Of several extensions that change the same, the last one counts."""

    def __init__(self, view: Screen, theme: Callable[[], Theme], style: CellStyle) -> None:
        self._view, self._theme, self._style = view, theme, style
        self.area = view.widgets
        self._titles: dict[str, str] = {}
        self._working: dict[str, WorkingChange] = {}

    @property
    def title(self) -> str:
        """The window's title; empty for that of zot."""
        return next(reversed(self._titles.values()), "")

    def show(self, event: WidgetChange | TitleChange | WorkingChange) -> None:
        match event:
            case WidgetChange():
                self.area.show(event)
            case TitleChange(extension, text):
                self._titles.pop(extension, None)
                if text:
                    self._titles[extension] = text
            case WorkingChange(extension):
                self._working.pop(extension, None)
                if event != WorkingChange(extension):
                    self._working[extension] = event
                self.dress()

    def dress(self) -> None:
        """Follow the theme, and the extensions' changes to the working row."""
        spinner, own = self._view.spinner, self._theme().spinner
        changes = list(self._working.values())
        message = next((each.message for each in reversed(changes) if each.message), "")
        frames = next((each.frames for each in reversed(changes) if each.frames), None)
        interval = next((each.interval_ms for each in reversed(changes) if each.interval_ms), None)
        spinner.theme = SpinnerStyle(frames, None, interval).over(own)
        spinner.message = message
        thinking = sanitize_line(next((each.thinking for each in reversed(changes) if each.thinking), ""))
        if thinking != self._style.thinking:
            self._style.thinking = thinking
            self._view.transcript.refresh()  # also of what the model has thought before
        self._view.shows_work = not any(each.hidden for each in changes)
        self.area.changed()
