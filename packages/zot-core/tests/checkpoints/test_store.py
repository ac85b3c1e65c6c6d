"""The store of checkpoints."""

from pathlib import Path

import pytest
from full_disk import full_disk

from zot_core.checkpoints.states import REGULAR, FileChange, FileState
from zot_core.checkpoints.store import CheckpointStore


def test_a_row_that_a_full_disk_has_cut_is_an_error_and_spoils_no_other_row(tmp_path: Path) -> None:
    store = CheckpointStore(str(tmp_path / "s"), "/work")
    store.create()
    first, second = (FileChange(f"/{name}", None, FileState(REGULAR, name * 64)) for name in "ab")
    with full_disk(100), pytest.raises(OSError, match="File too large"):
        store.add("entry", 1.0, [first])
    store.add("entry", 2.0, [second])
    assert store.read("entry") == (1.0, [second])
