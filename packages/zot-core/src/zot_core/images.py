"""Load images for a model from files, bytes or base64 text, and check their type and size.

A provider rejects an image of a wrong type or size, and with it every later request of the conversation.
"""

import binascii

from zot_core.regular_file import read_start
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock

SUFFIXES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
"""MIME types of images by file name extension."""

LARGEST = 3_750_000
"""Maximum size in bytes: providers accept up to 5 MB of base64."""

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def image_type(data: bytes) -> str:
    """Return the MIME type of the image that begins with `data`; empty for a type that models do not accept."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((mime_type for signature, mime_type in _SIGNATURES if data.startswith(signature)), "")


def image_from_file(path: str) -> ImageBlock:
    """Load an image from a file. Raises `ConfigError`, whose text contains `path`."""
    try:
        data = read_start(path, LARGEST + 1)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    return image_block(check_image(data, path), data)


def image_from_base64(text: str, name: str) -> ImageBlock:
    """Decode an image from standard base64 (RFC 4648) without line breaks. Raises `ConfigError`, whose text begins
    with `name`."""
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        raise ConfigError(f"{name} is not standard base64 without line breaks") from None
    return ImageBlock(check_image(data, name), text)


def check_image(data: bytes, name: str) -> str:
    """Return the MIME type of an image, as detected from its first bytes.

    Raises `ConfigError`, whose text begins with `name`, for an image that models do not accept.
    """
    mime_type = image_type(data)
    if not mime_type:
        raise ConfigError(f"{name} is not a PNG, JPEG, GIF or WebP image")
    if len(data) > LARGEST:
        raise ConfigError(f"{name} is larger than {LARGEST / 1e6:g} MB; models do not accept larger images")
    return mime_type


def image_block(mime_type: str, data: bytes) -> ImageBlock:
    """Return the bytes of a checked image as a content block."""
    return ImageBlock(mime_type, binascii.b2a_base64(data, newline=False).decode("ascii"))
