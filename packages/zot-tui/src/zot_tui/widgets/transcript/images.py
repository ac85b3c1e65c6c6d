"""Images in cells: an image below its caption; no urwid."""

from collections.abc import Callable
from typing import Any

from zot_tui.text.runs import Row
from zot_tui.widgets.transcript.cell import CellStyle
from zot_tui.widgets.transcript.chunks import Chunk


def with_image(caption: Chunk, data: str, style: CellStyle, changed: Callable[[], object], *, large: bool) -> Chunk:
    """Return the caption with the image in base64 `data` below it.

    The image appears when it is decoded; `changed` is called then. `large` allows it more of the screen.
    """
    gallery = style.gallery
    if gallery is None:
        return caption

    def rows(width: int) -> list[Row[Any]]:
        return [*caption.rows(width), *gallery().rows(data, width, changed, large=large)]

    return Chunk(rows, caption.lines, caption)
