"""The images in the fields of commands and calls."""

from typing import Annotated, Any, NotRequired, TypedDict

from zot_agent.operations.fields import LONGEST, OperationFailed, kind_of
from zot_core.images import image_from_base64
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock


class _InputImage(TypedDict):
    data: Annotated[str, LONGEST]
    mime_type: NotRequired[str]


_IMAGES = kind_of(list[_InputImage])


def read_images(images: Any, name: str = "images") -> list[ImageBlock]:
    """Return the images of `[{"data": base64}]`, none for None. The bytes decide the type, not `mime_type`. Raises
    `OperationFailed`, which names the field."""
    if images is None:
        return []
    _IMAGES.check(name, images)
    try:
        return [image_from_base64(each["data"], f"{name}[{at}].data") for at, each in enumerate(images)]
    except ConfigError as error:
        raise OperationFailed("invalid", str(error)) from None
