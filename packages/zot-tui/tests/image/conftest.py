"""Images to show."""

from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from PIL import Image


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> str:
    """The image as base64 of a file."""
    sink = BytesIO()
    image.save(sink, kind, **options)
    return b64encode(sink.getvalue()).decode()


@pytest.fixture
def encode() -> Callable[..., str]:
    return encoded


@pytest.fixture
def quarters() -> Image.Image:
    """640 by 480: red and green above, blue and white below."""
    image = Image.new("RGB", (640, 480), "white")
    for box, color in (((0, 0), "red"), ((320, 0), "lime"), ((0, 240), "blue")):
        image.paste(color, (*box, box[0] + 320, box[1] + 240))
    return image
