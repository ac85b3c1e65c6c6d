"""A sandbox for a project beside what must stay out of reach."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from zot_core.testing.sandbox_world import SandboxWorld


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxWorld]:
    """Return a world whose home is that of the process."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    made = SandboxWorld(tmp_path)
    yield made
    made.sandbox.close()
