"""`zot update`: installs the newest version of zot as it was installed, or says how."""

import shlex
import subprocess
import sys

from zot_agent.cli.verb import Verb
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.event_loop import run_in_loop
from zot_agent.host.build import use_network
from zot_agent.installers import installer_environment
from zot_agent.update.installation import Installation, installation
from zot_agent.update.latest import REGISTRY, is_newer, latest_version
from zot_agent.version import __version__
from zot_provider.errors import ZotError

INSTALL_LIMIT = 1800.0
"""Seconds after which the installer is ended."""


def install_newest(registry: str, found: Installation, *, check: bool) -> int:
    """Install the newest version of a registry, or with `check` only say how; return the exit code. Raises `ZotError`
    if that fails."""
    if found.source:
        _print(found.advice)
        return 0
    version = run_in_loop(latest_version(registry))
    if not is_newer(version):
        _print(f"zot {__version__} is up to date")
        return 0
    _print(f"zot {version} is available; this is {__version__}")
    if check or not found.command:
        _print(f"to update: {found.advice}")
        return 0
    _print(shlex.join(found.command))
    try:
        before = found.version()
        done = subprocess.run(found.command, env=installer_environment(), timeout=INSTALL_LIMIT, check=False)
        if done.returncode:
            return 1
    except FileNotFoundError:
        raise ZotError(f"{found.command[0]} is not on the PATH; {found.advice}") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ZotError(f"the installer did not finish: {error}; {found.advice}") from None
    if before and found.version() == before:  # the installer says neither that it did nothing nor why
        raise ZotError(
            f"zot is still {before}: the package index has nothing newer yet, or zot was installed with a version or "
            f"below one; then install {found.package} again without one, and update again"
        )
    return 0


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _update(*, check: bool = False) -> int:
    """Install the newest version of zot with the program that installed this one: uv, pipx or pip. Extensions are
    updated with zot ext update.

    --check: only say whether there is a newer version, and how

    exit codes: 0 up to date, updated, or advice is given, 1 failed, 2 usage
    """
    use_network(load_settings(zot_home()))
    return install_newest(REGISTRY, installation(), check=check)


run = Verb("zot update", _update, stopped="stopped; the installer may have to be started again")
