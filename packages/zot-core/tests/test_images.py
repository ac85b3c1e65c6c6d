import base64
import os
from pathlib import Path

import pytest

from zot_core.images import LARGEST, check_image, image_block, image_from_base64, image_from_file
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
        (base64.b64encode(b"BM bitmap").decode(), "it is not a PNG, JPEG, GIF or WebP image"),
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
