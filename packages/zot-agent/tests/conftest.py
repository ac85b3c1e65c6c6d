import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from repository import Repository

from zot_provider.testing import ScriptedServer

# The extra `serve` is not part of a plain installation; `make test` has it.
collect_ignore = (
    [] if all(map(find_spec, ("starlette", "uvicorn", "websockets", "wsproto"))) else ["cli/test_serve.py", "serve"]
)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home and a working directory of the test's own."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ZOT_HOME", str(tmp_path / "zot-home"))
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A model server whose script a test writes with `add`."""
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A git repository of a person."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return Repository(tmp_path / "project")
