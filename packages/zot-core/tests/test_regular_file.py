import asyncio
import os
import socket
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from zot_core.errors import SessionError, ToolError
from zot_core.images import image_from_file
from zot_core.machine.files import LocalFiles
from zot_core.prompt.context_files import read_bounded
from zot_core.sessions.listing import read_entry
from zot_core.sessions.stored import load
from zot_core.skills.skill import Skill, read_skill
from zot_core.skills.use import expand
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.edit import edit
from zot_core.tools.read import read
from zot_core.tools.search.walk import walk
from zot_core.tools.write import write
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import open_regular, read_regular, read_start

KINDS = ["pipe", "terminal", "zero", "socket"]


@pytest.fixture(params=KINDS)
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The path of something that is not a file, and whose reader could wait for ever."""
    path = tmp_path / "odd"
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
    else:
        path.symlink_to({"terminal": "/dev/ptmx", "zero": "/dev/zero"}[request.param])
    return str(path)


def chunks(path: str) -> list[bytes]:
    async def work() -> list[bytes]:
        return [piece async for piece in LocalFiles().chunks(path)]

    return asyncio.run(work())


READERS: dict[str, Callable[[str], object]] = {
    "open": open_regular,
    "append": lambda path: open_regular(path, os.O_WRONLY | os.O_APPEND),
    "create": lambda path: open_regular(path, os.O_WRONLY | os.O_APPEND, create=True),
    "start": lambda path: read_start(path, 10),
    "whole": lambda path: read_regular(path, 10),
    "files": lambda path: asyncio.run(LocalFiles().read(path)),
    "chunks": chunks,
    "written": lambda path: asyncio.run(LocalFiles().write(path, b"x")),
    "skill": lambda path: read_skill(path, "user"),
    "prompt of a skill": lambda path: expand(Skill("a", "b", path, "/", "user")),
    "image": image_from_file,
    "session": load,
}


@pytest.mark.parametrize("reader", READERS)
def test_what_is_not_a_regular_file_is_refused_at_once(odd: str, reader: str) -> None:
    with pytest.raises((OSError, ConfigError, SessionError), match="not a regular file"):
        READERS[reader](odd)


def test_readers_that_leave_out_what_they_cannot_read_leave_it_out(odd: str) -> None:
    notes: list[str] = []
    assert read_bounded(odd, notes) == ""
    assert notes == [f"{odd} cannot be read (not a regular file); it is left out"]
    assert read_entry(odd) is None


async def test_the_tools_for_files_refuse_it(odd: str, context: ToolContext) -> None:
    with pytest.raises(ToolError, match=r"^odd is not a regular file"):
        await read.run({"path": "odd"}, context)
    with pytest.raises(ToolError, match=r"^odd: not a regular file$"):
        await write.run({"path": "odd", "content": "x"}, context)
    with pytest.raises(ToolError, match=r"^odd: not a regular file$"):
        await edit.run({"path": "odd", "edits": [{"oldText": "a", "newText": "b"}]}, context)


async def test_a_gitignore_that_is_none_has_no_rules(odd: str, tmp_path: Path) -> None:
    os.rename(odd, tmp_path / ".gitignore")
    (tmp_path / "file").touch()
    assert "file" in [entry.path async for entry in walk(str(tmp_path), str(tmp_path), LocalFiles())]


def test_a_file_of_the_kernel_that_waits_for_data_is_read_without_waiting() -> None:
    # A regular file, which waits unless it is opened with O_NONBLOCK. Not every user may read it.
    with suppress(BlockingIOError, PermissionError, FileNotFoundError):
        read_start("/proc/kmsg", 1 << 24)


def test_a_missing_file_is_created_on_request_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new"
    with pytest.raises(FileNotFoundError):
        open_regular(str(path), os.O_WRONLY)
    for text in (b"one", b"two"):
        descriptor = open_regular(str(path), os.O_WRONLY | os.O_APPEND, create=True)
        os.write(descriptor, text)
        os.close(descriptor)
    assert path.read_bytes() == b"onetwo"
    assert path.stat().st_mode & 0o777 == 0o600


def test_at_most_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 300_000)
    path = str(tmp_path / "file")
    assert [len(read_start(path, limit)) for limit in (0, 3, 299_999, 400_000)] == [0, 3, 299_999, 300_000]
    assert len(read_regular(path, 300_000)) == 300_000
    with pytest.raises(OSError, match="larger than 299,999 bytes"):
        read_regular(path, 299_999)
    assert read_start("/proc/self/status", 5) == b"Name:"  # its size is given as 0


def test_folders_missing_files_and_links_are_what_they_are_for_open(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        open_regular(str(tmp_path))
    with pytest.raises(FileNotFoundError):
        open_regular(str(tmp_path / "gone"))
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(str(tmp_path / "link"), 10) == b"text"


def test_children_do_not_inherit_the_descriptor(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with open(tmp_path / "file", "rb", opener=open_regular) as file:
        listed = subprocess.run(["ls", "/proc/self/fd"], capture_output=True, text=True, check=True, close_fds=False)
        assert str(file.fileno()) not in listed.stdout.split()
