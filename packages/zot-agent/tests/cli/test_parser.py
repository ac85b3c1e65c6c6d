import pytest

from zot_agent.cli.parser import Parser
from zot_provider.errors import ConfigError


def test_a_mistake_is_one_line_that_names_the_help() -> None:
    parser = Parser(prog="zot thing")
    with pytest.raises(ConfigError, match=r"^unrecognized arguments: --nope; see zot thing --help$"):
        parser.parse_args(["--nope"])
