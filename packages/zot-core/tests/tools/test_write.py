import asyncio
import json
from pathlib import Path

import pytest

from zot_core.display import CodeDisplay, DiffDisplay, DisplayBlock
from zot_core.errors import ToolError
from zot_core.events import ToolResultEvent
from zot_core.result import Sight, ToolResult
from zot_core.runtime.runtime import Runtime
from zot_core.testing import make_agent, run_to_end
from zot_core.testing.world import MemoryFiles
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.seen_files import fingerprint
from zot_core.tools.edit import edit
from zot_core.tools.read import read
from zot_core.tools.write import write
from zot_provider.messages import TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn


def writing(context: ToolContext, path: str, content: str) -> ToolResult:
    return asyncio.run(write.run({"path": path, "content": content}, context))


def read_by_model(result: ToolResult, context: ToolContext) -> None:
    """The next answer is written by a model that has read this result."""
    assert result.seen is not None
    context.seen_files.take(result.seen)


def test_a_file_is_written_with_its_parents_and_one_line_comes_back(tmp_path: Path, context: ToolContext) -> None:
    result = writing(context, "a/b/c.txt", "é\nx")
    assert (tmp_path / "a/b/c.txt").read_bytes() == "é\nx".encode()
    assert result.seen == Sight(str(tmp_path / "a/b/c.txt"), fingerprint("é\nx".encode()))
    assert result.replace(seen=None) == ToolResult(
        [TextBlock("wrote 2 lines (4 bytes) to a/b/c.txt")],
        details={
            "path": str(tmp_path / "a/b/c.txt"),
            "bytes": 4,
            "total_lines": 2,
            "start_line": 1,
            "content": "é\nx",
        },
        display=[CodeDisplay("a/b/c.txt", "é\nx")],
    )


def test_an_old_content_is_replaced_and_line_ends_are_as_written(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "x").write_text("old and longer")
    assert writing(context, "x", "a\r\n").text == "wrote 1 line (3 bytes) to x"
    assert (tmp_path / "x").read_bytes() == b"a\r\n"
    result = writing(context, "x", "")
    assert (result.text, result.display) == ("wrote 0 lines (0 bytes) to x", [DiffDisplay("x", "-a", [(1, 1)])])


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", [DiffDisplay("x", " a\n-b\n+B\n c", [(1, 1)])]),
        ("\ufeffa\r\nb\r\n", "a\nb\nc\n", [DiffDisplay("x", " a\n b\n+c", [(1, 1)])]),
        ("a\n", "a\n", []),
        ("a\n", "a\r\n", [CodeDisplay("x", "a\r\n")]),
        ("a\0", "a\n", [CodeDisplay("x", "a\n")]),
        ("a\n" * 100_000, "b\n" * 100_000, [CodeDisplay("x", "b\n" * 100_000)]),
    ],
    ids=["text", "line ends and a mark", "the same", "line ends alone", "no text", "large"],
)
def test_what_is_different_in_a_file_that_was_there_is_shown_also_later(
    tmp_path: Path, context: ToolContext, old: str, new: str, shown: list[DisplayBlock]
) -> None:
    (tmp_path / "x").write_bytes(old.encode())
    result = writing(context, "x", new)
    assert result.display == shown
    stored = json.loads(json.dumps(result.details)) if result.kept else {}
    assert write.recall({"path": "x", "content": new}, result.text, details=stored) == shown


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path, context: ToolContext) -> None:
    assert writing(context, "x", "a\ud83d").details["content"] == "a?"
    assert (tmp_path / "x").read_bytes() == b"a?"


@pytest.mark.parametrize(
    ("path", "words"),
    [("folder", "folder is a directory; name a file"), ("file/x", "file/x: a part of the path is a file")],
)
def test_what_cannot_be_written_is_told(tmp_path: Path, context: ToolContext, path: str, words: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(ToolError, match=words):
        writing(context, path, "x")


async def test_a_file_that_changed_since_it_was_seen_is_not_replaced(tmp_path: Path, context: ToolContext) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    read_by_model(await read.run({"path": "x"}, context), context)
    await write.run({"path": "x", "content": "mine"}, context)
    await edit.run({"path": "x", "edits": [{"oldText": "mine", "newText": "ours"}]}, context)
    await write.run({"path": "./x", "content": "ours again"}, context)
    path.write_text("theirs")
    for _ in range(2):
        with pytest.raises(ToolError, match="x has changed since it was last read; read it first"):
            await write.run({"path": "x", "content": "mine"}, context)
    assert path.read_text() == "theirs"
    await edit.run({"path": "x", "edits": [{"oldText": "theirs", "newText": "other"}]}, context)
    with pytest.raises(ToolError, match="has changed since"):  # of an edited file the rest is still unknown
        await write.run({"path": "x", "content": "mine"}, context)
    result = await read.run({"path": "x", "limit": 1}, context)
    with pytest.raises(ToolError, match="has changed since"):  # written before the model could read that
        await write.run({"path": "x", "content": "mine"}, context)
    read_by_model(result, context)
    await write.run({"path": "x", "content": "mine"}, context)


def refusal(context: ToolContext, path: str, content: str) -> ToolResult:
    result = writing(context.replace(overwrite_check=True), path, content)
    assert result.is_error
    return result


def test_a_file_that_was_never_read_is_not_replaced_at_once(tmp_path: Path, context: ToolContext) -> None:
    (tmp_path / "x").write_text("".join(f"line {number}\n" for number in range(100)))
    context.overwrite_check = True
    first = refusal(context, "x", "mine")
    assert first.text.startswith("x was not written: no `read` of it is in this conversation. It has 790 bytes, and ")
    assert " begins:\nline 0\nline 1\n" in first.text
    assert first.text.endswith("line 7\nRead it, change it with `edit`, or call again to replace all of it.")
    read_by_model(first, context)
    writing(context, "x", "mine")
    assert (tmp_path / "x").read_text() == "mine"
    (tmp_path / "bin").write_bytes(b"a\0b")
    assert "It has 3 bytes. Read it" in refusal(context, "bin", "mine").text


def test_a_file_that_changed_after_the_first_refusal_is_not_replaced_either(
    tmp_path: Path, context: ToolContext
) -> None:
    (tmp_path / "x").write_text("theirs")
    read_by_model(refusal(context, "x", "mine"), context)
    (tmp_path / "x").write_text("theirs again")
    with pytest.raises(ToolError, match="has changed since"):
        refusal(context, "x", "mine")


@pytest.mark.parametrize("first", [Call("write", {"path": "x", "content": "1"}), Call("read", {"path": "x"})])
def test_what_a_call_shows_is_not_known_to_a_later_call_of_the_same_answer(first: Call) -> None:
    files = MemoryFiles({"/proj/x": "theirs"})
    again = Call("write", {"path": "x", "content": "2"})
    client = ScriptedClient([Turn(calls=[first, again, again]), Turn(calls=[again]), "done"])
    agent = make_agent(client, read, write, files=files)
    agent.place.change(overwrite_check=True)
    events = [each for each in run_to_end(agent, "go") if isinstance(each, ToolResultEvent)]
    assert [each.is_error for each in events] == [first.name == "write", True, True, False]
    assert files.contents["/proj/x"] == b"2"


def test_an_empty_file_and_one_with_the_check_off_are_written_at_once(tmp_path: Path, context: ToolContext) -> None:
    for name in ("empty", "x"):
        (tmp_path / name).write_text("" if name == "empty" else "old")
    writing(context.replace(overwrite_check=True), "empty", "mine")
    writing(context, "x", "mine")
    assert [(tmp_path / name).read_text() for name in ("empty", "x")] == ["mine", "mine"]


def test_a_file_that_is_gone_is_written_again(tmp_path: Path, context: ToolContext) -> None:
    writing(context, "x", "mine")
    (tmp_path / "x").unlink()
    writing(context, "x", "again")
    assert (tmp_path / "x").read_text() == "again"


async def test_a_file_that_was_read_before_the_conversation_was_cleared_was_never_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old\n")
    calls = [Call("read", {"path": "a.txt"}), Call("write", {"path": "a.txt", "content": "new\n"})]
    client = ScriptedClient([turn for call in calls for turn in (Turn(calls=[call]), "ok")])
    async with Runtime("any", client=client, cwd=tmp_path) as runtime:
        runtime.agent.place.change(overwrite_check=True)
        await runtime.ask("one")
        runtime.clear()
        await runtime.ask("two")
    assert (tmp_path / "a.txt").read_text() == "old\n"
