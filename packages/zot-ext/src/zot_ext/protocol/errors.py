"""`FrameError`: the error for a line or a frame that cannot be used."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal


class FrameError(ValueError):
    """A frame cannot be decoded or encoded. The message is one line and names frame and field.

    `frame` is the type of the frame, `field` the path of the field (`content[0].text`), `id` the id in the frame;
    each is `""` if unknown. With `id` a reader can answer a waiting request at once instead of letting it time out,
    with the `code`.
    """

    def __init__(
        self,
        message: str,
        *,
        frame: str = "",
        field: str = "",
        id: str = "",
        code: Literal["invalid", "too_large"] = "invalid",
    ) -> None:
        self.reason = " ".join(message.split())
        self.frame = frame
        self.field = field
        self.id = id
        self.code = code
        where = f"{frame} frame: " if frame else ""
        if field:
            where += f"field {field!r} "
        super().__init__(where + self.reason)
