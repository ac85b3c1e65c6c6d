"""`FrameError`: the one way the protocol says that a line or a frame is not usable."""

from __future__ import annotations


class FrameError(ValueError):
    """A frame that can be neither read nor written. The message is one line and names frame and field.

    `frame` is the type of the frame, `field` the path of the field (`content[0].text`), `id` the id it
    carries; each is `""` where it is not known. With `id` a reader can answer a waiting request at once
    instead of letting it run into its time limit.
    """

    def __init__(self, message: str, *, frame: str = "", field: str = "", id: str = "") -> None:
        self.reason = " ".join(message.split())
        self.frame = frame
        self.field = field
        self.id = id
        where = f"{frame} frame: " if frame else ""
        if field:
            where += f"field {field!r} "
        super().__init__(where + self.reason)
