"""Images that are scaled or refused before they are part of a conversation."""

import random
import struct
import threading
import zlib
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from zot_core import Runtime, ToolResult, tool
from zot_core.events import AgentEvent, Notice
from zot_core.images import LARGEST, LARGEST_SIDE, fit, image_block, image_type
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock, Message, TextBlock, ToolResultBlock
from zot_provider.testing import Call, ScriptedClient, Turn


def encoded(width: int, height: int, kind: str = "PNG", mode: str = "RGB") -> bytes:
    sink = BytesIO()
    Image.new(mode, (width, height)).save(sink, kind)
    return sink.getvalue()


def block(data: bytes) -> ImageBlock:
    return image_block(image_type(data), data)


def size(image: ImageBlock) -> tuple[int, int]:
    with Image.open(BytesIO(b64decode(image.data))) as opened:
        return opened.size


def headed(width: int, height: int) -> bytes:
    """A PNG that says it has this size. To make the pixels would take seconds."""
    small = encoded(1, 1, mode="1")
    head = small[12:16] + struct.pack(">II", width, height) + small[24:29]
    return small[:12] + head + struct.pack(">I", zlib.crc32(head)) + small[33:]


SMALL, LARGE, TORN = encoded(20, 10), encoded(9000, 90), encoded(300, 300, mode="RGBA")[:-30]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_an_image_that_fits_stays_as_it_is(kind: str) -> None:
    given = block(encoded(LARGEST_SIDE, 5, kind))
    assert fit(given) is given


@pytest.mark.parametrize(
    ("kind", "mode", "becomes"),
    [
        ("PNG", "RGB", "image/png"),
        ("PNG", "P", "image/png"),
        ("PNG", "I;16", "image/png"),
        ("PNG", "1", "image/png"),
        ("JPEG", "RGB", "image/jpeg"),
        ("JPEG", "CMYK", "image/jpeg"),
        ("GIF", "P", "image/png"),
        ("WEBP", "RGBA", "image/png"),
    ],
)
def test_a_larger_image_is_scaled(kind: str, mode: str, becomes: str) -> None:
    scaled = fit(block(encoded(4000, 1000, kind, mode)))
    assert (scaled.mime_type, size(scaled)) == (becomes, (LARGEST_SIDE, 500))


def test_a_scaled_image_is_small_enough() -> None:
    noise = Image.frombytes("RGB", (2200, 2000), random.Random(1).randbytes(2200 * 2000 * 3))
    sink = BytesIO()
    noise.save(sink, "PNG")
    scaled = fit(ImageBlock("image/png", block(sink.getvalue()).data))
    assert (scaled.mime_type, scaled.size < LARGEST) == ("image/jpeg", True)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (TORN, "the image is damaged"),
        (b"\x89PNG\r\n\x1a\n", "the image is damaged"),
        (headed(60_000, 10_000), "the image has too many pixels"),
        (headed(10_000, 6000), "10000 × 6000 pixels"),
    ],
)
def test_an_image_that_cannot_be_decoded_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        fit(block(data))


def images(messages: list[Message]) -> list[ImageBlock]:
    found = [part for message in messages for part in message.content]
    inner = [part for result in found if isinstance(result, ToolResultBlock) for part in result.content]
    return [part for part in [*found, *inner] if isinstance(part, ImageBlock)]


async def test_the_images_of_prompts_and_results_fit_and_damaged_ones_are_words(tmp_path: Path) -> None:
    @tool
    async def shoot() -> ToolResult:
        return ToolResult([block(LARGE), TextBlock("a shot"), block(TORN)])

    (tmp_path / "large.png").write_bytes(LARGE)
    calls = [Call("shoot"), Call("read", {"path": "large.png"})]
    client = ScriptedClient([Turn(calls=calls), "one", "two"])
    async with Runtime(client=client, cwd=tmp_path, tools=[shoot]) as rt:
        events: list[AgentEvent] = []
        rt.hooks.event.add(events.append)
        await rt.ask("look", [block(SMALL), block(LARGE)])
        await rt.ask("and here", [block(TORN)])
    sent = client.requests[-1].messages
    assert [size(image) for image in images(sent)] == [(20, 10), (2000, 20), (2000, 20), (2000, 20)]
    assert "(image omitted: the image is damaged)" in sent[-1].text
    words = "the image is damaged; the model reads words in place of it"
    assert [event.message for event in events if isinstance(event, Notice)] == [words, words]


async def test_images_are_decoded_beside_the_event_loop() -> None:
    threads: set[str] = set()
    client = ScriptedClient(["ok"])
    async with Runtime(client=client) as rt:
        rt.hooks.event.add(lambda event: threads.update(thread.name for thread in threading.enumerate()))
        await rt.ask("look", [block(LARGE)])
    assert any(name.startswith("asyncio_") for name in threads)
