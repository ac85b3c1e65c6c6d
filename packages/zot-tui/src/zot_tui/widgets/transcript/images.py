"""Rows of the images in cells; imports no urwid."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from zot_tui.text.runs import Row
from zot_tui.widgets.transcript.chunks import Part

if TYPE_CHECKING:
    from zot_tui.widgets.transcript.cell import Look


def imaged(caption: Part, data: str, look: "Look", changed: Callable[[], object], *, large: bool) -> Part:
    """The caption with the image of base64 `data` below it: once that is ready, until when `changed` is called.

    `large` allows it more of the screen.
    """
    gallery = look.gallery
    if gallery is None:
        return caption

    def rows(width: int) -> list[Row[Any]]:
        return [*caption.rows(width), *gallery().rows(data, width, changed, large=large)]

    return Part(rows, caption.lines, caption)
