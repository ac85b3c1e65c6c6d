"""The `zot` command in a process of its own, and a scripted server for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import KEY, Zot

from zot_provider.testing import ScriptedServer


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ZOT_HOME", str(tmp_path / "zot-home"))


@pytest.fixture
def zot(tmp_path: Path) -> Zot:
    return Zot(tmp_path)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A server whose script a test writes with `add`; it asks for the key."""
    with ScriptedServer(key=KEY) as running:
        yield running
