"""Checks of the values of single settings. They raise ValueError, whose text says what was expected, unless they say
otherwise."""

import os
import re
from collections.abc import Mapping
from typing import Any

from zot_core.permission_mode import MODES
from zot_provider.errors import ConfigError
from zot_provider.transport.proxies import checked


def proxy(text: str) -> str:
    """Return the address of a proxy. The message does not quote it, because it may contain a password."""
    try:
        checked(text)
    except ConfigError:
        raise ValueError("expected an address such as http://HOST:PORT or socks5://HOST:PORT") from None
    return text


def host(text: str) -> None:
    from zot_core.machine.hosts import HostPattern  # noqa: PLC0415  few people name hosts

    try:
        HostPattern(text)
    except ValueError as error:
        raise ValueError(f"{text!r:.60} is not a host such as pypi.org or *.github.com: {error}") from None


def variable(text: str) -> None:
    """Check the name of a variable of the environment."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        raise ValueError(f"{text!r:.60} is not the name of a variable")


def permissions(value: Mapping[str, Any], source: str) -> None:
    """Check the rules and the mode of a file. Raises `ConfigError`."""
    if list(value) != ["mode"] or value["mode"] not in MODES:  # a mode alone is all that most people have
        from zot_core.permissions.rule import parse_permissions  # noqa: PLC0415  few people have rules

        parse_permissions(value, source)


def retry(value: Mapping[str, Any], source: str) -> None:
    """Check how calls are repeated. Raises `ConfigError`."""
    from zot_agent.config.retry import retry_policy  # noqa: PLC0415  few people set it

    try:
        retry_policy(value)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None


def pi(value: Mapping[str, Any], source: str) -> None:
    """Check the names in `pi`. Raises `ConfigError`."""
    if unknown := [name for name in value if name not in ("folders", "separate")]:
        raise ConfigError(f"{source}: pi: there is no {unknown[0]!r:.60}; it has folders, separate")


def authorities(text: str) -> str:
    """Return the path of a file of authorities, which must have a certificate."""
    path = os.path.expanduser(text)
    if not os.path.isfile(path):
        raise ValueError(f"there is no file {path}")
    with open(path, "rb") as file:
        if b"CERTIFICATE-----" not in file.read():
            raise ValueError(f"there is no certificate in {path}")
    return path
