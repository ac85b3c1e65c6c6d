from base64 import b64encode

from hypothesis import given
from hypothesis import strategies as st

from zot_tui.image.size import SEGMENTS, Pixels, base64_pixels, pixels

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + b"\x08\x02"
GIF = b"GIF89a" + (3).to_bytes(2, "little") + (500).to_bytes(2, "little")
SEGMENT = b"\xff\xe0" + (16).to_bytes(2, "big") + b"JFIF\0" + bytes(9)
TABLE = b"\xff\xc4" + (4).to_bytes(2, "big") + b"\0\0"
FRAME = b"\xff\xff\xc2" + (17).to_bytes(2, "big") + b"\x08" + (33).to_bytes(2, "big") + (44).to_bytes(2, "big")
JPEG = b"\xff\xd8" + SEGMENT + TABLE + FRAME + bytes(12)


def webp(kind: bytes, body: bytes) -> bytes:
    return b"RIFF" + bytes(4) + b"WEBP" + kind + len(body).to_bytes(4, "little") + body + bytes(20)


def test_each_format_tells_its_size() -> None:
    extended = bytes(4) + (799).to_bytes(3, "little") + (599).to_bytes(3, "little")
    lossless = b"\x2f" + (799 | 599 << 14).to_bytes(4, "little")
    lossy = bytes(3) + b"\x9d\x01\x2a" + (800).to_bytes(2, "little") + (600 | 1 << 14).to_bytes(2, "little")

    assert pixels(PNG) == Pixels(640, 480)
    assert pixels(GIF) == Pixels(3, 500)
    assert pixels(JPEG) == Pixels(44, 33)
    assert pixels(webp(b"VP8X", extended)) == Pixels(800, 600)
    assert pixels(webp(b"VP8L", lossless)) == Pixels(800, 600)
    assert pixels(webp(b"VP8 ", lossy)) == Pixels(800, 600)


def test_what_is_no_image_has_no_size() -> None:
    assert pixels(b"") is None
    assert pixels(b"hello, this is a text of more than thirty bytes") is None
    assert pixels(webp(b"ALPH", bytes(20))) is None
    assert pixels(b"\xff\xd8" + TABLE) is None


def test_no_more_of_an_image_is_decoded_than_tells_its_size() -> None:
    photograph = b64encode(b"\xff\xd8" + (b"\xff\xe1\xff\xff" + bytes(65533)) * 2 + FRAME + bytes(12)).decode()
    torn = b64encode(PNG + bytes(100_000)).decode() + "!A"

    assert base64_pixels(photograph) == Pixels(44, 33)
    assert base64_pixels(torn) == Pixels(640, 480)
    assert [base64_pixels(data) for data in ("", "not base64!", "é", "A" * 100_000, "é" * 100_000)] == [None] * 5


def test_a_jpeg_of_nothing_but_segments_is_not_looked_through() -> None:
    many = b"\xff\xd8" + b"\xff\xd0" * (SEGMENTS - 1)
    assert pixels(many + FRAME + bytes(12)) is None
    assert pixels(b"\xff\xd8" + TABLE * 1000 + FRAME + bytes(12)) == Pixels(44, 33)


@given(st.sampled_from([PNG, GIF, JPEG]), st.integers(0, 60), st.binary(max_size=40))
def test_torn_and_spoilt_images_never_fail(image: bytes, cut: int, rest: bytes) -> None:
    found = pixels(image[:cut] + rest)

    assert found is None or found.width >= 0
