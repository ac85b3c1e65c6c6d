import os
from importlib import import_module

import pytest

from zot_agent.cli import SUBCOMMANDS
from zot_agent.cli.main import read_stdin, run
from zot_agent.modes import MODES
from zot_provider.errors import ConfigError


def test_every_subcommand_has_a_function_or_is_the_name_of_a_mode() -> None:
    flags = {flag for mode in MODES.values() for flag in mode.flags}
    for command in SUBCOMMANDS.values():
        module = import_module(command.module)
        assert hasattr(module, "build_parser") if command.flag else hasattr(module, "run")
        assert not command.flag or command.flag in flags


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_has_a_help_of_80_columns(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: zot {name}")
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_an_unknown_flag_is_an_error_of_one_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([name, "--nonsense"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("zot: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--mode", "rpc", "hello"], ["rpc", "hello"]])
def test_a_mode_that_another_program_drives_takes_no_prompt(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert capsys.readouterr().err == "zot: zot rpc takes no prompt; its commands come from standard input\n"


@pytest.mark.parametrize(
    ("data", "text", "error"),
    [
        (b"\xef\xbb\xbfhello\n", "hello\n", ""),
        (b"caf\xe9", "caf\ufffd", "zot: standard input contains bytes that are not UTF-8; they were replaced\n"),
        (b"", "", ""),
    ],
)
def test_piped_text_is_read_to_its_end(
    data: bytes, text: str, error: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    with open(reading, encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert read_stdin() == text
    assert capsys.readouterr().err == error


def test_too_much_piped_text_is_refused_without_reading_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/zero", encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        with pytest.raises(ConfigError, match=r"^standard input is larger than 8\.4 MB; "):
            read_stdin()
