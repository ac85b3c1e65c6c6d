"""Images in a command, checked."""

from collections.abc import Sequence
from typing import Any

from zot_agent.rpc.method import InvalidCommand
from zot_core.images import image_from_base64
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock


def read_images(given: Sequence[dict[str, Any]]) -> list[ImageBlock]:
    """The images of `[{"mime_type": ..., "data": base64}]`. The type is told by the bytes, whatever they are said to
    be. Raises `InvalidCommand` naming the field."""
    return [_read(each, f"images[{number}]") for number, each in enumerate(given)]


def _read(image: dict[str, Any], place: str) -> ImageBlock:
    for name in ("mime_type", "data"):
        if not isinstance(image.get(name), str):
            problem = "is missing: it must be" if image.get(name) is None else "must be"
            raise InvalidCommand(f"{place}.{name} {problem} a string")
    try:
        return image_from_base64(image["data"], f"{place}.data")
    except ConfigError as error:
        raise InvalidCommand(str(error)) from None
