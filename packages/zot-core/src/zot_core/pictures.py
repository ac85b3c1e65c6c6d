"""What a picture is that can be shown to a model: told by its first bytes, since vendors refuse a wrong type."""

SUFFIXES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
"""Endings of names that promise a picture, and of which type."""

LARGEST = 3_750_000
"""Bytes: vendors take pictures of up to 5 MB of base64; one they refuse would spoil every later request."""

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def picture_type(data: bytes) -> str:
    """The MIME type of the picture that begins with `data`; empty if it is none of those that models take."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((mime_type for signature, mime_type in _SIGNATURES if data.startswith(signature)), "")
