import pytest

from zot_core.images import image_type


@pytest.mark.parametrize(
    ("data", "mime_type"),
    [
        (b"\x89PNG\r\n\x1a\n...", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF87a", "image/gif"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\0\0\0\0WAVEfmt ", ""),
        (b"BM", ""),
        (b"plain text", ""),
        (b"", ""),
    ],
)
def test_the_type_of_an_image_is_detected_from_its_first_bytes(data: bytes, mime_type: str) -> None:
    assert image_type(data) == mime_type
