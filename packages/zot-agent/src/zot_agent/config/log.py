"""`--debug`: what zot does, in a file, with every secret struck out."""

import logging
import os
from collections.abc import Iterable, Mapping
from logging.handlers import RotatingFileHandler

from zot_provider.errors import ConfigError
from zot_provider.vendors import VENDORS

LARGEST = 10 << 20
"""Bytes at which the log begins anew; the one before is kept as `zot.log.1`."""

_SHORTEST_SECRET = 6
"""Shorter values are no keys, and striking them out would make the log unreadable."""


def start_log(path: str, secrets: Iterable[str] = (), environ: Mapping[str, str] | None = None) -> None:
    """Log to `path` from now on, readable by its owner alone.

    Struck out are `secrets`, and the values of all environment variables that hold a vendor's key or whose name speaks
    of a secret. Raises `ConfigError` if the file cannot be written.
    """
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        handler = RotatingFileHandler(path, maxBytes=LARGEST, backupCount=1, encoding="utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(f"cannot write the log {path}: {error.strerror}; leave out --debug") from error
    handler.setFormatter(Striking([*secrets, *environment_secrets(os.environ if environ is None else environ)]))
    for name in ("zot_provider", "zot_core", "zot_agent"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.DEBUG)
        logger.addHandler(handler)


def environment_secrets(environ: Mapping[str, str]) -> list[str]:
    """The values in the environment that must not be seen."""
    keys = {name for vendor in VENDORS for name in vendor.key_env}
    telling = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL")
    return [value for name, value in environ.items() if name in keys or any(word in name.upper() for word in telling)]


class Striking(logging.Formatter):
    """Writes `***` in place of secrets, in messages and tracebacks alike."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        # Longest first: one secret may be part of another.
        self._secrets = sorted({each for each in secrets if len(each) >= _SHORTEST_SECRET}, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """The line, or lines, of a record."""
        text = super().format(record)
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text
