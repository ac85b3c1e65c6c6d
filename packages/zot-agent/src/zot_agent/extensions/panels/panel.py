"""`OwnedPanel`: one open panel of an extension."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from zot_agent.extensions.panels.layout import Area, Layout, place, read_layout
from zot_agent.extensions.panels.text import PanelOwner
from zot_core.conversation.events import PlacedPanel, WidgetLine
from zot_provider.record import Record

MOST_LINES = 300
LONGEST_LINE = 20_000
"""Characters of a line; colours count."""
MOST_CHARACTERS = 400_000
FLAGS = ("bold", "faint", "italic", "underline", "inverse", "strike")


class PanelWishes(Record):
    """The wishes of a panel besides its place: see `panels.open`."""

    mode: Literal["inline", "overlay", "replace_editor"] = "overlay"
    passive: bool = False
    handles_esc: bool = False
    handles_ctrl_c: bool = False
    paste: bool = False
    mouse: bool = False
    key_kinds: bool = False


class PanelContent:
    """The title, the footer and the lines that an extension has sent for a panel."""

    def __init__(self) -> None:
        self.title = self.footer = ""
        self.lines: tuple[WidgetLine, ...] = ()
        self.cursor: tuple[int, int] | None = None
        self.newest: Sequence[object] | None = None
        """The lines that were sent and are not shown yet."""

    @property
    def count(self) -> int:
        """The number of lines, whether or not they are shown yet."""
        return len(self.lines if self.newest is None else self.newest)

    def use_newest(self) -> None:
        """Show the lines that were sent last."""
        if self.newest is not None:
            self.lines, self.newest = read_lines(self.newest), None


class OwnedPanel:
    """One open panel: what its extension said of it, and what it was last sent."""

    def __init__(self, owner: PanelOwner, id: str, wishes: PanelWishes, given: Mapping[str, Any]) -> None:
        """`given` says where it wants to be. Raises ValueError for a wrong place."""
        self.owner, self.id, self.wishes, self.layout = owner, id, wishes, read_layout(given, Layout())
        self.content = PanelContent()
        self.hidden = False
        self.wants_keys = not wishes.passive
        self.order = 0
        """When it last came to the front."""
        self.area: Area | None = None
        self.asked_to_close = float("-inf")
        """When Esc or Ctrl+C was passed on to it last."""
        self.owed = 0
        """The number of that key, until it is answered."""
        self.sent_room: tuple[int, int, bool] = (0, 0, False)
        self.sent_focus = False
        self.shown: PlacedPanel | None = None
        """The panel, as front ends know it."""

    @property
    def beside(self) -> bool:
        """Whether it is above the editor or in its place."""
        return self.wishes.mode != "overlay"

    @property
    def visible(self) -> bool:
        return not self.hidden and self.area is not None

    @property
    def room(self) -> tuple[int, int, bool]:
        """The cells of a line, the most lines, and whether it is on the screen."""
        return (0, 0, False) if self.area is None else (self.area.inner_width, self.area.inner_height, self.visible)

    def move(self, given: Mapping[str, Any]) -> None:
        """Change where it wants to be. Raises ValueError for a wrong place."""
        self.layout = read_layout(given, self.layout)

    def arrange(self, screen: tuple[int, int]) -> None:
        """Find its place on a screen of this number of columns and rows."""
        self.area = place(self.layout, self.wishes.mode, screen, self.content.count)

    def view(self, *, focused: bool) -> PlacedPanel:
        """Return it as front ends get it."""
        area, content = self.area or Area(0, 0, 0, 0, 0, 0), self.content
        order = self.layout.z * 1_000_000 + self.order
        return PlacedPanel(
            self.id, self.wishes.mode, content.title, content.lines[: area.inner_height], content.footer,
            area.column, area.row, area.width, area.height,
            not self.visible, focused, order, content.cursor, self.wishes.mouse, self.wishes.key_kinds,
        )  # fmt: skip


def read_lines(given: Sequence[object]) -> tuple[WidgetLine, ...]:
    """Return lines without what is not known, and not more than fits a large screen."""
    lines: list[WidgetLine] = []
    left = MOST_CHARACTERS
    for each in given[:MOST_LINES]:
        line: WidgetLine
        if isinstance(each, str):
            line = each[: min(LONGEST_LINE, left)]
            left -= len(line)
        else:
            spans = [_span(span) for span in (each if isinstance(each, list | tuple) else ())[:LONGEST_LINE]]
            line = [span for span in spans if span["text"]]
            left -= sum(len(span["text"]) for span in line)
        lines.append(line)
        if left <= 0:
            break
    return tuple(lines)


def _span(given: object) -> dict[str, Any]:
    if not isinstance(given, dict) or not isinstance(given.get("text"), str):
        return {"text": ""}
    if (
        given.keys() <= {"text", "style"}
        and len(given["text"]) <= LONGEST_LINE
        and isinstance(given.get("style", ""), str)
    ):
        return given  # as most spans are: an animation has thousands of them a second
    span: dict[str, Any] = {"text": given["text"][:LONGEST_LINE]}
    span |= {name: given[name] for name in ("style", "bg") if isinstance(given.get(name), str)}
    return span | {name: True for name in FLAGS if given.get(name) is True}
