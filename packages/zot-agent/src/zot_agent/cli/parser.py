"""`Parser`: an argparse parser that raises `ConfigError` instead of printing its usage and exiting; `report_errors`,
which reports such errors."""

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec

from zot_agent.standard_error import print_error
from zot_provider.errors import ConfigError, ZotError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

P = ParamSpec("P")


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


def report_errors(work: Callable[[], int], stopped: str = "stopped") -> int:
    """Do the work of a subcommand and return its exit code: an error becomes a line and its exit code; Ctrl+C, with the
    line `stopped`, 130; `--help` 0."""
    try:
        return work()
    except SystemExit as stop:  # argparse, after --help
        return stop.code if isinstance(stop.code, int) else 0
    except ZotError as error:
        print_error(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            sys.stderr.write("\n")  # behind the ^C
        print_error(stopped)
        return 130
