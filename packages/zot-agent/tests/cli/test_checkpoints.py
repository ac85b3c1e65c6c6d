"""`zot checkpoints`."""

import os
import time
from pathlib import Path

import pytest

from zot_agent.cli.checkpoints import run
from zot_core.checkpoints.store import CheckpointStore


def test_saved_files_are_listed_and_removed(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = CheckpointStore(str(alone.parent / "zot-home" / "checkpoints" / "0123"), "/work")
    store.create()
    store.add("entry", time.time(), [])
    store.objects.put(bytes(range(256)) * 4000)
    assert run(["list"]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["used", "answers", "size", "folder"]
    assert row.split() == [time.strftime("%Y-%m-%d"), "1", "0.0", "MB", "/work"]
    assert run(["prune", "--days", "10"]) == 0
    assert capsys.readouterr().out.startswith("removed 0.0 MB of ")
    assert run(["prune", "--all"]) == 0
    assert run(["list"]) == 0
    assert capsys.readouterr().out.endswith("no saved files\n")
    assert not Path(store.path).exists()


def test_wrong_words_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    assert run(["prune", "--days", "many"]) == 2
    assert "--days" in capsys.readouterr().err
    for days in ("0", "-1", "nan"):
        assert run(["prune", "--days", days]) == 2
        assert "--days must be greater than 0" in capsys.readouterr().err


def test_a_folder_that_cannot_be_pruned_is_named_and_the_others_are_pruned(
    alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stores = [
        CheckpointStore(str(alone.parent / "zot-home" / "checkpoints" / name), f"/{name}") for name in ("01", "02")
    ]
    for store in stores:
        store.create()
        store.add("entry", 1.0, [])
        os.utime(Path(store.path, "turns", os.listdir(Path(store.path, "turns"))[0]), (1.0, 1.0))
    Path(stores[0].path, "index").write_bytes(b"half of an in")
    assert run(["prune", "--days", "1"]) == 1
    assert capsys.readouterr().err.startswith("zot: /01: git cannot read ")
    assert [store.recorded(["entry"]) for store in stores] == [["entry"], []]
