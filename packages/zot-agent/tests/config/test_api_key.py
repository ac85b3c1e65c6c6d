import io
import os
import sys
from pathlib import Path

import pytest

from zot_agent.cli.acp import run as run_acp
from zot_agent.cli.args import parse
from zot_provider.errors import ConfigError


def piped(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def key(*arguments: str) -> str:
    return parse(arguments).options.api_key


def test_a_key_comes_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("  sk-1\n")
    assert key("--api-key-file", str(path)) == "sk-1"


def test_a_key_comes_from_a_pipe_that_is_no_file(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.write(write, b"sk-2\n")
    os.close(write)
    assert key("--api-key-file", f"/dev/fd/{read}") == "sk-2"
    os.close(read)


def test_a_key_comes_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    piped(monkeypatch, b"sk-3\r\n")
    assert key("-p", "--api-key", "-", "hi") == "sk-3"


@pytest.mark.parametrize("data", [b"", b" \n", b"one\ntwo\n", b"one two", b"x" * 70_000])
def test_anything_else_than_one_key_is_refused_without_showing_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    path = tmp_path / "key"
    path.write_bytes(data)
    piped(monkeypatch, data)
    for arguments in (["--api-key-file", str(path)], ["--api-key", "-"]):
        with pytest.raises(ConfigError, match="must contain the API key, one line and nothing else"):
            key(*arguments)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="is not UTF-8 text"):
        key("--api-key-file", str(tmp_path / "key"))
    with pytest.raises(ConfigError, match=r"--api-key-file: cannot read .*: Is a directory"):
        key("--api-key-file", str(tmp_path))


def test_two_sources_of_a_key_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--api-key and --api-key-file cannot be used together"):
        key("--api-key", "k", "--api-key-file", str(tmp_path / "key"))


def test_a_mode_whose_standard_input_has_commands_reads_no_key_from_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match="has commands here; use --api-key-file"):
        key("--rpc", "--api-key", "-")
    assert run_acp(["--api-key", "-"]) == 2
    assert "use --api-key-file" in capsys.readouterr().err
