"""Load images for a model from files, bytes or base64 text, and check their type and size.

A provider rejects an image of a wrong type or size, and with it every later request of the conversation.
"""

import binascii
import warnings
from io import BytesIO
from typing import TYPE_CHECKING

from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_start
from zot_provider.messages import ImageBlock

if TYPE_CHECKING:
    from PIL.Image import Image

SUFFIXES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".bmp": "image/bmp",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
}
"""MIME types of images by file name extension, with the types in `CONVERTED`."""

CONVERTED = ("image/bmp", "image/tiff")
"""Types that no model accepts: `fit` makes a PNG or a JPEG of them."""

LARGEST = 3_750_000
"""Maximum size in bytes: providers accept up to 5 MB of base64."""

LARGEST_SIDE = 2000
"""Maximum width and height in pixels. Anthropic accepts 8000, but 2000 in a request with more than 20 images."""

_PIXELS = 50_000_000
"""The most pixels of an image that is decoded: some 200 MB."""

_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
)

_BRANDS = {b"heic": "HEIC", b"heix": "HEIC", b"mif1": "HEIC", b"msf1": "HEIC", b"avif": "AVIF", b"avis": "AVIF"}
"""Images that are files of ISO/IEC 14496-12, by their brand: bytes 8 to 12, after `ftyp`."""


def image_type(data: bytes) -> str:
    """Return the MIME type of the image that begins with `data`; empty for a type that no model gets."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[:2] == b"BM" and data[6:10] == bytes(4):  # four reserved bytes: a text may begin with BM
        return "image/bmp"
    return next((mime_type for signature, mime_type in _SIGNATURES if data.startswith(signature)), "")


def foreign_type(data: bytes) -> str:
    """Return the name of a type of images that zot knows and does not convert (HEIC, AVIF, SVG); empty for others."""
    if data[4:8] == b"ftyp":
        return _BRANDS.get(data[8:12], "")
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    begins = head.startswith((b"<?xml", b"<!doctype svg", b"<!--", b"<svg"))
    return "SVG" if begins and b"<svg" in head else ""


def image_from_file(path: str) -> ImageBlock:
    """Load an image from a file. Raises `ConfigError`, whose text contains `path`."""
    with ConfigError.of_system(f"cannot read {path}"):
        data = read_start(path, LARGEST + 1)
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
        foreign = foreign_type(data)
        advice = f": it is {foreign}, convert it first" if foreign else ""
        raise ConfigError(f"{name} is not a PNG, JPEG, GIF or WebP image{advice}")
    if len(data) > LARGEST:
        raise ConfigError(f"{name} is larger than {LARGEST / 1e6:g} MB; models do not accept larger images")
    return mime_type


def image_block(mime_type: str, data: bytes) -> ImageBlock:
    """Return the bytes of a checked image as a content block."""
    return ImageBlock(mime_type, binascii.b2a_base64(data, newline=False).decode("ascii"))


def fit(image: ImageBlock) -> ImageBlock:
    """Return the image if a model accepts it, else a scaled copy; of a scaled animation, the first frame.

    It decodes the image, which may take a second: call it in a thread. Raises `ConfigError` for a damaged image and for
    one with too many pixels.
    """
    from PIL import Image, ImageOps  # noqa: PLC0415  takes 50 ms, needed only for an image

    warnings.filterwarnings("ignore", module=r"PIL\.")  # about odd metadata
    try:
        data = binascii.a2b_base64(image.data)
        sound = without_damaged_notes(data)
        if sound is not data:
            image = image_block(image.mime_type, sound)
        with Image.open(BytesIO(sound), formats=_FORMATS) as opened:
            width, height = opened.size
            if width * height > _PIXELS:
                raise ConfigError(f"the image has {width} × {height} pixels, which is too much")
            if max(width, height) <= LARGEST_SIDE:
                opened.load()  # fails if a part is missing
                if image.mime_type not in CONVERTED and opened.format not in ("BMP", "TIFF"):
                    return image
            opened.draft("RGB", (LARGEST_SIDE, LARGEST_SIDE))  # a JPEG then decodes much faster
            small = ImageOps.exif_transpose(opened)
            small = small if small.mode in ("RGB", "RGBA", "L") else small.convert("RGBA")
            small.thumbnail((LARGEST_SIDE, LARGEST_SIDE), reducing_gap=2.0)
    except ConfigError:
        raise
    except Image.DecompressionBombError as error:
        raise ConfigError("the image has too many pixels") from error
    except Exception as error:  # decoders may raise anything for malicious bytes
        foreign = foreign_type(binascii.a2b_base64(image.data))
        what = f"is in the format {foreign}, which models do not take" if foreign else "is damaged"
        raise ConfigError(f"the image {what}") from error
    return _encoded(small, image.mime_type)


def without_damaged_notes(data: bytes) -> bytes:
    """Return a PNG without the ancillary chunks (colour profile, texts) whose checksum is wrong: readers pass over
    them, some servers refuse the image. `data` itself without such chunks, or if it is no PNG.

    Format: PNG, third edition, 5.3 "Chunk layout": 4 bytes length, 4 bytes type, data, 4 bytes CRC of type and data.
    """
    if not data.startswith(_SIGNATURES[0][0]):
        return data
    kept, at, damaged = [data[:8]], 8, False
    while at + 12 <= len(data):
        end = at + 12 + int.from_bytes(data[at : at + 4])
        kind, crc = data[at + 4 : at + 8], int.from_bytes(data[end - 4 : end])
        if end <= len(data) and kind[0] & 0x20 and binascii.crc32(data[at + 4 : end - 4]) != crc:  # ancillary
            damaged = True
        else:
            kept.append(data[at:end])
        at = end
    return b"".join(kept) if damaged else data


def _encoded(image: "Image", mime_type: str) -> ImageBlock:
    """Encode an image as a JPEG if it was one or would be too large otherwise, else as a PNG."""
    sink = BytesIO()
    if mime_type != "image/jpeg":
        image.save(sink, "PNG")
        if sink.tell() <= LARGEST:
            return image_block("image/png", sink.getvalue())
        sink = BytesIO()
    image.convert("RGB").save(sink, "JPEG", quality=85)
    return image_block("image/jpeg", sink.getvalue())
