"""What `write` knows of the files that the conversation has read, in this process or in an earlier one."""

from json import dumps, loads
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.machine.interface import OtherMachine
from zot_core.result import SEEN, Sight, read_sight
from zot_core.runtime.runtime import Runtime
from zot_core.testing.world import MemoryFiles
from zot_core.tools.definition.attached_files import attached_files, file_text, written
from zot_core.tools.definition.seen_files import SeenFiles
from zot_provider.messages import Message, ToolResultBlock
from zot_provider.testing import Call, ScriptedClient, Turn

READ = Call("read", {"path": "x", "limit": 1})
EDIT = Call("edit", {"path": "x", "edits": [{"oldText": "two", "newText": "zwei"}]})
WRITE = Call("write", {"path": "x", "content": "mine\n"})
NEVER, CHANGED = "no `read` of it is in this conversation", "has changed since it was last read"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "project" / "x"
    path.parent.mkdir()
    path.write_text("one\ntwo\n")
    return path


def opened(file: Path, *turns: Any) -> Runtime:
    """Zot in the folder of the file, with the session that all of a test have."""
    client = ScriptedClient([*turns, "done"], repeat=True)
    runtime = Runtime("any", client=client, cwd=file.parent, session=str(file.parent.parent / "talk.jsonl"))
    runtime.agent.place.change(overwrite_check=True)
    return runtime


async def told(runtime: Runtime, prompt: str = "go") -> str:
    """What the model reads of the last call of the next prompt."""
    await runtime.ask(prompt)
    block = [message for message in runtime.messages if message.role == "tool"][-1].content[-1]
    assert isinstance(block, ToolResultBlock)
    return "\n".join(each.text for each in block.content)  # type: ignore[union-attr]


@pytest.mark.parametrize("calls", [[READ], [READ, EDIT], [WRITE, WRITE], [READ, EDIT, WRITE]])
async def test_a_session_that_goes_on_knows_what_it_has_read_edited_and_written(file: Path, calls: list[Call]) -> None:
    async with opened(file, *(Turn(calls=[call]) for call in calls)) as runtime:
        await told(runtime)
    async with opened(file, Turn(calls=[WRITE])) as runtime:
        assert await told(runtime) == "wrote 1 line (5 bytes) to x"


@pytest.mark.parametrize("name", ["x", "./x", "{}"])
async def test_a_file_that_is_attached_to_a_prompt_was_read(file: Path, name: str) -> None:
    file.write_bytes(b"caf\xe9\x01\r\n\n")
    prompt = f"Change it.\n\n{written(name.format(file), file_text(file.read_bytes())[0])}\n\nNow."
    async with opened(file, Turn(calls=[WRITE])) as runtime:
        assert (await told(runtime, prompt)).startswith("wrote 1 line (5 bytes) to x")
        await runtime.branches.undo()
        file.write_text("theirs\n")
        assert NEVER in await told(runtime)


@pytest.mark.parametrize(("theirs", "again"), [("theirs\n", True), ("theirs\n", False), ("\0\1", False)])
async def test_a_file_that_has_changed_since_it_was_attached_is_not_replaced(
    file: Path, theirs: str, again: bool
) -> None:
    async with opened(file, "ok", Turn(calls=[WRITE])) as runtime:
        await runtime.ask(written("x", "one\ntwo"))
        file.write_text(theirs)
        if again:
            assert "wrote" in await told(runtime, written("x", "theirs"))
        else:
            assert CHANGED in await told(runtime)


_PLAIN = st.text(st.characters(exclude_characters="<"))


@given(_PLAIN, st.lists(st.tuples(_PLAIN.filter(lambda name: '"' not in name), _PLAIN)), _PLAIN)
def test_attached_files_are_found_as_they_were_written(before: str, files: list[tuple[str, str]], after: str) -> None:
    parts = [before, *(written(*each) for each in files), after]
    assert [*attached_files("\n\n".join(parts))] == files


@given(st.lists(st.sampled_from(['<file path="', '">\n', "\n</file>", "x", "\n"])).map("".join))
def test_any_text_may_look_like_attached_files(text: str) -> None:
    assert all(name in text and content in text for name, content in attached_files(text))


async def test_a_session_that_goes_on_replaces_no_file_that_has_changed_meanwhile(file: Path) -> None:
    async with opened(file, Turn(calls=[READ])) as runtime:
        await told(runtime)
    file.write_text("theirs\n")
    async with opened(file, Turn(calls=[WRITE])) as runtime:
        assert CHANGED in await told(runtime)
    assert file.read_text() == "theirs\n"


async def test_a_session_that_goes_on_knows_nothing_of_a_file_that_was_only_edited(file: Path) -> None:
    async with opened(file, Turn(calls=[EDIT])) as runtime:
        await told(runtime)
    async with opened(file, Turn(calls=[WRITE]), Turn(calls=[WRITE])) as runtime:
        await told(runtime)
        refused, written = [message.content[0] for message in runtime.messages if message.role == "tool"][-2:]
        assert [each.is_error for each in (refused, written)] == [True, False]  # type: ignore[union-attr]


async def test_a_refusal_with_the_first_lines_counts_when_the_session_goes_on(file: Path) -> None:
    async with opened(file, Turn(calls=[WRITE])) as runtime:
        assert NEVER in await told(runtime)
    async with opened(file, Turn(calls=[WRITE])) as runtime:
        assert await told(runtime) == "wrote 1 line (5 bytes) to x"


async def test_what_an_undo_takes_back_was_not_read_and_what_it_leaves_was(file: Path) -> None:
    (file.parent / "y").write_text("three\n")
    look, other = Turn(calls=[Call("read", {"path": "y"})]), Turn(calls=[Call("write", {"path": "y", "content": "4"})])
    async with opened(file, look, "ok", Turn(calls=[READ]), "ok", Turn(calls=[WRITE]), "ok", other, "ok") as runtime:
        await told(runtime)
        await told(runtime)
        await runtime.branches.undo()
        assert NEVER in await told(runtime)
        assert "wrote" in await told(runtime)


async def test_a_conversation_in_memory_knows_what_it_has_read_when_it_goes_on_elsewhere(file: Path) -> None:
    client = ScriptedClient([Turn(calls=[READ]), "ok", "two", *[Turn(calls=[WRITE]), "ok"] * 2])
    async with Runtime("any", client=client, cwd=file.parent) as runtime:
        runtime.agent.place.change(overwrite_check=True)
        await runtime.ask("go")
        await runtime.ask("go")
        await runtime.branches.undo()
        await runtime.branches.redo()
        assert "wrote" in await told(runtime)
        await runtime.branches.fork()
        assert "wrote" in await told(runtime)


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("attached", [False, True])
async def test_a_compaction_forgets_no_file(file: Path, *, attached: bool, elsewhere: bool) -> None:
    (file.parent / "link").symlink_to("x")
    first: list[Any] = ["ok"] if attached else [Turn(calls=[READ]), "one"]
    async with opened(file, *first, "two", "three", "## Goal\n\nnone", Turn(calls=[WRITE]), "four") as runtime:
        for prompt in (written("link", "one\ntwo") if attached else "go", "go", "go"):
            await runtime.ask(prompt)
        await runtime.compact()
        assert "one\ntwo" not in "".join(each.text for each in runtime.messages[1:])
        if not elsewhere:
            assert "wrote" in await told(runtime)
    async with opened(file, Turn(calls=[WRITE])) as runtime:
        file.write_text("theirs\n" if attached else file.read_text())
        assert (CHANGED if attached else "wrote") in await told(runtime)


async def test_a_file_that_was_attached_and_then_edited_is_not_called_changed(file: Path) -> None:
    async with opened(file, Turn(calls=[EDIT]), "ok", Turn(calls=[WRITE])) as runtime:
        await told(runtime, written("x", "one\ntwo"))
        assert NEVER in await told(runtime)


async def test_a_file_of_another_machine_is_another_file(file: Path) -> None:
    far = OtherMachine("far", str(file.parent), "/home/far", MemoryFiles({str(file): "far away"}))
    async with opened(file, Turn(calls=[READ]), "ok", Turn(calls=[WRITE])) as runtime:
        runtime.agent.use_machine(far)
        await told(runtime)
        runtime.agent.use_machine(None)
        assert NEVER in await told(runtime)
    async with opened(file, Turn(calls=[WRITE])) as runtime:
        runtime.agent.use_machine(far)
        assert "wrote" in await told(runtime)


@given(
    st.builds(
        Sight,
        st.text(min_size=1),
        st.tuples(st.integers(0), st.integers(0)),
        st.none() | st.tuples(st.integers(0), st.integers(0)),
        st.text(),
        st.booleans(),
    )
)
def test_a_sight_is_read_back_as_it_was_stored(sight: Sight) -> None:
    assert read_sight(loads(dumps(sight.stored()))) == sight


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
_NUMBERS = st.lists(st.integers(), min_size=1, max_size=3)
_PARTS = st.fixed_dictionaries(
    {"path": st.text() | _JSON, "content": _NUMBERS | _JSON},
    optional={"before": _NUMBERS | _JSON, "machine": st.text() | _JSON},
)


@given(_PARTS | _JSON, st.booleans())
async def test_a_damaged_sight_is_no_sight_or_one_that_is_stored_as_any(value: object, alone: bool) -> None:
    results = Message("tool", [ToolResultBlock("1", [], details={SEEN: value})])
    summary = Message("user", [], kept=dumps({SEEN: value if alone else [value]}))
    await SeenFiles().follow([results, summary])
    sight = read_sight(value)
    assert sight is None or read_sight({"path": "", **loads(dumps(sight.stored()))}) == sight
