"""Changes in one column, or side by side: the key that switches, which works in dialogs too."""

from typing import TYPE_CHECKING

from zot_tui.widgets.transcript.cell import CellStyle

if TYPE_CHECKING:
    from zot_agent.ui.controller import Controller

SIDES = "side_by_side"
"""The name of the action."""

COLUMNS = 100
"""The least width of a screen that shows two sides."""


def other_way(style: CellStyle) -> str:
    """Return how changes are drawn after the next switch."""
    return "in one column" if style.sides else "side by side"


def switch_sides(chat: "Controller") -> None:
    """Draw all changes the other way: in the conversation, and in the open dialog."""
    style, dialog = chat.presenter.style, chat.view.stack.top
    style.sides = not style.sides
    chat.transcript.refresh()
    said = "changes are side by side" if style.sides else "changes are in one column"
    if style.sides and chat.app.window.size[0] < COLUMNS:
        said += f", as soon as the screen has {COLUMNS} columns"
    if dialog is None:
        chat.note(said)
    else:
        dialog.restyle()
        dialog.problem = said if chat.app.window.size[0] < COLUMNS else ""
