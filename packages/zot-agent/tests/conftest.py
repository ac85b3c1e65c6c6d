from importlib.util import find_spec
from pathlib import Path

import pytest

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
