"""Files, bytes and base64 text as images for a model, checked: one that a vendor refuses would spoil every later
request of the conversation."""

import binascii
import os

from zot_core.pictures import LARGEST, picture_type
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock


def image_from_file(path: str) -> ImageBlock:
    """The image in a file. Raises `ConfigError` naming `path`."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise ConfigError(f"{path} is no file")  # a pipe would be waited for
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    return encoded(check_image(data, path), data)


def image_from_base64(text: str, name: str) -> ImageBlock:
    """The image in standard base64 (RFC 4648) without line breaks. Raises `ConfigError`, whose text begins with
    `name`."""
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        raise ConfigError(f"{name} is not standard base64 without line breaks") from None
    return ImageBlock(check_image(data, name), text)


def check_image(data: bytes, name: str) -> str:
    """The MIME type of an image, which its bytes tell.

    Raises `ConfigError`, whose text begins with `name`, for an image that models do not take.
    """
    mime_type = picture_type(data)
    if not mime_type:
        raise ConfigError(f"{name} is no PNG, JPEG, GIF or WebP picture")
    if len(data) > LARGEST:
        raise ConfigError(f"{name} is larger than {LARGEST / 1e6:g} MB; models take no larger pictures")
    return mime_type


def encoded(mime_type: str, data: bytes) -> ImageBlock:
    """An image that was checked, as a block."""
    return ImageBlock(mime_type, binascii.b2a_base64(data, newline=False).decode("ascii"))
