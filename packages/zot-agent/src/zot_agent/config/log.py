"""The log of `--debug`, with secrets redacted."""

import json
import logging
import os
import re
from collections.abc import Iterable, Mapping
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler

from zot_provider.auth.secrets import seen_secrets
from zot_provider.errors import ConfigError
from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import open_regular
from zot_provider.providers import PROVIDERS

MAX_BYTES = 10 << 20
"""Bytes at which the log is rotated; the previous file is kept as `zot.log.1`."""

_SHORTEST_SECRET = 6
"""Characters. Shorter values are not keys, and redacting them would make the log unreadable."""

_SECRET_WORDS = ("KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "BEARER")
"""A variable with one of these in its name holds a secret."""

_SECRET_PARTS = {"PW", "PWD", "PAT", "CRED", "CREDS", "JWT", "DSN", "PIN", "PSK", "COOKIE"}
"""So does a variable with one of these as a part of its name, between underscores; a working directory does not."""

_KNOWN_SECRET = re.compile(
    r"\b(?:sk-|gh[oprsu]_|github_pat_|glpat-|xox[abprs]-|hf_|npm_|pypi-|AKIA|AIza|eyJ[\w-]{10,}\.)[\w.-]{12,}"
)
"""Text that looks like a key or a token of a well-known service, wherever it comes from."""

_PASSWORD = re.compile(r"(://[^/\s:@]*:)[^/\s@]+@")
"""The password in a URL, such as the address of a proxy."""


def start_log(
    path: str, secrets: Iterable[str] = (), environ: Mapping[str, str] | None = None, max_bytes: int = MAX_BYTES
) -> None:
    """Log to `path` from now on. Only the owner can read the file.

    Redacted are `secrets`, stored keys and tokens, passwords in URLs, what looks like a key of a well-known service,
    and the values of all environment variables that hold a provider's key or whose name suggests a secret. Raises
    `ConfigError` if the file cannot be written.
    """
    try:
        make_private(os.path.dirname(path))
        handler = _PrivateFile(path, maxBytes=max_bytes, backupCount=1, encoding="utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(f"cannot write the log {path}: {error.strerror}; leave out --debug") from error
    variables = os.environ if environ is None else environ
    handler.setFormatter(RedactingFormatter([*secrets, *environment_secrets(variables)]))
    for name in ("zot_provider", "zot_core", "zot_agent", "uvicorn"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.DEBUG)
        logger.addHandler(handler)


def environment_secrets(environ: Mapping[str, str]) -> list[str]:
    """List the values of environment variables that hold secrets."""
    keys = {name for provider in PROVIDERS for name in provider.key_env}
    return [value for name, value in environ.items() if name in keys or _is_secret(name.upper())]


def _is_secret(name: str) -> bool:
    if name in ("PWD", "OLDPWD"):
        return False
    return any(word in name for word in _SECRET_WORDS) or not _SECRET_PARTS.isdisjoint(name.split("_"))


class _PrivateFile(RotatingFileHandler):
    """A log that only its owner can read, also after rotation. Lines that cannot be written, e.g. because the disk is
    full, are dropped."""

    def _open(self) -> TextIOWrapper:
        descriptor = open_regular(self.baseFilename, os.O_WRONLY | os.O_APPEND, create=True)
        os.chmod(self.baseFilename, 0o600)  # it may be older than this rule
        return open(descriptor, "a", encoding=self.encoding, errors=self.errors)

    def handleError(self, record: logging.LogRecord) -> None:
        pass


class Redactor:
    """Replaces `secrets` in texts by `***`, and stored keys, passwords in URLs, what looks like a key of a well-known
    service."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._given = {each.strip() for each in secrets if len(each.strip()) >= _SHORTEST_SECRET}
        self._stored: frozenset[str] = frozenset()
        self._secrets = _forms(self._given)

    def __call__(self, text: str) -> str:
        """Return `text` without secrets."""
        if (stored := seen_secrets()) != self._stored:  # read from the store, or refreshed, since the last text
            self._stored, self._secrets = stored, _forms(self._given | stored)
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return _KNOWN_SECRET.sub("***", _PASSWORD.sub(r"\1***@", text))


class RedactingFormatter(logging.Formatter):
    """Replaces secrets in messages and in tracebacks."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")
        self._redacted = Redactor(secrets)

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as one or more lines, without secrets."""
        return self._redacted(super().format(record))


def _forms(secrets: Iterable[str]) -> list[str]:
    """Return secrets as they are and as they are in JSON, where a key with line breaks is escaped. Longest first,
    because one may be part of another."""
    bare = set(secrets)
    return sorted(bare | {json.dumps(each, ensure_ascii=False)[1:-1] for each in bare}, key=len, reverse=True)
