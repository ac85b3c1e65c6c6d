from typing import Any

import pytest

from zot_agent.cli.parser import Parser, report_errors
from zot_provider.errors import ConfigError


def test_a_mistake_is_one_line_that_names_the_help() -> None:
    parser = Parser(prog="zot thing")
    with pytest.raises(ConfigError, match=r"^unrecognized arguments: --nope; see zot thing --help$"):
        parser.parse_args(["--nope"])


@pytest.mark.parametrize("flag", [{}, {"type": int}, {"nargs": "?"}])
def test_two_dashes_are_not_the_value_of_a_flag(flag: dict[str, Any]) -> None:
    parser = Parser(prog="zot")
    parser.add_argument("--some", **flag)
    with pytest.raises(ConfigError, match=r"^argument --some: expected a value, not --; see zot --help$"):
        parser.parse_args(["--some=--"])


def test_a_subcommand_that_is_stopped_says_so_and_ends_with_130(capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        raise KeyboardInterrupt

    assert report_errors(work, "stopped; nothing was stored") == 130
    assert capsys.readouterr().err == "zot: stopped; nothing was stored\n"
