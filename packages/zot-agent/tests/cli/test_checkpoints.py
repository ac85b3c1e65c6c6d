"""`zot checkpoints`."""

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
    listed = capsys.readouterr().out
    assert listed.startswith(time.strftime("%Y-%m-%d"))
    assert listed.endswith("  /work\n")
    assert run(["prune", "--days", "10"]) == 0
    assert capsys.readouterr().out.startswith("removed 0.0 MB of ")
    assert run(["prune", "--all"]) == 0
    assert run(["list"]) == 0
    assert "removed" in capsys.readouterr().out
    assert not Path(store.path).exists()


def test_wrong_words_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    assert run(["prune", "--days", "many"]) == 2
    assert "--days" in capsys.readouterr().err
