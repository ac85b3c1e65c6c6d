"""Pictures in a command, checked: one that a vendor refuses would spoil every later request."""

import binascii
from collections.abc import Sequence
from typing import Any

from zot_agent.rpc.method import CommandRefused
from zot_core.pictures import LARGEST, picture_type
from zot_provider.messages import ImageBlock


def read_images(given: Sequence[dict[str, Any]]) -> list[ImageBlock]:
    """The pictures of `[{"mime_type": ..., "data": base64}]`. The type is told by the bytes, whatever they are said to
    be. Raises `CommandRefused` naming the field."""
    return [_read(each, f"images[{number}]") for number, each in enumerate(given)]


def _read(image: dict[str, Any], place: str) -> ImageBlock:
    for name in ("mime_type", "data"):
        if not isinstance(image.get(name), str):
            problem = "is missing: it must be" if image.get(name) is None else "must be"
            raise CommandRefused(f"{place}.{name} {problem} a string")
    text: str = image["data"]
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except (binascii.Error, ValueError):
        raise CommandRefused(f"{place}.data is not standard base64 without line breaks") from None
    if len(data) > LARGEST:
        raise CommandRefused(f"{place}.data is a picture of {len(data)} bytes; at most {LARGEST} are allowed")
    kind = picture_type(data)
    if not kind:
        raise CommandRefused(f"{place}.data is no PNG, JPEG, GIF or WebP picture")
    return ImageBlock(kind, text)
