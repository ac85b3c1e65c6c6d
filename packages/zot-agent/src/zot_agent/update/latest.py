"""The newest version of zot that the registry has, and a daily look for it."""

import asyncio
import json
import os
import re
import time
from collections.abc import Callable

from zot_agent.update.installation import Installation, installation
from zot_agent.version import __version__
from zot_provider.errors import ProtocolError, ZotError
from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import read_start
from zot_provider.files.replace_file import replace_file
from zot_provider.json_text import read_strict

REGISTRY = "https://pypi.org/pypi/zot-agent/json"
"""The JSON API of PyPI for the project; `info.version` is the newest version that is no pre-release."""

FILE = "update.json"
"""When zot last looked, in its home folder."""

DAY = 86_400.0
LIMIT = 10.0
"""Seconds for the registry to answer."""

_VERSION = re.compile(r"(\d{1,9}(?:\.\d{1,9}){0,5})([a-z0-9.+-]{0,40})", re.ASCII)


async def latest_version(url: str = REGISTRY, limit: float = LIMIT) -> str:
    """Ask the registry for the newest version. Raises `ProtocolError` if it does not answer, or with nonsense."""
    from zot_provider.transport.http import HttpTransport  # noqa: PLC0415  heavy, and rarely needed here

    transport = HttpTransport()
    try:
        document = await transport.get(url, {}, limit)
    except ZotError as error:
        raise ProtocolError(f"no version of zot could be read from {url}: {error}") from error
    finally:
        await transport.close()
    try:
        version = read_strict(document)["info"]["version"]
    except (ValueError, KeyError, TypeError):
        version = None
    if not isinstance(version, str) or _VERSION.fullmatch(version) is None:
        raise ProtocolError(f"{url} did not name a version")
    return version


def is_newer(version: str, than: str = __version__) -> bool:
    """Return whether a version is newer; a pre-release is older than its release."""
    return _order(version) > _order(than)


async def look_daily(
    home: str, url: str = REGISTRY, limit: float = LIMIT, *, installed: Callable[[], Installation] = installation
) -> str:
    """Return the newest version if it is newer than this one. Empty if not, if the registry cannot be asked, if zot has
    looked within a day, and for a clone, whose owner pulls."""
    path = os.path.join(home, FILE)
    if 0 <= time.time() - _last(path) < DAY:
        return ""
    try:
        make_private(home)
        replace_file(path, json.dumps({"looked": int(time.time())}).encode() + b"\n", mode=0o600)
        found = await asyncio.to_thread(installed)  # it reads files of the environment
        version = "" if found.source else await latest_version(url, limit)
    except (OSError, ZotError):  # a disk that cannot be written would mean a look at each start
        return ""
    return version if is_newer(version) else ""


def _last(path: str) -> float:
    """Return when zot last looked, in seconds since 1970."""
    try:
        looked = read_strict(read_start(path, 1000))["looked"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0
    return float(looked) if isinstance(looked, int) else 0.0


def _order(version: str) -> tuple[list[int], bool]:
    found = _VERSION.fullmatch(version)
    if found is None:
        return [], False
    numbers = [int(each) for each in found[1].split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    final = not found[2] or found[2].startswith((".post", "+"))
    return numbers, final
