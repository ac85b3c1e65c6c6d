from importlib import import_module

import pytest

from zot_agent.cli import SUBCOMMANDS
from zot_agent.cli.main import run
from zot_agent.cli.verb import Verb, VerbTable
from zot_agent.modes import MODES


def test_every_subcommand_is_a_function_or_a_table_of_them_and_perhaps_the_name_of_a_mode() -> None:
    flags = {flag for mode in MODES.values() for flag in mode.flags}
    for command in SUBCOMMANDS.values():
        assert isinstance(import_module(command.module).run, Verb | VerbTable)
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
