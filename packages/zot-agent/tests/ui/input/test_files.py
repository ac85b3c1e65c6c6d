import asyncio
import os
import subprocess
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import runs
from waiting import PATIENCE, wait_until

from zot_agent.ui.input.files import FileIndex, IndexLimits
from zot_tui.text.fuzzy import rank

T = TypeVar("T")

PATIENT = IndexLimits(seconds=PATIENCE)


def in_index(cwd: Path, work: Callable[[FileIndex], Awaitable[T]], limits: IndexLimits = PATIENT) -> T:
    """What the work gives with an index, which is closed afterwards."""

    async def main() -> T:
        index = FileIndex(str(cwd), limits)
        try:
            return await work(index)
        finally:
            await index.close()

    return asyncio.run(main())


def make(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("x")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    make(folder, "a.py", "src/b.py", "src/deep/c d.py", "build/out.o", "note.log", ".hidden/x")
    (folder / ".gitignore").write_text("build/\n*.log\n")
    return folder


EXPECTED = {".gitignore", ".hidden/", ".hidden/x", "a.py", "src/", "src/b.py", "src/deep/", "src/deep/c d.py"}


def test_in_a_repository_tracked_and_new_files_are_listed_and_ignored_ones_are_not(tree: Path) -> None:
    git(tree, "init", "-q")
    git(tree, "add", "a.py", ".gitignore")
    found = in_index(tree, FileIndex.filled)
    assert set(found) == EXPECTED
    assert len(found) == len(EXPECTED)


def test_without_a_repository_the_same_is_listed(tree: Path) -> None:
    found = in_index(tree, FileIndex.filled)
    assert set(found) == EXPECTED
    assert len(found) == len(EXPECTED)


def test_without_git_the_same_is_listed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tree, "init", "-q")
    monkeypatch.setenv("PATH", "/nowhere")
    assert set(in_index(tree, FileIndex.filled)) == EXPECTED


def test_what_is_near_the_root_comes_first(tree: Path) -> None:
    found = in_index(tree, FileIndex.filled)
    assert [path.count("/", 0, -1) for path in found] == sorted(path.count("/", 0, -1) for path in found)


def test_below_the_root_of_a_repository_paths_are_relative_to_the_folder(tree: Path) -> None:
    git(tree, "init", "-q")
    assert in_index(tree / "src", FileIndex.filled) == ["b.py", "deep/", "deep/c d.py"]


def test_a_folder_that_its_repository_ignores_is_listed_all_the_same(tree: Path) -> None:
    git(tree, "init", "-q")
    assert in_index(tree / "build", FileIndex.filled) == ["out.o"]


def test_a_repository_inside_of_one_is_a_directory(tree: Path) -> None:
    git(tree, "init", "-q")
    make(tree, "inner/file")
    git(tree / "inner", "init", "-q")
    found = in_index(tree, FileIndex.filled)
    assert "inner/" in found


def test_a_file_with_conflicts_is_listed_once(tree: Path) -> None:
    git(tree, "init", "-q")
    git(tree, "add", "a.py")
    blob = subprocess.run(["git", "hash-object", "-w", "a.py"], cwd=tree, capture_output=True, text=True, check=True)
    lines = "".join(f"100644 {blob.stdout.strip()} {stage}\ta.py\n" for stage in (1, 2, 3))
    subprocess.run(["git", "rm", "-q", "--cached", "a.py"], cwd=tree, check=True)
    subprocess.run(["git", "update-index", "--index-info"], cwd=tree, input=lines, text=True, check=True)
    assert in_index(tree, FileIndex.filled).count("a.py") == 1


def test_a_repository_has_no_program_run_by_being_looked_at(tree: Path, tmp_path: Path) -> None:
    git(tree, "init", "-q")
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    trap.chmod(0o755)
    git(tree, "config", "core.fsmonitor", str(trap))
    assert set(in_index(tree, FileIndex.filled)) == EXPECTED
    assert not (tmp_path / "ran").exists()


def test_names_that_cannot_stand_in_a_prompt_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "odd"
    make(folder, "good", "a\nb", "c\x1b[2Jd")
    assert in_index(folder, FileIndex.filled) == ["good"]


def test_there_is_a_bound_to_the_paths_and_the_index_says_so(tree: Path) -> None:
    async def work(index: FileIndex) -> tuple[list[str], bool]:
        return await index.filled(), index.complete

    found, complete = in_index(tree, work, IndexLimits(paths=3, seconds=PATIENCE))
    assert (len(found), complete) == (3, False)
    assert in_index(tree, work)[1]


async def test_nothing_is_waited_for_and_more_is_told_as_it_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    make(folder, *(f"d{number % 40}/f{number}" for number in range(1500)))
    sizes: list[int] = []
    index = FileIndex(str(folder), PATIENT)
    index.changed.connect(lambda: sizes.append(len(index.known)))
    assert await index.paths() == []
    assert len(await index.filled()) == 1540
    await index.close()
    assert sizes == [500, 1000, 1540]


def test_an_index_that_is_old_is_made_anew_when_it_is_asked(tree: Path) -> None:
    async def work(index: FileIndex) -> None:
        first = await index.filled()
        make(tree, "new.py")
        os.unlink(tree / "a.py")
        assert await index.paths() is first
        second = await index.filled()
        assert "new.py" in second
        assert "a.py" not in second

    in_index(tree, work, IndexLimits(seconds=PATIENCE, fresh=0))


def test_an_index_that_is_fresh_is_not_made_anew(tree: Path) -> None:
    async def work(index: FileIndex) -> None:
        await index.filled()
        make(tree, "new.py")
        assert "new.py" not in await index.filled()

    in_index(tree, work, IndexLimits(seconds=PATIENCE, fresh=3600))


def hanging_git(folder: Path, after: str = "") -> Path:
    """A `git` that prints two paths, tells its number and that of a child, and never ends."""
    folder.mkdir()
    program = folder / "git"
    program.write_text(
        f"#!/bin/bash\nprintf 'one\\0two\\0thr'\n{after}\nsleep 600 &\necho $$ $! > {folder}/pids.tmp\n"
        f"mv {folder}/pids.tmp {folder}/pids\nwait\n"
    )
    program.chmod(0o755)
    return folder / "pids"


def assert_ended(pids: Path) -> None:
    """They were killed: on a busy machine each dies when its turn comes."""
    wait_until(lambda: not any(map(runs, map(int, pids.read_text().split()))))


async def there(path: Path) -> None:
    async with asyncio.timeout(PATIENCE):
        while not path.exists():
            await asyncio.sleep(0.01)


def test_a_git_that_hangs_is_ended_at_the_limit_and_what_it_said_is_kept(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = hanging_git(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")

    async def work(index: FileIndex) -> tuple[list[str], bool]:
        return await index.filled(), index.complete

    assert in_index(tree, work, IndexLimits(seconds=5)) == (["one", "two"], False)
    assert_ended(pids)


def test_closing_ends_a_git_that_hangs(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pids = hanging_git(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")

    async def work(index: FileIndex) -> None:
        await index.paths()
        await there(pids)

    in_index(tree, work)
    assert_ended(pids)


def test_one_who_no_longer_waits_does_not_stop_the_search_for_others(tree: Path) -> None:
    async def work(index: FileIndex) -> None:
        waiting = asyncio.create_task(index.filled())
        await asyncio.sleep(0)
        waiting.cancel()
        assert set(await index.filled()) == EXPECTED

    in_index(tree, work)


def test_a_folder_that_is_gone_has_no_paths(tmp_path: Path) -> None:
    assert in_index(tmp_path / "nowhere", FileIndex.filled) == []


def test_a_query_finds_the_best_first(tree: Path) -> None:
    async def work(index: FileIndex) -> None:
        await index.filled()
        assert [each.item for each in await index.search("b.py") or []] == ["src/b.py"]
        assert next(each.item for each in await index.search("src") or []) == "src/"
        assert await index.search("zzz") == []
        everything = await index.search("")
        assert everything is not None
        assert [each.item for each in everything] == index.known
        assert len(await index.search("", limit=2) or []) == 2

    in_index(tree, work)


def test_of_many_paths_the_best_are_found_whatever_piece_they_are_in(tmp_path: Path) -> None:
    names = [f"x{number}-n-e-e-d-l-e" for number in range(6000)] + ["needle.py", "a/needle"]
    make(tmp_path / "many", *names)

    async def work(index: FileIndex) -> None:
        await index.filled()
        found = await index.search("needle", limit=3)
        assert found is not None
        assert [each.item for each in found][:2] == ["needle.py", "a/needle"]
        assert len(found) == 3

    in_index(tmp_path / "many", work)


@given(st.lists(st.text("aAbB/_.-ß", min_size=1, max_size=12), max_size=30), st.text("aAb/.ß ]^-\\", max_size=5))
async def test_what_is_found_is_what_fits_and_in_the_order_of_the_ranking(paths: list[str], query: str) -> None:
    index = FileIndex("/", IndexLimits(fresh=3600))
    index.known = sorted(set(paths))
    found = index._search(query, index.known, 50, 0)
    assert found is not None
    expected = rank(query, index.known, str, 50)
    assert {each.item for each in found} == {each.item for each in expected}
    assert [each.match.score for each in found] == [each.match.score for each in expected]


def test_the_newest_query_wins_and_an_older_one_gives_up(tmp_path: Path) -> None:
    make(tmp_path / "many", *(f"file{number}" for number in range(3000)))

    async def work(index: FileIndex) -> None:
        await index.filled()
        loop, held = asyncio.get_running_loop(), threading.Event()
        loop.set_default_executor(ThreadPoolExecutor(1))
        loop.run_in_executor(None, held.wait, PATIENCE)  # the only thread is taken until all three have begun
        loop.call_later(0.1, held.set)
        answers = await asyncio.gather(index.search("fi"), index.search("file1"), index.search("file12"))
        assert answers[0] is None
        assert answers[1] is None
        assert answers[2] is not None
        assert answers[2][0].item == "file12"

    in_index(tmp_path / "many", work)


def test_the_loop_goes_round_while_many_paths_are_found_and_ranked(tmp_path: Path) -> None:
    make(tmp_path / "many", *(f"d{number % 50}/file{number}" for number in range(5000)))

    async def work(index: FileIndex) -> None:
        async def turns_during(waiting: "asyncio.Task[object]") -> int:
            turns = 0
            while not waiting.done():
                turns += 1
                await asyncio.sleep(0)
            return turns

        assert await turns_during(asyncio.create_task(index.filled())) > 20
        index.known = [f"d{number % 500}/file{number}" for number in range(50_000)]
        assert await turns_during(asyncio.create_task(index.search("f9"))) > 5

    in_index(tmp_path / "many", work)


@pytest.mark.parametrize("repository", [True, False])
def test_a_name_that_is_not_utf8_is_offered_as_it_is_shown(tmp_path: Path, repository: bool) -> None:
    Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), b"lat\xe9.txt"))).write_text("x")
    if repository:
        git(tmp_path, "init", "-q")
    assert "lat\ufffd.txt" in in_index(tmp_path, FileIndex.filled)
