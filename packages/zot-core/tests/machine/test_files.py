import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from zot_core.machine.files import LocalFiles
from zot_core.machine.interface import FileInfo

FILES = LocalFiles()
BIG = b"0123456789abcdef" * 100_000

AS_NOBODY = """
import asyncio, os, sys
from zot_core.machine.files import LocalFiles

folder = sys.argv[1]
if os.geteuid() == 0:  # to whom nothing is forbidden
    os.chown(folder, 65534, 65534)
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)

def write(name, data):
    try:
        asyncio.run(LocalFiles().write(os.path.join(folder, name), data))
    except OSError as error:
        return type(error).__name__
    with open(os.path.join(folder, name), "rb") as file:
        return file.read().decode()

def put(name, data, mode):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)
    os.chmod(os.path.join(folder, name), mode)
"""


def write(path: Path, data: bytes) -> None:
    asyncio.run(FILES.write(str(path), data))


async def collected(path: Path) -> list[bytes]:
    return [piece async for piece in FILES.chunks(str(path))]


async def test_stat_follows_links_and_tells_kind_size_and_mode(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    (tmp_path / "x").chmod(0o640)
    (tmp_path / "link").symlink_to("x")
    os.mkfifo(tmp_path / "pipe")
    assert await FILES.stat(str(tmp_path / "link")) == FileInfo("file", 3, 0o640)
    assert (await FILES.stat(str(tmp_path))).kind == "directory"
    assert (await FILES.stat(str(tmp_path / "pipe"))).kind == "other"
    with pytest.raises(FileNotFoundError):
        await FILES.stat(str(tmp_path / "gone"))


@pytest.mark.parametrize("content", [b"", b"small", BIG], ids=["empty", "small", "big"])
async def test_what_was_written_is_read_whole_in_part_and_in_pieces(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x"
    await FILES.write(str(path), content)
    assert await FILES.read(str(path)) == content
    assert await FILES.read(str(path), 3) == content[:3]
    assert await FILES.read(str(path), len(content) + 5) == content
    pieces = await collected(path)
    assert b"".join(pieces) == content
    assert all(0 < len(piece) <= 256 * 1024 for piece in pieces)


async def test_files_without_a_size_are_read_too() -> None:
    assert (await FILES.read("/proc/self/status")).startswith(b"Name:")


def test_a_write_makes_parents_and_leaves_nothing_beside(tmp_path: Path) -> None:
    write(tmp_path / "a/b/x", b"1")
    write(tmp_path / "a/b/x", b"2")
    assert (tmp_path / "a/b/x").read_bytes() == b"2"
    assert os.listdir(tmp_path / "a/b") == ["x"]


async def test_a_file_with_several_links_loses_the_rights_of_its_owner_too(tmp_path: Path) -> None:
    (tmp_path / "program").touch()
    (tmp_path / "program").chmod(0o6755)
    os.link(tmp_path / "program", tmp_path / "twin")
    await LocalFiles().write(str(tmp_path / "program"), b"new")
    assert (tmp_path / "twin").read_bytes() == b"new"
    assert (tmp_path / "twin").stat().st_mode & 0o7777 == 0o755


def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write(tmp_path / "new", b"x")
        (tmp_path / "script").touch()
        (tmp_path / "script").chmod(0o755)
        write(tmp_path / "script", b"x")
    finally:
        os.umask(old)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "script").stat().st_mode & 0o777 == 0o755


def test_a_write_is_a_replacement_so_that_readers_see_old_or_new(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        write(path, b"new")
        assert reader.read() == b"old"
    assert path.read_bytes() == b"new"


def test_a_link_is_written_through_even_to_a_file_that_is_not_there_yet(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real/x")
    write(tmp_path / "link", b"1")
    write(tmp_path / "link", b"2")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real/x").read_bytes() == b"2"


def test_directories_and_pipes_are_not_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(IsADirectoryError):
        write(tmp_path, b"x")
    with pytest.raises(OSError, match="not a regular file"):
        write(tmp_path / "pipe", b"x")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        write(tmp_path / "file/x", b"x")


def test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")
    code = f"""
import asyncio, resource, signal
from zot_core.machine.files import LocalFiles

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    asyncio.run(LocalFiles().write({str(tmp_path / "x")!r}, b"x" * 1000))
except OSError as error:
    print(error.strerror)
"""
    done = subprocess.run([sys.executable, "-B", "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "File too large\n"
    assert os.listdir(tmp_path) == ["x"]
    assert (tmp_path / "x").read_bytes() == b"old"


def as_nobody(code: str) -> list[str]:
    """What the code prints, run in its own folder by somebody who is not root."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", AS_NOBODY + code, folder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.split()


def test_a_file_without_write_permission_is_not_replaced() -> None:
    code = "put('x', b'old', 0o444); print(write('x', b'new'), open(folder + '/x').read())"
    assert as_nobody(code) == ["PermissionError", "old"]


def test_a_file_in_a_folder_without_write_permission_is_written_in_place() -> None:
    code = """
put('x', b'old', 0o644)
os.chmod(folder, 0o555)
print(write('x', b'new'), write('y', b'new'))
os.chmod(folder, 0o755)
print(*os.listdir(folder))
"""
    assert as_nobody(code) == ["new", "PermissionError", "x"]


async def test_entries_are_sorted_with_what_links_lead_to(tmp_path: Path) -> None:
    (tmp_path / "b").touch()
    (tmp_path / ".a").mkdir()
    (tmp_path / "link").symlink_to(".a")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "broken").symlink_to("gone")
    assert await FILES.list(str(tmp_path)) == [
        (".a", "directory"),
        ("b", "file"),
        ("broken", "other"),
        ("circle", "other"),
        ("link", "directory"),
    ]
    assert dict(await FILES.list(str(tmp_path), follow=False)) == {
        ".a": "directory",
        "b": "file",
        "broken": "link",
        "circle": "link",
        "link": "link",
    }


async def test_a_folder_of_thousands_is_listed_whole_and_sorted(tmp_path: Path) -> None:
    for number in range(1500):
        (tmp_path / f"{number:04}").touch()
    found = await FILES.list(str(tmp_path))
    assert found == [(f"{number:04}", "file") for number in range(1500)]


async def test_all_paths_of_a_file_have_one_real_path(tmp_path: Path) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "link").symlink_to("dir")
    (tmp_path / "circle").symlink_to("circle")
    real = await FILES.real(str(tmp_path / "dir/x"))
    assert real == os.path.realpath(tmp_path / "dir/x")
    for path in ("link/x", "dir/../link/./x"):
        assert await FILES.real(f"{tmp_path}/{path}") == real
    assert (await FILES.real(str(tmp_path / "circle"))).endswith("circle")


async def test_all_hard_links_of_a_file_get_the_new_content(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"old content")
    os.link(one, other)
    await LocalFiles().write(str(one), b"new")
    assert (one.read_bytes(), other.read_bytes()) == (b"new", b"new")
    assert one.samefile(other)
