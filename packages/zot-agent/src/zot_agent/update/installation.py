"""`installation`: how this zot was installed, and what updates it."""

import os
import sys
import sysconfig
from importlib import invalidate_caches, metadata

from zot_provider.files.regular_file import read_start
from zot_provider.json_text import read_object
from zot_provider.record import Record, field

PACKAGE = "zot-agent"

_UV_TOOL, _PIPX = "uv-receipt.toml", "pipx_metadata.json"
"""Files that uv and pipx write into the environment of a program."""

ADVICE = "zot-update.txt"
"""A file in the environment of zot with the command that a person runs to update it, in one line: what packs zot for
others to install, such as Homebrew or an image, writes it."""

_CACHE = "CACHEDIR.TAG"
"""Marks a folder as a cache (https://bford.info/cachedir/); uvx runs zot from one two folders below it."""


class Installation(Record):
    """`command` updates zot; it is empty if a person must do it, as `advice` says. `source` is the folder of a
    clone."""

    advice: str
    command: list[str] = field(default_factory=list)
    source: str = ""
    package: str = PACKAGE

    def version(self) -> str:
        """Return the version that the environment has now, which an installer may have changed; empty if none."""
        invalidate_caches()
        try:
            return metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return ""


def installation(prefix: str = sys.prefix, package: str = PACKAGE) -> Installation:
    """Return how the zot in the environment at `prefix` was installed."""
    try:
        files = metadata.distribution(package)
        installer = (files.read_text("INSTALLER") or "").strip()
        origin = read_object(files.read_text("direct_url.json") or "")
    except metadata.PackageNotFoundError:
        return _clone(os.path.dirname(os.path.abspath(__file__)))
    url = str(origin.get("url", ""))
    if url.startswith("file:"):
        return _clone(url.removeprefix("file://"))
    try:
        if packed := read_start(os.path.join(prefix, ADVICE), 200).decode("utf-8", "replace").strip():
            return Installation(f"run {packed}")
    except OSError:
        pass
    if os.path.exists(os.path.join(os.path.dirname(os.path.dirname(prefix)), _CACHE)):
        return Installation(f"run uvx {package}@latest")
    for name, command in ((_UV_TOOL, ["uv", "tool", "upgrade"]), (_PIPX, ["pipx", "upgrade"])):
        if os.path.exists(os.path.join(prefix, name)):
            return _runs([*command, package])
    if installer == "uv":
        return _runs(["uv", "pip", "install", "--python", sys.executable, "--upgrade", package])
    if installer != "pip":
        return Installation(f"update it with {installer or 'the program'} that installed it")
    pip = [sys.executable, "-m", "pip", "install", "--upgrade", package]
    managed = os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))
    if managed and prefix == sys.base_prefix:
        return Installation("the system manages this Python; install zot with uv tool install zot-agent")
    return _runs(pip)


def _clone(folder: str) -> Installation:
    return Installation(f"it was installed from {folder}; pull there, and install it again", source=folder)


def _runs(command: list[str]) -> Installation:
    from shlex import join  # noqa: PLC0415  not for the daily look

    return Installation(f"run {join(command)}", command)
