import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home and a working directory of the test's own, and no keys."""
    for name in os.environ:
        if name.startswith(("ZOT_", "XDG_")) or name.lower().endswith(("_api_key", "_proxy", "_base_url")):
            monkeypatch.delenv(name)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ZOT_HOME", str(tmp_path / "zot-home"))
    monkeypatch.chdir(work)
    return work
