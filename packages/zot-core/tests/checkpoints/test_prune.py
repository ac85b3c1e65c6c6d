"""Removing old checkpoints."""

import os
import time
from pathlib import Path

import pytest
from saved_work import bash, opens_in

from zot_core.checkpoints.prune import list_checkpoints, prune, prune_if_due
from zot_core.checkpoints.states import REGULAR, FileChange, FileState
from zot_core.checkpoints.store import CheckpointLimits, CheckpointStore
from zot_core.errors import CheckpointError

DAY = 86_400


def make_older(folder: Path, days: float) -> None:
    """Make everything in a store look older."""
    then = time.time() - days * DAY
    for path in folder.rglob("*"):
        os.utime(path, (then, then))


def stored(store: CheckpointStore, entry: str, content: bytes) -> str:
    id = store.objects.put(content)
    store.add(entry, 0, [FileChange("/a", None, FileState(REGULAR, id))])
    return id


def test_old_checkpoints_and_what_only_they_need_are_removed(tmp_path: Path) -> None:
    store = CheckpointStore(str(tmp_path / "s"), "/work")
    store.create()
    shared, old = stored(store, "1", b"shared"), stored(store, "1", b"old")
    make_older(tmp_path / "s", 10)
    stored(store, "2", b"shared")
    make_older(tmp_path / "s" / "objects", 10)
    prune(store.path, 5)
    assert (store.objects.has(shared), store.objects.has(old)) == (True, False)
    assert store.recorded(["1", "2"]) == ["2"]
    (listed,) = list_checkpoints(str(tmp_path))
    assert (listed.folder, listed.answers) == ("/work", 1)
    prune(store.path, 0)
    assert list_checkpoints(str(tmp_path)) == []


def test_new_contents_stay_because_another_process_may_be_about_to_need_them(tmp_path: Path) -> None:
    store = CheckpointStore(str(tmp_path / "s"), "/work")
    store.create()
    id = store.objects.put(b"just written")
    prune(store.path, 5)
    assert store.objects.has(id)


def test_a_large_store_is_pruned_once_a_day_until_it_is_small_enough(tmp_path: Path) -> None:
    store, limits = CheckpointStore(str(tmp_path / "s"), "/work"), CheckpointLimits(store_bytes=1)

    def prune_now() -> None:
        prune_if_due(store, limits, lambda: None)

    store.create()
    prune_now()
    id = stored(store, "1", b"content")
    make_older(tmp_path / "s", 2)
    os.utime(tmp_path / "s" / "pruned")
    prune_now()
    assert store.objects.has(id)
    make_older(tmp_path / "s", 2)
    prune_now()
    assert not store.objects.has(id)


async def test_after_pruning_the_store_of_a_running_agent_its_next_command_is_covered(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "sub").mkdir(parents=True)
    (work / "sub" / "a").write_text("0")
    async with opens_in(work)(bash("echo 1 > sub/a"), "one", bash("echo 2 > sub/a"), "two") as rt:
        await rt.ask("one")
        assert rt.checkpoints is not None
        await rt.checkpoints.settle()
        (store,) = list_checkpoints(str(tmp_path / "checkpoints"))
        make_older(Path(store.path) / "objects", 10)
        make_older(Path(store.path) / "turns", 10)
        prune(store.path, 5)
        await rt.ask("two")
        await rt.branches.undo()
        assert (work / "sub" / "a").read_text() == "1\n"


def test_while_an_index_cannot_be_read_nothing_is_removed(tmp_path: Path) -> None:
    store = CheckpointStore(str(tmp_path / "s"), "/work")
    store.create()
    id = stored(store, "1", b"listed by the index")
    make_older(tmp_path / "s", 10)
    (tmp_path / "s" / "index").write_bytes(b"half of an in")
    with pytest.raises(CheckpointError, match="git cannot read"):
        prune(store.path, 5)
    assert (store.objects.has(id), store.recorded(["1"])) == (True, ["1"])
    (tmp_path / "s" / "index").rename(tmp_path / "s" / "index-1-ab.lock")
    prune(store.path, 5)
    assert (store.objects.has(id), store.recorded(["1"])) == (False, [])
