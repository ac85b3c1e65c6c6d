"""What comes from outside, damaged in any way: each edge refuses it with its own errors, in time and within bounds.

`make test` tries the same few examples of each target every time. `make fuzz S=600` searches each for 600 seconds.
"""

import functools
import os
import time
from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Run a target again and again until the seconds of `--fuzz-seconds` are over."""
    seconds = pyfuncitem.config.getoption("fuzz_seconds")
    target = pyfuncitem.obj

    @functools.wraps(target)
    def search(*args: object, **kwargs: object) -> None:
        end = time.monotonic() + seconds
        target(*args, **kwargs)
        while time.monotonic() < end:
            target(*args, **kwargs)

    pyfuncitem.obj = search


@pytest.fixture(autouse=True)
def work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty working directory, and an empty home."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ZOT_HOME", str(tmp_path / "zot-home"))
    (tmp_path / "zot-home").mkdir()
    monkeypatch.chdir(folder)
    assert os.getcwd() == str(folder)
    return folder
