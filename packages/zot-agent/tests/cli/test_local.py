import importlib
import sys
from pathlib import Path

import pytest

from zot_agent.cli.local import run
from zot_agent.local.server import engine_installed
from zot_agent.local.weights import DEMO, weights_folder


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ZOT_HOME", str(tmp_path))


def put_weights() -> None:
    folder = Path(weights_folder(DEMO))
    folder.mkdir(parents=True)
    (folder / "model.gguf").write_bytes(b"GGUF and more")


def test_status_without_weights(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["status"]) == 1
    assert "weights: missing; run zot local setup" in capsys.readouterr().out


def test_status_with_weights(capsys: pytest.CaptureFixture[str]) -> None:
    put_weights()
    assert run(["status"]) == (0 if engine_installed() else 1)
    assert "model.gguf (1 MB)" in capsys.readouterr().out


def test_setup_of_what_is_there_downloads_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    put_weights()
    assert run(["setup"]) == (0 if engine_installed() else 2)
    out = capsys.readouterr().out
    assert "were already at" in out
    assert "downloading" not in out


def test_setup_that_fails_says_the_size_first_and_then_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = tmp_path / "uv"
    fake.write_text("#!/bin/sh\necho no network >&2\nexit 2\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["setup"]) == 1
    out, err = capfd.readouterr()
    assert f"({DEMO.megabytes} MB)" in out
    assert err.startswith("zot: ")
    assert "no network" in err
    assert err.count("\n") == 1


def test_a_library_that_the_engine_lacks_is_named_before_anything_is_downloaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "xllamacpp.py").write_text("raise ImportError('libgomp.so.1: cannot open shared object file')")
    monkeypatch.delitem(sys.modules, "xllamacpp", raising=False)  # an earlier test may have loaded the real one
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    assert run(["setup"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "libgomp.so.1: cannot open shared object file" in err
    assert "apt install libgomp1" in err
    assert err.count("\n") == 1


def test_the_installer_trusts_what_the_system_trusts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fake = tmp_path / "uv"
    fake.write_text("#!/bin/sh\necho system certificates: $UV_SYSTEM_CERTS $UV_NATIVE_TLS >&2\nexit 2\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["setup"]) == 1
    assert "system certificates: 1 1" in capfd.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["setup", "--nope"]])
def test_mistakes_are_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith("zot: ")
    assert err.count("\n") == 1


def test_help_says_the_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    assert f"{DEMO.megabytes} MB" in capsys.readouterr().out
