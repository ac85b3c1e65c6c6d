"""Going back and forking where something is wrong: a full disk, a lost file, a long or a foreign session."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from memory import PeakMemory

from zot_core import Runtime
from zot_core.errors import SessionError
from zot_core.sessions.branch import copy_branch, read_family
from zot_core.sessions.file import SessionFile, load
from zot_core.sessions.rows import Meta
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import ScriptedClient

META = Meta("5b0e6f8c", "/p", "any-name", "", "then")

FULL = """
import asyncio, resource, sys
from zot_core import Runtime
from zot_core.errors import SessionError
from zot_provider.testing import ScriptedClient

async def main(path):
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    async with Runtime("any-name", client=ScriptedClient(["one", "two", "three"]), session=path) as rt:
        await rt.ask("a" * 3000)
        await rt.ask("b")
        before, ids = rt.messages, [message.id for message in rt.messages]
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        for change in (lambda: rt.branches.fork(), lambda: rt.branches.go_to(ids[1])):
            try:
                await change()
            except SessionError as error:
                print(str(error).replace(path, "PATH"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        assert rt.messages == before and rt.session.path == path
        await rt.ask("c")
        print(len(rt.messages))

asyncio.run(main(sys.argv[1]))
"""


def test_on_a_full_disk_nothing_is_copied_and_nothing_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}  # half of a module's byte code would stay on disk
    done = subprocess.run(
        [sys.executable, "-B", "-c", FULL, str(path)], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["cannot copy session PATH: File too large"] * 2 + ["6"]
    assert [each.name for each in tmp_path.iterdir()] == ["talk.jsonl"]


@pytest.mark.parametrize("folder", [False, True])
async def test_a_session_that_was_deleted_meanwhile_is_an_error_and_the_conversation_goes_on(
    tmp_path: Path, *, folder: bool
) -> None:
    path = tmp_path / "sessions" / "talk.jsonl"
    async with Runtime("any-name", client=ScriptedClient(["one", "two"]), session=str(path)) as rt:
        await rt.ask("a")
        path.unlink()
        if folder:
            path.parent.rmdir()
        for change in (rt.branches.fork, lambda: rt.branches.go_to(rt.messages[0].id)):
            with pytest.raises(SessionError):
                await change()
        await rt.ask("b")
        assert [message.text for message in rt.messages] == ["a", "one", "b", "two"]


async def test_a_fork_is_continued_and_forked_after_the_session_it_came_from_was_deleted(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    client = ScriptedClient(["one", "two"])
    async with Runtime("any-name", client=client, session=str(path)) as rt:
        await rt.ask("a")
        await rt.branches.fork()
        path.unlink()
        await rt.ask("b")
        first = rt.session.path if rt.session is not None else ""
        await rt.branches.fork(rt.messages[1].id)
        os.unlink(first)
        assert [message.text for message in rt.messages] == ["a", "one"]
        assert len((await rt.branches.tree()).ids) == 2


async def test_rows_of_a_newer_version_stay_in_copies(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    async with Runtime("any-name", client=ScriptedClient(["one", "two"]), session=str(path)) as rt:
        await rt.ask("a")
    lines = path.read_text().splitlines()
    meta = json.loads(lines[0])
    meta["meta"]["mood"] = "good"
    hologram = {
        "role": "user",
        "content": [{"type": "hologram", "data": "x"}, {"type": "text", "text": "b"}],
        "time": "t",
    }
    newer = [{"type": "weather", "id": "w"}, {"type": "message", "message": hologram, "id": "n"}]
    path.write_text("\n".join([json.dumps(meta), *lines[1:], *map(json.dumps, newer)]) + "\n")
    async with Runtime("any-name", client=ScriptedClient(["three"]), session=str(path)) as rt:
        assert [message.text for message in rt.messages] == ["a", "one", "b"]
        await rt.branches.fork()
        assert [message.text for message in rt.messages] == ["a", "one", "b"]
        await rt.ask("c")
        assert rt.session is not None
        rows = [json.loads(line) for line in Path(rt.session.path).read_text().splitlines()]
    assert rows[0]["meta"]["mood"] == "good"
    assert all(row in rows for row in newer)


LONG = """
import sys
from zot_core.sessions.branch import copy_branch, read_family
from zot_core.sessions.file import SessionFile, load

path = sys.argv[1]
stored = load(path)
session = SessionFile(path, stored.meta, resume=stored)
tree = read_family(session)
copied = load(copy_branch(path, stored.meta, stored.messages[-1].id, fork=True))
print(len(stored.messages), len(tree.ids), len(copied.messages), stored.messages[-1].text)
"""


def test_a_long_session_is_opened_listed_and_forked_without_being_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    session = SessionFile(str(path), META)
    session.append(Message("user", [TextBlock("first")]))
    for _ in range(100):
        session.append(Message("user", [TextBlock("x" * 500_000)]))
    session.append(Message("user", [TextBlock("last")]))
    session.close()
    memory = PeakMemory(tmp_path)
    command = memory.command([sys.executable, "-c", LONG, str(path)])
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "102 102 102 last\n"
    assert memory.bytes < 50_000_000


async def test_a_folder_that_cannot_be_listed_shows_the_conversation_alone(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    session = SessionFile(str(path), META)
    session.append(Message("user", [TextBlock("a")]))
    session.close()
    stored = load(str(path))
    gone = SessionFile(str(path), stored.meta, resume=stored)
    gone.path = str(tmp_path / "loop" / "talk.jsonl")
    (tmp_path / "loop").symlink_to("loop")  # for root, too, there is no way in
    with pytest.raises(SessionError, match=r"^cannot read session .*: Too many levels of symbolic links$"):
        read_family(gone)
    with pytest.raises(SessionError, match=r"^cannot copy session .*: Too many levels of symbolic links$"):
        copy_branch(gone.path, stored.meta, "")
    gone.close()
