"""`Parser`: an argparse parser that raises `ConfigError` instead of printing its usage and exiting."""

import argparse
import sys
from typing import TYPE_CHECKING, NoReturn

from zot_provider.errors import ConfigError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """A parser that reports a mistake in one line. `--help` still prints and raises `SystemExit(0)`."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}; see {self.prog} --help")

    def print_help(self, file: "SupportsWrite[str] | None" = None) -> None:
        """Print the help. Raises `OSError` if it cannot be written, which argparse would ignore."""
        (file or sys.stdout).write(self.format_help())
