import pytest

from zot_core.pictures import picture_type


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
def test_a_picture_is_told_by_its_first_bytes(data: bytes, mime_type: str) -> None:
    assert picture_type(data) == mime_type
