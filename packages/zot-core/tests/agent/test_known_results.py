"""A result that the model has in its conversation is not sent a second time."""

from pathlib import Path

import pytest

from zot_core import Runtime
from zot_core.events import ToolResultEvent
from zot_core.sessions.file import load
from zot_provider.messages import TextBlock, ToolResultBlock
from zot_provider.testing import Call, ScriptedClient, Turn

LINE = "[the same as the result of your call read a.py above; to have it here, call again]"
READ = Turn(calls=[Call("read", {"path": "a.py"})])
OTHER = Turn(calls=[Call("read", {"path": "b.py"})])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("a = 1\n" * 100)
    (tmp_path / "b.py").write_text("b = 1\n")
    return tmp_path


def working(folder: Path, *turns: Turn) -> Runtime:
    return Runtime(
        "m", client=ScriptedClient([*turns, "done", "done", "done"]), cwd=folder, session=folder / "s.jsonl",
        auto_compact=None,
    )  # fmt: skip


def read(rt: Runtime) -> list[str]:
    """The results so far, each as its name or as the line in its place."""
    blocks = (block for message in rt.messages for block in message.content if isinstance(block, ToolResultBlock))
    texts = [block.content[0].text for block in blocks if isinstance(block.content[0], TextBlock)]
    return [text if text.startswith("[") else text[:1] for text in texts]


async def test_a_file_that_is_read_again_unchanged_is_told_in_one_line(folder: Path) -> None:
    shown: list[ToolResultEvent] = []
    async with working(folder, READ, OTHER, READ) as rt:
        rt.hooks.event.add(shown.append, ToolResultEvent)  # type: ignore[arg-type]
        await rt.ask("go")
        assert read(rt) == ["a", "b", LINE]
    assert shown[2].details["same_as"] == shown[0].id
    assert shown[2].display == shown[0].display  # the person sees the file


async def test_another_call_with_the_same_result_names_the_first(folder: Path) -> None:
    (folder / "c.py").write_text("a = 1\n" * 100)
    async with working(folder, READ, Turn(calls=[Call("read", {"path": "c.py"})])) as rt:
        await rt.ask("go")
        assert read(rt) == ["a", LINE]


async def test_a_model_that_asks_once_more_gets_the_text(folder: Path) -> None:
    async with working(folder, READ, READ, READ, OTHER, OTHER, OTHER, READ) as rt:
        await rt.ask("go")
        assert read(rt) == ["a", LINE, "a", "b", "b", "b", LINE]


async def test_what_has_changed_is_read_again(folder: Path) -> None:
    edits = [{"oldText": "a = 1\n" * 100, "newText": "c = 1\n" * 90}]
    edit = Turn(calls=[Call("edit", {"path": "a.py", "edits": edits})])
    async with working(folder, READ, edit, READ) as rt:
        await rt.ask("go")
        assert [text[:1] for text in read(rt)] == ["a", "c", "c"]


async def test_what_a_compaction_has_removed_is_read_again(folder: Path) -> None:
    async with working(folder, READ, Turn("first"), Turn("notes"), READ) as rt:
        await rt.ask("go")
        await rt.compact()
        await rt.ask("go")
        assert read(rt) == ["a"]


async def test_what_is_cut_in_requests_is_read_again(folder: Path) -> None:
    async with working(folder, READ, Turn("first"), READ) as rt:
        await rt.ask("go")
        (message,) = (each for each in rt.messages if each.role == "tool")
        (block,) = message.content
        assert isinstance(block, ToolResultBlock)
        assert isinstance(block.content[0], TextBlock)
        rt.sent.cut(message, block.content[0], "both ends", "")
        await rt.ask("go")
        assert read(rt) == ["a", "a"]


async def test_a_continued_session_knows_what_the_model_has(folder: Path) -> None:
    async with working(folder, READ) as rt:
        await rt.ask("go")
    async with working(folder, READ) as rt:
        await rt.ask("go")
        assert read(rt) == ["a", LINE]
    assert load(str(folder / "s.jsonl")).messages[-2].content[0].content[0] == TextBlock(LINE)  # type: ignore[union-attr]
