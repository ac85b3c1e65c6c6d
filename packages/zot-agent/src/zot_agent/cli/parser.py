"""`Parser`: an argparse parser that raises `ConfigError` instead of printing its usage and exiting."""

import argparse
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from zot_provider.errors import ConfigError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """A parser that reports a mistake in one line. `--help` still prints and raises `SystemExit(0)`."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}; see {self.prog} --help")

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.option_strings and arg_strings == ["--"]:  # `--flag=--`, of which argparse makes an empty list
            raise argparse.ArgumentError(action, "expected a value, not --")
        return super()._get_values(action, arg_strings)

    def print_help(self, file: "SupportsWrite[str] | None" = None) -> None:
        """Print the help. Raises `OSError` if it cannot be written, which argparse would ignore."""
        (file or sys.stdout).write(self.format_help())
