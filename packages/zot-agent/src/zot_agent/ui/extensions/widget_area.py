"""`WidgetArea`: what extensions show around the editor, above the conversation and in the status row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from zot_tui.terminal.canvas import Rows
from zot_tui.text.runs import Row, clip_runs, runs_width
from zot_tui.theme.theme import Theme
from zot_tui.widgets.spans import line_runs

if TYPE_CHECKING:
    from zot_core.conversation.events import WidgetChange, WidgetLine, WidgetPlace

MOST_ROWS: dict[WidgetPlace, int] = {"above_editor": 10, "below_editor": 6, "header": 20, "footer": 3}
"""The most rows at a place. The screen may have less for a header: see `Screen.render`."""

LONGEST = 2000
"""Characters of a line that are kept: more fits no screen."""

STATUS = 500
"""Characters in the status row from which further widgets are left out."""

_MARGIN: Row[Any] = [(None, "  ")]


class WidgetArea:
    """The widgets by place. `theme` returns the current theme; `changed` must be called when it is another one."""

    def __init__(self, theme: Callable[[], Theme]) -> None:
        self._theme = theme
        self._widgets: dict[tuple[str, str], WidgetChange] = {}
        self.above, self.below = Rows(partial(self._block, "above_editor")), Rows(partial(self._block, "below_editor"))
        self.header, self.footer = Rows(partial(self._block, "header")), Rows(partial(self._block, "footer"))
        self.top = Rows(partial(self._border, "top_left", "top_right"))
        self.bottom = Rows(partial(self._border, "bottom_left", "bottom_right"))

    def show(self, widget: WidgetChange) -> None:
        key = widget.extension, widget.key
        if widget.lines:
            self._widgets[key] = widget.replace(lines=tuple(map(_shortened, widget.lines)))
        else:
            self._widgets.pop(key, None)
        self.changed()

    def changed(self) -> None:
        """Draw all widgets again."""
        for rows in (self.above, self.below, self.header, self.footer, self.top, self.bottom):
            rows.changed()

    @property
    def shown(self) -> bool:
        """Whether there are any."""
        return bool(self._widgets)

    @property
    def status(self) -> list[str]:
        """The texts for the status row."""
        texts: list[str] = []
        for widget in self._at("status"):
            texts.append("".join(text for _, text in line_runs(widget.lines[0], self._theme())))
            if sum(map(len, texts)) > STATUS:
                break
        return texts

    def _at(self, place: WidgetPlace) -> list[WidgetChange]:
        found = [widget for widget in self._widgets.values() if widget.place == place]
        return sorted(found, key=lambda widget: -widget.priority)

    def _block(self, place: WidgetPlace, columns: int) -> list[Row[Any]]:
        theme, plain = self._theme(), "status" if place == "footer" else "text"
        lines = [line for widget in self._at(place) for line in widget.lines][: MOST_ROWS[place]]
        return [clip_runs([*_MARGIN, *line_runs(line, theme, plain)], columns) for line in lines]

    def _border(self, left: WidgetPlace, right: WidgetPlace, columns: int) -> list[Row[Any]]:
        """Return one row with the first lines of both corners, or none. The left one gives way."""
        theme = self._theme()
        one, other = (self._corner(place, columns, theme) for place in (left, right))
        if not one and not other:
            return []
        other = clip_runs(other, columns)
        room = columns - runs_width(other)
        one = clip_runs([*_MARGIN, *one], room - 1) if one and room > 3 else []
        return [[*one, (None, " " * (room - runs_width(one))), *other]]

    def _corner(self, place: WidgetPlace, columns: int, theme: Theme) -> Row[Any]:
        """Return the runs of the widgets in a corner, at least as many as fit."""
        runs: Row[Any] = []
        for widget in self._at(place):
            if runs_width(runs) > columns:
                break
            runs += [*([(None, "  ")] if runs else []), *line_runs(widget.lines[0], theme, "muted")]
        return runs


def _shortened(line: WidgetLine) -> WidgetLine:
    if isinstance(line, str):
        return line[:LONGEST]
    kept: list[dict[str, Any]] = []
    left = LONGEST
    for span in line:
        if left <= 0:
            break
        text = span["text"][:left]
        left -= len(text)
        kept.append({**span, "text": text})
    return kept
