"""`--debug`: what zot does, in a file, with every secret struck out."""

import json
import logging
import os
import re
import stat
from collections.abc import Iterable, Mapping
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler

from zot_provider.errors import ConfigError
from zot_provider.providers import PROVIDERS

LARGEST = 10 << 20
"""Bytes at which the log begins anew; the one before is kept as `zot.log.1`."""

_SHORTEST_SECRET = 6
"""Shorter values are no keys, and striking them out would make the log unreadable."""

_TELLING = ("KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL")

_PASSWORD = re.compile(r"(://[^/\s:@]*:)[^/\s@]+@")
"""In an address, such as that of a proxy."""


def start_log(
    path: str, secrets: Iterable[str] = (), environ: Mapping[str, str] | None = None, largest: int = LARGEST
) -> None:
    """Log to `path` from now on, readable by its owner alone.

    Struck out are `secrets`, the passwords in addresses, and the values of all environment variables that hold a
    provider's key or whose name speaks of a secret. Raises `ConfigError` if the file cannot be written.
    """
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        handler = _PrivateFile(path, maxBytes=largest, backupCount=1, encoding="utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(f"cannot write the log {path}: {error.strerror}; leave out --debug") from error
    handler.setFormatter(Striking([*secrets, *environment_secrets(os.environ if environ is None else environ)]))
    for name in ("zot_provider", "zot_core", "zot_agent"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.DEBUG)
        logger.addHandler(handler)


def environment_secrets(environ: Mapping[str, str]) -> list[str]:
    """The values in the environment that must not be seen."""
    keys = {name for provider in PROVIDERS for name in provider.key_env}
    return [value for name, value in environ.items() if name in keys or any(word in name.upper() for word in _TELLING)]


class _PrivateFile(RotatingFileHandler):
    """A log for its owner alone, also after it began anew; what cannot be written, to a full disk, is dropped."""

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.chmod(self.baseFilename, 0o600)  # it may be older than this rule
        return open(descriptor, "a", encoding=self.encoding, errors=self.errors)

    def handleError(self, record: logging.LogRecord) -> None:
        pass


class Striking(logging.Formatter):
    """Writes `***` in place of secrets, in messages and tracebacks alike."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        bare = {each.strip() for each in secrets if len(each.strip()) >= _SHORTEST_SECRET}
        # A key with line breaks looks otherwise inside JSON. Longest first: one secret may be part of another.
        forms = bare | {json.dumps(each, ensure_ascii=False)[1:-1] for each in bare}
        self._secrets = sorted(forms, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """The line, or lines, of a record."""
        text = super().format(record)
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return _PASSWORD.sub(r"\1***@", text)
