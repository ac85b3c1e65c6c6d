import asyncio
import os
from pathlib import Path

import pytest

from zot_core.machine.files import LocalFiles
from zot_core.machine.interface import Files
from zot_core.testing.world import MemoryFiles
from zot_core.tools.search.walk import TreeEntry, WalkLimits, walk, walked

TREE = {
    ".gitignore": "*.log\n",
    "a-b": "",
    "a/b": "",
    "a/c/d": "",
    "a.b": "",
    "x.log": "",
    ".h/y": "",
    "a/.git": "gitdir: elsewhere",
    "n/.gitignore": "!x.log\n/only\n",
    "n/x.log": "",
    "n/only/z": "",
    ".git/HEAD": "",
}


def paths(files: Files, base: str, *, hidden: bool = True, depth: int | None = None) -> list[str]:
    async def work() -> list[str]:
        return [entry.path async for entry in walk(base, base, files, hidden=hidden, depth=depth)]

    return asyncio.run(work())


@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_a_walk_is_sorted_as_text_and_leaves_out_what_is_ignored(tmp_path: Path, kind: str) -> None:
    files: Files = MemoryFiles({f"{tmp_path}/{path}": content for path, content in TREE.items()})
    if kind == "disk":
        files = LocalFiles()
        for path, content in TREE.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content)
    found = paths(files, str(tmp_path))
    assert found == [
        *(".gitignore", ".h/", ".h/y", "a-b", "a.b", "a/", "a/b", "a/c/", "a/c/d", "n/", "n/.gitignore", "n/x.log")
    ]
    assert found == sorted(found)
    assert paths(files, str(tmp_path), hidden=False) == [*("a-b", "a.b", "a/", "a/b", "a/c/", "a/c/d", "n/", "n/x.log")]
    assert paths(files, str(tmp_path), hidden=False, depth=1) == ["a-b", "a.b", "a/", "n/"]
    assert paths(files, str(tmp_path), hidden=False, depth=2) == ["a-b", "a.b", "a/", "a/b", "a/c/", "n/", "n/x.log"]


async def test_links_are_told_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/circle").symlink_to("..")
    (tmp_path / "broken").symlink_to("gone")
    os.mkfifo(tmp_path / "pipe")
    assert [entry async for entry in walk(str(tmp_path), str(tmp_path), LocalFiles())] == [
        TreeEntry("a/"),
        TreeEntry("a/circle", link=True),
        TreeEntry("broken", link=True),
    ]


def test_a_folder_with_thousands_of_files_and_a_deep_one_are_walked(tmp_path: Path) -> None:
    files = MemoryFiles({f"/many/{number:05}": "" for number in range(3000)})
    files.contents["/many/.gitignore"] = b"*7\n"
    files.contents["/" + "d/" * 3000 + "x"] = b""
    assert len(paths(files, "/many")) == 2701
    assert len(paths(MemoryFiles({"/" + "d/" * 300 + "x": b""}), "/")) == 301
    for number in range(1200):
        (tmp_path / f"{number}").touch()
    assert len(paths(LocalFiles(), str(tmp_path))) == 1200


def test_a_base_that_cannot_be_listed_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError):
        paths(MemoryFiles({"/x": ""}), "/gone")
    with pytest.raises(NotADirectoryError):
        paths(MemoryFiles({"/x": ""}), "/x")


class Forbidding(MemoryFiles):
    async def list(self, path, *, follow=True):  # type: ignore[no-untyped-def]
        if path.rstrip("/").endswith("secret"):
            raise PermissionError(13, "Permission denied", path)
        return await super().list(path, follow=follow)


def test_a_folder_that_cannot_be_read_is_passed_over() -> None:
    assert paths(Forbidding({"/a": "", "/secret/b": "", "/z": ""}), "/") == ["a", "secret/", "z"]


class Stuck(MemoryFiles):
    async def list(self, path, *, follow=True):  # type: ignore[no-untyped-def]
        if path.rstrip("/").endswith("stuck"):
            await asyncio.sleep(60)
        return await super().list(path, follow=follow)


async def test_a_walk_ends_at_its_limits() -> None:
    files = Stuck({"/a": "", "/b": "", "/stuck/c": "", "/z": ""})

    async def work(count: int, seconds: float) -> tuple[list[str], bool, bool]:
        found = await walked(
            "/", "/", files, lambda entry: not entry.folder, count=count, limits=WalkLimits(seconds=seconds)
        )
        return found.paths, found.more, found.timed_out

    assert await work(1, 30) == (["a"], True, False)
    assert await work(2, 0.05) == (["a", "b"], False, True)
    assert WalkLimits() == WalkLimits(seconds=20.0, depth=None)


async def test_cancelling_a_walk_ends_it() -> None:
    task = asyncio.ensure_future(
        walked("/", "/", Stuck({"/stuck/c": ""}), lambda entry: True, count=9, limits=WalkLimits())
    )
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
