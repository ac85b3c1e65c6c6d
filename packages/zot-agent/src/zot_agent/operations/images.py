"""The images in the fields of commands and calls."""

from typing import Annotated, Any, NotRequired, TypedDict

from zot_agent.operations.fields import OperationFailed, checked, schema_of
from zot_core.images import LARGEST, image_from_base64
from zot_ext.protocol.fields import FieldKind
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock


class InputImage(TypedDict):
    """An image that a client sends; `data` is base64 without line breaks."""

    data: Annotated[str, -(-LARGEST // 3) * 4]
    mime_type: NotRequired[str]


_IMAGES = FieldKind(schema_of(list[InputImage]))


def read_images(images: Any, name: str = "images") -> list[ImageBlock]:
    """Return the images of `[{"data": base64}]`, none for None. The bytes decide the type, not `mime_type`. Raises
    `OperationFailed`, which names the field."""
    if images is None:
        return []
    images = checked(_IMAGES.read, name, images)
    try:
        return [image_from_base64(each["data"], f"{name}[{at}].data") for at, each in enumerate(images)]
    except ConfigError as error:
        raise OperationFailed("invalid", str(error)) from None
