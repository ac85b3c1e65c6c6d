"""Attempts to read and write with the file tools what a sandbox protects, on both ways to open a path."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from sandbox_world import SECRET, SandboxWorld

from zot_core.errors import ToolError
from zot_core.machine.files import LocalFiles
from zot_core.machine.shell import LocalShell
from zot_core.sandbox.files import OutsideSandbox, SandboxedFiles, has_openat2, open_path
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import Tool
from zot_core.tools.find import find
from zot_core.tools.glob import glob
from zot_core.tools.grep import grep
from zot_core.tools.ls import ls
from zot_core.tools.read import read
from zot_core.tools.write import write

BIG = b"0123456789abcdef" * 100_000


@pytest.fixture(params=[False, True], ids=["openat2", "by steps"])
def files(request: pytest.FixtureRequest, world: SandboxWorld) -> SandboxedFiles:
    if not request.param and not has_openat2():
        pytest.skip("this machine lacks openat2")  # both ways would be the same
    return SandboxedFiles(world.sandbox.policy, walk=request.param)


async def test_files_of_the_project_are_read_and_written(world: SandboxWorld, files: SandboxedFiles) -> None:
    path = str(world.project / "new" / "deep" / "a.txt")
    await files.write(path, b"one")
    os.chmod(path, 0o640)
    await files.write(path, BIG)
    assert await files.read(path) == BIG
    assert await files.read(path, 3) == b"012"
    found = await files.stat(path)
    assert (found.kind, found.size, found.mode) == ("file", len(BIG), 0o640)
    assert os.listdir(world.project / "new" / "deep") == ["a.txt"]
    assert await files.read(str(world.other / "file")) == b"text\n"
    assert await files.stat(str(world.project)) == await LocalFiles().stat(str(world.project))


async def test_a_folder_is_listed_as_without_a_sandbox(world: SandboxWorld, files: SandboxedFiles) -> None:
    (world.project / "link").symlink_to("src")
    (world.project / "loop").symlink_to("loop")
    os.mkfifo(world.project / "pipe")
    for number in range(600):
        (world.project / f"n{number}").touch()
    for follow in (True, False):
        expected = await LocalFiles().list(str(world.project), follow=follow)
        assert await files.list(str(world.project), follow=follow) == expected
    (world.project / "secret").symlink_to(world.home / ".bashrc")
    assert ("secret", "other") in await files.list(str(world.project))


async def test_links_in_the_project_are_written_through(world: SandboxWorld, files: SandboxedFiles) -> None:
    (world.project / "a").symlink_to("b")
    (world.project / "b").symlink_to("src/../src/a.py")
    await files.write(str(world.project / "a"), b"through")
    assert (world.project / "src" / "a.py").read_text() == "through"
    assert (world.project / "a").is_symlink()


async def test_a_project_named_by_a_link_is_the_project(world: SandboxWorld, files: SandboxedFiles) -> None:
    (world.home / "alias").symlink_to(world.project)
    await files.write(str(world.home / "alias" / "x"), b"x")
    assert (world.project / "x").read_bytes() == b"x"


WRITES = [
    "../x", "../project2/x", "../other/x", "../other/file", "out/x", "dangling", "dangling/x", "chain", "loop",
    "loop/x",
    "/proc/self/root{outside}/x", "/proc/self/cwd/../../../../../{outside}/x", "{home}/.bashrc", "{home}/new/x",
    "none/../../other/x", "none/../../project2/x",
    ".git/hooks/pre-commit", ".git/config", ".git/x/y", ".git", ".zot/config.json", ".claude/settings.json",
    "src/../.git/config", "to-git/config", "/etc/zot-test", "/zot-test", "/proc/self/mem", "/dev/fd/1",
]  # fmt: skip


def link_things(world: SandboxWorld) -> None:
    (world.folder / "project2").mkdir()
    for name, target in (
        ("out", world.other), ("dangling", world.other / "new"), ("chain", Path("chain2")), ("chain2", Path("chain3")),
        ("chain3", world.other / "file"), ("loop", Path("loop")), ("to-git", Path(".git")),
        ("key", world.home / ".ssh"), ("key2", Path("key/id")),
    ):  # fmt: skip
        (world.project / name).symlink_to(target)


@pytest.mark.parametrize("path", WRITES)
async def test_nothing_else_is_written(world: SandboxWorld, files: SandboxedFiles, path: str) -> None:
    link_things(world)
    before = sorted(world.folder.rglob("*")), world.changed()
    target = path.format(outside=world.other, home=world.home)
    with pytest.raises(OSError):  # noqa: PT011  whatever the reason
        await files.write(os.path.join(world.project, target), b"escaped")
    assert (sorted(world.folder.rglob("*")), world.changed()) == before


@pytest.mark.parametrize(
    "path",
    ["{home}/.ssh/id", "{home}/.aws/credentials", "{home}/.zot-home/auth.json", "{home}/.zot-home/sessions/0/a.jsonl",
     "key/id", "key2", "../home/.ssh/id", "/proc/self/root{home}/.ssh/id", "/proc/self/environ",
     "/proc/thread-self/environ",     "/proc/1/environ", "/etc/shadow", "{home}/../home/.bashrc"],
)  # fmt: skip
async def test_secrets_are_not_read(world: SandboxWorld, files: SandboxedFiles, path: str) -> None:
    link_things(world)
    target = os.path.join(world.project, path.format(home=world.home))
    with pytest.raises(OSError):  # noqa: PT011  whatever the reason
        await files.read(target)
    with pytest.raises(OSError):  # noqa: PT011  see above
        await files.stat(target)


async def test_a_hidden_folder_is_not_listed(world: SandboxWorld, files: SandboxedFiles) -> None:
    with pytest.raises(OutsideSandbox, match="the sandbox does not let you read this"):
        await files.list(str(world.home / ".ssh"))


async def test_pipes_sockets_and_devices_are_not_waited_for(world: SandboxWorld, files: SandboxedFiles) -> None:
    os.mkfifo(world.project / "pipe")
    with socket.socket(socket.AF_UNIX) as listening, suppress(OSError):  # the path may be too long
        listening.bind(str(world.project / "socket"))
    for path in ("pipe", "/dev/zero", "/dev/fd/0"):
        with pytest.raises(OSError):  # noqa: PT011  whatever the reason
            await files.read(str(world.project / path))
    with pytest.raises(OSError, match="not a regular file"):
        await files.write(str(world.project / "pipe"), b"x")


async def test_a_file_with_another_name_outside_keeps_its_content_there(
    world: SandboxWorld, files: SandboxedFiles
) -> None:
    os.link(world.other / "file", world.project / "twin")
    await files.write(str(world.project / "twin"), b"changed")
    assert (world.other / "file").read_text() == "text\n"
    assert (world.project / "twin").read_text() == "changed"


async def test_temporary_files_are_those_of_the_sandbox(world: SandboxWorld, files: SandboxedFiles) -> None:
    await files.write("/tmp/zot-test-a/b", b"kept")
    assert (world.scratch / "zot-test-a" / "b").read_bytes() == b"kept"
    assert await files.read("/tmp/zot-test-a/b") == b"kept"
    assert await files.real("/tmp/zot-test-a/../zot-test-a/b") == "/tmp/zot-test-a/b"
    assert not os.path.exists("/tmp/zot-test-a")
    found = await grep.run({"pattern": "kept", "path": "/tmp"}, ToolContext(str(world.project), files, LocalShell()))
    assert "zot-test-a/b" in found.text


async def test_a_file_that_is_missing_is_missing(world: SandboxWorld, files: SandboxedFiles) -> None:
    for path in ("nothing", "nothing/../src/a.py", "src/a.py/x"):
        with pytest.raises((FileNotFoundError, NotADirectoryError)):
            await files.read(str(world.project / path))
    with pytest.raises(IsADirectoryError):
        await files.read(str(world.project / "src"))
    with pytest.raises(IsADirectoryError):
        await files.write(str(world.project / "src"), b"")
    with pytest.raises(NotADirectoryError):
        await files.list(str(world.project / "src" / "a.py"))


@pytest.mark.parametrize("path", ["src/", "new/", "src/.", "new/..", "new/./"])
async def test_the_name_of_a_folder_is_no_file_to_write(world: SandboxWorld, files: SandboxedFiles, path: str) -> None:
    with pytest.raises(IsADirectoryError):
        await files.write(f"{world.project}/{path}", b"")
    assert not (world.project / "new").exists()


async def test_a_path_is_not_cut_at_a_nul(world: SandboxWorld, files: SandboxedFiles) -> None:
    with pytest.raises(ValueError, match="null byte"):
        await files.read(f"{world.project}/src/a.py\0.txt")


async def test_a_read_only_file_stays_as_it_is(world: SandboxWorld, files: SandboxedFiles) -> None:
    path = world.project / "src" / "a.py"
    path.chmod(0o444)
    if os.geteuid() == 0:
        await files.write(str(path), b"")  # nothing is read-only for root
        assert path.read_bytes() == b""
    else:
        with pytest.raises(PermissionError):
            await files.write(str(path), b"")


SAME = [".", "src/a.py", "out/file", "chain", "key2", "to-git/hooks/..", "src/./..//src", "/", "/proc/self/root/etc"]


@pytest.mark.parametrize("walk", [False, True])
def test_nothing_stays_open_of_a_path_that_cannot_be_opened(world: SandboxWorld, walk: bool) -> None:
    (world.project / "round").symlink_to("round")
    (world.project / "up").symlink_to("../../up/../project/src/a.py")
    (world.project / "full").symlink_to(world.project / "src")
    before = os.listdir("/dev/fd")
    for path in ("none", "round", "src/none", "src/a.py/x", "up", "full/none", "src/../../project/full/../none"):
        with pytest.raises(OSError), open_path(str(world.project / path), walk=walk):  # noqa: PT011  of many kinds
            pass
    with open_path(str(world.project / "full" / ".." / "src" / "a.py"), walk=walk) as found:
        assert found.path == str(world.project / "src" / "a.py")
    assert os.listdir("/dev/fd") == before


async def test_nothing_stays_open_of_what_was_read_written_or_listed(
    world: SandboxWorld, files: SandboxedFiles
) -> None:
    async def use(made: str) -> list[str]:
        for path in ("src/new", "deep/new", f"{made}/new/a", ".git/new", "src/new/x", "src"):
            with suppress(OSError):
                await files.write(str(world.project / path), b"x")
            with suppress(OSError):
                await files.read(str(world.project / path))
            with suppress(OSError):
                await files.list(str(world.project / path))
        return os.listdir("/dev/fd")

    assert len(await use("first")) == len(await use("second"))


def exchanging(monkeypatch: pytest.MonkeyPatch, name: str, exchange: Callable[[], None]) -> None:
    """Exchange what has a name just before or after the sandbox learns whether that is a link."""
    readlink = os.readlink

    def read_and_exchange(path: str, **more: int) -> str:
        before = path.startswith("/proc/self/fd/")
        if before:
            exchange()
        try:
            return readlink(path, **more)
        finally:
            if path == name:
                exchange()

    monkeypatch.setattr(os, "readlink", read_and_exchange)


def test_a_file_that_becomes_a_link_while_it_is_opened_is_refused(
    world: SandboxWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = world.project / "src" / "a.py"

    def exchange() -> None:
        place.unlink()
        place.symlink_to(world.home / ".bashrc")

    exchanging(monkeypatch, place.name, exchange)
    before = os.listdir("/dev/fd")
    with pytest.raises(OSError, match="Too many levels of symbolic links"), open_path(str(place), walk=True):
        pass
    assert os.listdir("/dev/fd") == before


@pytest.mark.skipif(not has_openat2(), reason="this machine lacks openat2")
def test_a_file_that_is_removed_while_it_is_opened_is_missing(
    world: SandboxWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = world.project / "src" / "a.py"
    exchanging(monkeypatch, "", lambda: place.unlink(missing_ok=True))
    before = os.listdir("/dev/fd")
    with pytest.raises(FileNotFoundError), open_path(str(place)):
        pass
    assert os.listdir("/dev/fd") == before


def test_both_ways_lead_to_the_same_path(world: SandboxWorld) -> None:
    link_things(world)
    for path in SAME:
        target = os.path.join(world.project, path)
        with open_path(target) as quick, open_path(target, walk=True) as slow:
            assert quick.path == slow.path == os.path.realpath(target)
            assert os.path.sameopenfile(quick.descriptor, slow.descriptor)


async def test_the_tools_say_that_the_sandbox_refuses(world: SandboxWorld, files: SandboxedFiles) -> None:
    context = ToolContext(str(world.project), files, LocalShell())
    with pytest.raises(ToolError, match=r"^~/\.ssh/id: the sandbox does not let you read this$"):
        await read.run({"path": "~/.ssh/id"}, context)
    with pytest.raises(ToolError, match=r"^\.git/config: the sandbox does not let you write here$"):
        await write.run({"path": ".git/config", "content": "x"}, context)


async def test_a_listed_folder_that_becomes_a_link_is_not_written_through(
    world: SandboxWorld, files: SandboxedFiles
) -> None:
    folder = world.project / "src"
    assert await files.list(str(folder)) == [("a.py", "file")]
    folder.rename(world.project / "old")
    folder.symlink_to(world.home / ".ssh")
    for path in ("src/id", "src/new", "src/new/deep", "src"):
        with pytest.raises(OSError):  # noqa: PT011  whatever the reason
            await files.write(str(world.project / path), b"x")
    with pytest.raises(OutsideSandbox):
        await files.list(str(folder))
    assert world.changed() == []


@pytest.mark.parametrize("path", ["..", "~", "../home/.ssh", "/proc/self/root{home}", "."])
async def test_no_search_finds_what_is_hidden(world: SandboxWorld, files: SandboxedFiles, path: str) -> None:
    link_things(world)
    context = ToolContext(str(world.project), files, LocalShell())
    path = path.format(home=world.home)
    calls: list[tuple[Tool, dict[str, object]]] = [
        (grep, {"pattern": SECRET, "path": path}),
        (glob, {"pattern": "**/id", "path": path}),
        (glob, {"pattern": "../**/id", "path": path}),
        (find, {"pattern": "id", "path": path}),
        (ls, {"path": path}),
    ]
    for tool, arguments in calls:
        text = ""
        with suppress(ToolError):
            text = (await tool.run(arguments, context)).text
        assert SECRET not in text
        assert "/id" not in text


SWAPPER = """
import os, sys
inside, outside, place = sys.argv[1:]
number = 0
while True:
    number += 1
    for target in (inside, outside):
        os.symlink(target, place + ".new")
        os.rename(place + ".new", place)
    if number == 1:
        print(flush=True)
"""


@contextmanager
def swapping(inside: Path, outside: Path, place: Path) -> Iterator[None]:
    """Exchange the target of the link `place` all the time."""
    command = [sys.executable, "-c", SWAPPER, str(inside), str(outside), str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()


@pytest.mark.hypothesis  # `make fuzz` tries it for a longer time
@pytest.mark.parametrize("leaf", [False, True], ids=["a folder", "a file"])
async def test_a_link_that_is_exchanged_meanwhile_leads_nowhere_else(
    world: SandboxWorld, files: SandboxedFiles, request: pytest.FixtureRequest, leaf: bool
) -> None:
    seconds = request.config.getoption("--fuzz-seconds")
    (world.project / "real").mkdir()
    (world.project / "real" / "id").write_text("mine")
    place = world.project / ("leaf" if leaf else "place")
    path = str(place if leaf else place / "id")
    inside, outside = world.project / "real", world.home / ".ssh"
    if leaf:
        inside, outside = inside / "id", outside / "id"
    ends = time.monotonic() + seconds
    tried = done = refused = 0
    with swapping(inside, outside, place):
        while tried < 400 or time.monotonic() < ends or (not (done and refused) and tried < 100_000):
            tried += 1
            with suppress(OSError):
                try:
                    assert SECRET.encode() not in await files.read(path)
                    await files.write(path, b"written")
                    done += 1
                except OutsideSandbox:
                    refused += 1
    assert done
    assert refused
    assert (world.home / ".ssh" / "id").read_text() == SECRET
    assert not world.changed()


async def test_a_program_with_the_rights_of_its_owner_loses_them_when_it_is_written(
    world: SandboxWorld, files: SandboxedFiles
) -> None:
    world.write("project/program", "old")
    (world.project / "program").chmod(0o6755)
    await files.write(str(world.project / "program"), b"new")
    assert (world.project / "program").read_bytes() == b"new"
    assert world.with_other_rights() == []
