"""Validation of the images in a command."""

from collections.abc import Sequence
from typing import Any

from zot_agent.rpc.method import InvalidCommand
from zot_core.images import image_from_base64
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock


def read_images(images: Sequence[dict[str, Any]]) -> list[ImageBlock]:
    """Return the images of `[{"mime_type": ..., "data": base64}]`. The bytes decide the type, not `mime_type`. Raises
    `InvalidCommand`, which names the field."""
    return [_read(image, f"images[{number}]") for number, image in enumerate(images)]


def _read(image: dict[str, Any], field: str) -> ImageBlock:
    for name in ("mime_type", "data"):
        if not isinstance(image.get(name), str):
            problem = "is missing: it must be" if image.get(name) is None else "must be"
            raise InvalidCommand(f"{field}.{name} {problem} a string")
    try:
        return image_from_base64(image["data"], f"{field}.data")
    except ConfigError as error:
        raise InvalidCommand(str(error)) from None
