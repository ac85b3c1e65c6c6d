"""`Parser`: argparse that raises `ConfigError` instead of printing a page and leaving."""

import argparse
from typing import NoReturn

from zot_provider.errors import ConfigError


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are one line. `--help` still prints and raises SystemExit(0)."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{message}; see {self.prog} --help")
