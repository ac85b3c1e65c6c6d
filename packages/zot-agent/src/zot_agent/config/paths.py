"""The folders of zot; the only module that reads `$ZOT_HOME`."""

import os
import sys
from collections.abc import Mapping

from zot_provider.errors import ConfigError

RULES_FILE = "permissions.json"
"""Zot's own rules, in its home folder."""


def zot_home(environ: Mapping[str, str] | None = None) -> str:
    """Return the folder for sessions, extensions and settings: `$ZOT_HOME`, else `$XDG_STATE_HOME/zot` on any platform,
    else the platform's default: `~/Library/Application Support/zot`, `%LOCALAPPDATA%\\zot`, `~/.local/state/zot`.

    These are the rules of the Go zot, whose files zot shares (platformdirs has different rules, and costs 10 ms).
    """
    env = os.environ if environ is None else environ
    if home := env.get("ZOT_HOME"):
        return os.path.abspath(os.path.expanduser(home))
    if state := env.get("XDG_STATE_HOME"):
        return os.path.join(os.path.abspath(state), "zot")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/zot")
    if sys.platform == "win32":
        return os.path.join(env.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local"), "zot")
    return os.path.expanduser("~/.local/state/zot")


def sessions_root() -> str:
    return os.path.join(zot_home(), "sessions")


def checkpoints_root() -> str:
    """Return the folder of the files that agents changed, as they were before."""
    return os.path.join(zot_home(), "checkpoints")


def worktrees_root() -> str:
    """Return the folder of the worktrees in which agents change files beside the person."""
    return os.path.join(zot_home(), "worktrees")


def runs_root() -> str:
    return os.path.join(zot_home(), "runs")


def models_folder() -> str:
    """Return the folder for the weights of models that run in this process."""
    return os.path.join(zot_home(), "models")


def current_directory() -> str:
    """Return the working directory of this process. Raises `ConfigError` if it was deleted."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise ConfigError("the current directory no longer exists; change to another one") from None


def asked_mark(home: str) -> str:
    """Return the path of a file that exists in zot's own folder `home` once the person was asked what an extension may
    do. Without it, and without permissions, a start need not look up any answer."""
    return os.path.join(home, "trust", "asked-about-extensions")
