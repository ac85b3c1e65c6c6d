"""`zot update`: installs the newest version of zot as it was installed, or says how."""

import shlex
import subprocess
import sys
from collections.abc import Sequence

from zot_agent.cli.parser import Parser, subcommand
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.event_loop import run_in_loop
from zot_agent.host.build import use_network
from zot_agent.installers import installer_environment
from zot_agent.update.installation import Installation, installation
from zot_agent.update.latest import REGISTRY, is_newer, latest_version
from zot_agent.version import __version__
from zot_provider.errors import ConfigError, ZotError

INSTALL_LIMIT = 1800.0
"""Seconds after which the installer is ended."""


def build_parser() -> Parser:
    parser = Parser(
        prog="zot update",
        description="Install the newest version of zot with the program that installed this one: uv, pipx or pip. "
        "Extensions are updated with zot ext update.",
        epilog="exit codes: 0 up to date, updated, or advice is given, 1 failed, 2 usage",
    )
    parser.add_argument("--check", action="store_true", help="only say whether there is a newer version, and how")
    return parser


@subcommand(stopped="stopped; the installer may have to be started again")
def run(arguments: Sequence[str], registry: str = REGISTRY, found: Installation | None = None) -> int:
    """Run `zot update` with `arguments` (those after `update`) and return the exit code."""
    given, words = build_parser().parse_known_args(list(arguments))
    if words:
        raise ConfigError(f"zot update takes no words; a prompt is sent with zot -- update {' '.join(words)}")
    use_network(load_settings(zot_home()))
    return _update(registry, found or installation(), check=given.check)


def _update(registry: str, found: Installation, *, check: bool) -> int:
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
