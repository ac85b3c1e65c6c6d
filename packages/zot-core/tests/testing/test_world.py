import asyncio
import os
from pathlib import Path

import pytest

from zot_core.testing import FakeShell, MemoryFiles, Ran, Scripted
from zot_core.tools.context import FileInfo, Files, Shell, ShellExit
from zot_core.tools.files import LocalFiles

FILES: Files = MemoryFiles()
SHELL: Shell = FakeShell()


async def collected(files: Files, path: str) -> bytes:
    return b"".join([piece async for piece in files.chunks(path)])


def outcome(files: Files, step: str, path: str) -> object:
    """What a step gives, or the kind of error it raises."""

    async def work() -> object:
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

    try:
        return asyncio.run(work())
    except OSError as error:
        return type(error), error.errno


@pytest.mark.parametrize("step", ["stat", "read", "chunks", "list", "write", "real"])
@pytest.mark.parametrize("name", ["a.txt", "dir", "dir/b.txt", "gone", "a.txt/below", "./dir/../a.txt"])
def test_memory_does_as_the_disk_does(tmp_path: Path, step: str, name: str) -> None:
    memory = MemoryFiles()
    for path, content in (("a.txt", b"a" * 9000), ("dir/b.txt", b"b"), ("dir/deep/c.txt", b"c")):
        memory.contents[f"{tmp_path}/{path}"] = content
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    path = f"{tmp_path}/{name}"
    assert outcome(memory, step, path) == outcome(LocalFiles(), step, path)
    if step == "write":
        assert outcome(memory, "read", path) == outcome(LocalFiles(), "read", path)


def test_contents_may_be_text_and_modes_and_locks_are_set_beside() -> None:
    files = MemoryFiles({"/x": "é", "/y": b""})
    files.modes["/x"] = 0o755
    files.locked.add("/y")
    assert asyncio.run(files.stat("/x")) == FileInfo("file", 2, 0o755)
    assert asyncio.run(files.list("/")) == [("x", "file"), ("y", "file")]
    for step in ("read", "write", "chunks"):
        assert outcome(files, step, "/y") == (PermissionError, 13)


def test_relative_paths_are_a_fault_of_the_caller() -> None:
    with pytest.raises(ValueError, match="'x' is no absolute path"):
        asyncio.run(MemoryFiles().stat("x"))


def test_a_script_says_what_commands_do() -> None:
    shell = FakeShell({"make": Scripted("built\n", 2)})
    printed: list[bytes] = []

    async def run(command: str, timeout: float | None = None) -> ShellExit:
        return await shell.run(command, cwd="/", env={"A": "1"}, timeout=timeout, output=printed.append)

    assert asyncio.run(run("make", 5)) == ShellExit(2)
    assert asyncio.run(run("what")) == ShellExit(127)
    assert printed == [b"built\n", b"what: command not found\n"]
    assert shell.ran == [Ran("make", "/", {"A": "1"}, 5), Ran("what", "/", {"A": "1"}, None)]


def test_a_command_that_hangs_ends_at_the_limit_or_when_cancelled() -> None:
    shell = FakeShell({"hang": Scripted(hangs=True)})

    async def work() -> ShellExit:
        def run(timeout: float | None) -> asyncio.Future[ShellExit]:
            return asyncio.ensure_future(
                shell.run("hang", cwd=os.sep, env={}, timeout=timeout, output=lambda piece: None)
            )

        forever = run(None)
        ended = await run(0.01)
        forever.cancel()
        with pytest.raises(asyncio.CancelledError):
            await forever
        return ended

    assert asyncio.run(work()) == ShellExit(None, timed_out=True)
    assert [ran.stopped for ran in shell.ran] == [True, False]
