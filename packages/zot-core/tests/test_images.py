import base64
import binascii
import os
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from zot_core.images import LARGEST, check_image, fit, image_block, image_from_base64, image_from_file
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
TEXT = base64.b64encode(PNG).decode()


def test_a_file_bytes_and_base64_become_the_same_block(tmp_path: Path) -> None:
    path = tmp_path / "x.jpg"  # the bytes count, not the name
    path.write_bytes(PNG)
    block = ImageBlock("image/png", TEXT)
    assert image_from_file(str(path)) == block
    assert image_from_base64(TEXT, "it") == block
    assert image_block(check_image(PNG, "it"), PNG) == block


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("not base64!", "it is not standard base64 without line breaks"),
        (TEXT + "\n", "it is not standard base64 without line breaks"),
        ("äöü", "it is not standard base64 without line breaks"),
        ("", "it is not a PNG, JPEG, GIF or WebP image"),
        (base64.b64encode(b"BM bitmaps").decode(), "it is not a PNG, JPEG, GIF or WebP image"),
        (
            base64.b64encode(PNG + bytes(LARGEST)).decode(),
            "it is larger than 3.75 MB; models do not accept larger images",
        ),
    ],
)
def test_an_image_that_models_do_not_accept_is_an_error(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as raised:
        image_from_base64(text, "it")
    assert str(raised.value) == problem


def test_a_pipe_that_is_named_like_an_image_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.png")
    with pytest.raises(ConfigError, match=r"^cannot read .*x\.png: not a regular file"):
        image_from_file(str(tmp_path / "x.png"))


def test_a_missing_file_and_a_file_without_an_image_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read .*x\.png: No such file"):
        image_from_file(str(tmp_path / "x.png"))
    (tmp_path / "x.png").write_text("words")
    with pytest.raises(ConfigError, match=r"x\.png is not a PNG, JPEG, GIF or WebP image"):
        image_from_file(str(tmp_path / "x.png"))


def drawn(kind: str) -> bytes:
    sink = BytesIO()
    Image.new("RGB", (4, 3), "red").save(sink, kind)
    return sink.getvalue()


def with_chunk(png: bytes, kind: bytes, content: bytes, *, sound: bool) -> bytes:
    """A PNG with one more chunk behind its header."""
    crc = binascii.crc32(kind + content) ^ (0 if sound else 1)
    return png[:33] + len(content).to_bytes(4) + kind + content + crc.to_bytes(4) + png[33:]


def test_a_note_in_a_png_with_a_wrong_checksum_is_left_out_and_the_image_is_taken() -> None:
    plain = drawn("PNG")
    damaged = with_chunk(plain, b"iCCP", b"profile\0\0junk", sound=False)
    assert fit(image_block("image/png", damaged)) == image_block("image/png", plain)


def test_a_sound_png_stays_as_it_is() -> None:
    given = image_block("image/png", with_chunk(drawn("PNG"), b"tEXt", b"Title\0x", sound=True))
    assert fit(given) is given


def test_pixels_with_a_wrong_checksum_are_damaged() -> None:
    plain = bytearray(drawn("PNG"))
    plain[plain.index(b"IDAT") + 6] ^= 0xFF
    with pytest.raises(ConfigError, match="the image is damaged"):
        fit(image_block("image/png", bytes(plain)))


@pytest.mark.parametrize("kind", ["BMP", "TIFF"])
def test_an_image_that_no_model_takes_is_converted(tmp_path: Path, kind: str) -> None:
    (tmp_path / "x").write_bytes(drawn(kind))
    made = fit(image_from_file(str(tmp_path / "x")))
    assert made.mime_type == "image/png"
    with Image.open(BytesIO(base64.b64decode(made.data))) as found:
        assert (found.format, found.size, found.convert("RGB").getpixel((1, 1))) == ("PNG", (4, 3), (255, 0, 0))


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\0\0\0\x18ftypheic" + bytes(20), "HEIC"),
        (b"\0\0\0\x18ftypavif" + bytes(20), "AVIF"),
        (b'<?xml version="1.0"?>\n<svg xmlns="x"/>', "SVG"),
        (b"<svg/>", "SVG"),
    ],
)
def test_an_image_that_cannot_be_converted_is_named(data: bytes, name: str) -> None:
    with pytest.raises(ConfigError, match=f"not a PNG, JPEG, GIF or WebP image: it is {name}, convert it first"):
        check_image(data, "it")
    with pytest.raises(ConfigError, match=f"in the format {name}, which models do not take"):
        fit(image_block("image/png", data))
