import base64

import pytest

from zot_agent.extensions.tools import NO_CONTENT, read_content
from zot_core.images import LARGEST
from zot_ext.protocol.values import ImageBlock as ImageValue
from zot_ext.protocol.values import TextBlock as TextValue
from zot_ext.protocol.values import UnknownBlock
from zot_provider.messages import ImageBlock, TextBlock

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_the_model_reads_text_images_and_what_nobody_knows() -> None:
    blocks = [TextValue("a"), TextValue(""), ImageValue("image/jpeg", encoded(PNG)), UnknownBlock("x", {"type": "x"})]
    assert read_content(blocks) == [
        TextBlock("a"), ImageBlock("image/png", encoded(PNG)), TextBlock('{"type":"x"}')
    ]  # fmt: skip
    assert read_content([]) == [TextBlock(NO_CONTENT)]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("not base64!", "is not standard base64 without line breaks"),
        (encoded(b"BM bitmap"), "is not a PNG, JPEG, GIF or WebP image"),
        # A provider that refuses it would refuse every later request of the conversation.
        (encoded(PNG + bytes(LARGEST)), "is larger than 3.75 MB; models do not accept larger images"),
    ],
)
def test_an_image_that_models_do_not_take_is_told_as_text(data: str, problem: str) -> None:
    assert read_content([ImageValue("image/png", data)]) == [TextBlock(f"(an image of type image/png {problem})")]
