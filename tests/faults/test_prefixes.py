"""A session file cut off after any of its bytes: it opens, and is gone on with."""

import asyncio
import base64
from pathlib import Path
from typing import Any

import pytest

from zot_core import Runtime
from zot_core.errors import SessionError
from zot_core.sessions.file import SessionFile, load
from zot_provider.messages import Block, ImageBlock, Message, TextBlock
from zot_provider.testing import Call, ScriptedServer, Turn

# The smallest image: one white pixel.
IMAGE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg==")

Parts = list[tuple[str, Block]]


def parts(messages: list[Message]) -> Parts:
    """A conversation block by block: results of one batch may be torn apart."""
    return [(message.role, block) for message in messages for block in message.content]


async def converse(path: Path, url: str, cwd: Path) -> Parts:
    (cwd / "image.png").write_bytes(IMAGE)
    async with Runtime(
        "scripted", provider="anthropic", api_key="k", base_url=url, cwd=cwd, session=path, system_prompt="s"
    ) as runtime:
        image = ImageBlock("image/png", base64.b64encode(IMAGE).decode())
        assert str(await runtime.ask("what is this — é?", [image])) == "a pixel"
        return parts(runtime.messages)


@pytest.fixture
def whole(tmp_path: Path) -> tuple[bytes, Parts]:
    """The file of a conversation with text, an image, thinking, and calls side by side; and what is in it."""
    calls = [Call("read", {"path": "image.png"}), Call("ls", {"path": "."}), Call("read", {"path": "none"})]
    turns = [Turn("I look — é", reasoning="an image", calls=calls), Turn("a pixel")]
    path = tmp_path / "whole.jsonl"
    with ScriptedServer(turns) as server:
        said = asyncio.run(converse(path, server.base_url("anthropic-messages"), tmp_path))
    return path.read_bytes(), said


def test_every_beginning_of_a_file_opens_and_is_gone_on_with(whole: Any, tmp_path: Path) -> None:
    data, said = whole
    assert {type(block).__name__ for _, block in said} == {
        *("TextBlock", "ImageBlock", "ReasoningBlock", "ToolCallBlock", "ToolResultBlock")
    }
    path = tmp_path / "cut.jsonl"
    more = Message("user", [TextBlock("and now?")], "t")
    known = 0
    for end in range(data.index(b"\n"), len(data) + 1):
        path.write_bytes(data[:end])
        stored = load(str(path))
        there = parts(stored.messages)
        assert there == said[: len(there)]
        assert len(there) >= known
        known = len(there)

        session = SessionFile(str(path), stored.meta, resume=stored)
        session.append(more)
        session.close()

        assert path.read_bytes().startswith(data[:end])
        assert parts(load(str(path)).messages) == [*there, ("user", TextBlock("and now?"))]
    assert known == len(said)


def test_a_file_without_a_whole_meta_row_is_no_session(whole: Any, tmp_path: Path) -> None:
    data, _ = whole
    path = tmp_path / "cut.jsonl"
    for end in range(data.index(b"\n")):
        path.write_bytes(data[:end])
        with pytest.raises(SessionError, match="is not a session file"):
            load(str(path))
