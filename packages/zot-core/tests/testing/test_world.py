import asyncio
import os
from pathlib import Path

import pytest

from zot_core.machine.files import LocalFiles
from zot_core.machine.interface import FileInfo, Files, Shell, ShellExit
from zot_core.testing import FakeShell, MemoryFiles, RanCommand, Scripted

FILES: Files = MemoryFiles()
SHELL: Shell = FakeShell()


async def collected(files: Files, path: str) -> bytes:
    return b"".join([piece async for piece in files.chunks(path)])


async def outcome(files: Files, step: str, path: str) -> object:
    """What a step gives, or the kind of error it raises."""

    try:
        match step:
            case "chunks":
                return await collected(files, path)
            case "write":
                return await files.write(path, b"new")
            case "stat":
                found = await files.stat(path)
                return (found.kind, found.size if found.kind == "file" else 0)
            case _:
                return await getattr(files, step)(path)
    except OSError as error:
        return type(error), error.errno


@pytest.mark.parametrize("step", ["stat", "read", "chunks", "list", "write", "real"])
@pytest.mark.parametrize("name", ["a.txt", "dir", "dir/b.txt", "gone", "a.txt/below", "./dir/../a.txt"])
async def test_memory_does_as_the_disk_does(tmp_path: Path, step: str, name: str) -> None:
    memory = MemoryFiles()
    for path, content in (("a.txt", b"a" * 9000), ("dir/b.txt", b"b"), ("dir/deep/c.txt", b"c")):
        memory.contents[f"{tmp_path}/{path}"] = content
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    path = f"{tmp_path}/{name}"
    assert await outcome(memory, step, path) == await outcome(LocalFiles(), step, path)
    if step == "write":
        assert await outcome(memory, "read", path) == await outcome(LocalFiles(), "read", path)


async def test_contents_may_be_text_and_modes_and_locks_are_set_beside() -> None:
    files = MemoryFiles({"/x": "é", "/y": b""})
    files.modes["/x"] = 0o755
    files.locked.add("/y")
    assert await files.stat("/x") == FileInfo("file", 2, 0o755)
    assert await files.list("/") == [("x", "file"), ("y", "file")]
    for step in ("read", "write", "chunks"):
        assert await outcome(files, step, "/y") == (PermissionError, 13)


async def test_relative_paths_are_a_fault_of_the_caller() -> None:
    with pytest.raises(ValueError, match="'x' is not an absolute path"):
        await MemoryFiles().stat("x")


async def test_commands_behave_as_in_the_script() -> None:
    shell = FakeShell({"make": Scripted("built\n", 2)})
    printed: list[bytes] = []

    async def run(command: str, timeout: float | None = None) -> ShellExit:
        return await shell.run(command, cwd="/", env={"A": "1"}, timeout=timeout, output=printed.append)

    assert await run("make", 5) == ShellExit(2)
    assert await run("what") == ShellExit(127)
    assert printed == [b"built\n", b"what: command not found\n"]
    assert shell.ran == [RanCommand("make", "/", {"A": "1"}, 5), RanCommand("what", "/", {"A": "1"}, None)]


async def test_a_command_that_hangs_ends_at_the_limit_or_when_cancelled() -> None:
    shell = FakeShell({"hang": Scripted(hangs=True)})

    def run(timeout: float | None) -> asyncio.Future[ShellExit]:
        return asyncio.ensure_future(shell.run("hang", cwd=os.sep, env={}, timeout=timeout, output=lambda piece: None))

    forever = run(None)
    ended = await run(0.01)
    forever.cancel()
    with pytest.raises(asyncio.CancelledError):
        await forever
    assert ended == ShellExit(None, timed_out=True)
    assert [ran.stopped for ran in shell.ran] == [True, False]
