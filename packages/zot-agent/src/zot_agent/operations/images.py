"""The images in the fields of commands and calls."""

from typing import Any

from zot_agent.operations.fields import OperationFailed
from zot_core.images import image_from_base64
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock


def read_images(images: Any, name: str = "images") -> list[ImageBlock]:
    """Return the images of `[{"data": base64}]`, none for None. The bytes decide the type, not `mime_type`. Raises
    `OperationFailed`, which names the field."""
    if not isinstance(images, list | None):
        raise OperationFailed("invalid", f"{name} must be an array of objects")
    return [_read(image, f"{name}[{number}]") for number, image in enumerate(images or ())]


def _read(image: Any, name: str) -> ImageBlock:
    fields = image if isinstance(image, dict) else {}
    data = fields.get("data")
    if not isinstance(data, str):
        raise OperationFailed("invalid", f"{name}.data {'is missing: it must' if data is None else 'must'} be a string")
    if not isinstance(fields.get("mime_type", ""), str):
        raise OperationFailed("invalid", f"{name}.mime_type must be a string")
    try:
        return image_from_base64(data, f"{name}.data")
    except ConfigError as error:
        raise OperationFailed("invalid", str(error)) from None
