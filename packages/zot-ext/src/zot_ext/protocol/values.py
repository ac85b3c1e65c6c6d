"""Values inside frames: content blocks of a tool result, and the contents of a panel."""

from __future__ import annotations

from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import ClassVar


class TextBlock(Record):
    """`{"type":"text","text":...}`."""

    type: ClassVar[str] = "text"

    text: str
    format: str = ""
    """`markdown`: the screen formats it. Other values, and none, are plain text."""


class ImageBlock(Record):
    """`{"type":"image","mime_type":...,"data":...}`."""

    type: ClassVar[str] = "image"

    mime_type: str
    """For example `image/png`."""
    data: str
    """The bytes of the image in base64. Not decoded and not checked here."""


class UnknownBlock(Record):
    """A content block of a type that this version does not know, kept whole."""

    type: str
    """The value of `type`, or `""` if it is missing."""
    raw: Mapping[str, object]
    """The whole parsed block, `type` included."""


Block = TextBlock | ImageBlock | UnknownBlock
"""A part of the content of a message or of a result."""


class PanelSpec(Record):
    """The initial contents of a panel: `{"id":...,"title":...,"lines":[...],"footer":...}`."""

    id: str
    """Chosen by the extension; later frames about the panel have it as `panel_id`."""
    title: str = ""
    lines: tuple[str, ...] = ()
    """One string per line; the host wraps long lines."""
    footer: str = ""
    """One line below the panel, usually the keys."""
