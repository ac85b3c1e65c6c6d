"""The service that continues interrupted runs after a restart: a unit of systemd for the user, or a job of launchd."""

import os
import plistlib
import sys
from collections.abc import Mapping

from zot_provider.errors import ConfigError
from zot_provider.files.private_folder import make_private
from zot_provider.files.replace_file import replace_file
from zot_provider.record import Record

_COMMAND = ("-m", "zot_agent", "runs", "resume", "--all")
_VARIABLES = ("ZOT_HOME", "XDG_STATE_HOME", "PATH")
_LABEL = "zot.runs"


class Service(Record):
    """A file of the system that starts programs, and the command that makes the system read it."""

    path: str
    content: bytes
    enable: str


def service(environ: Mapping[str, str] | None = None, platform: str = sys.platform) -> Service:
    """Return the service for this zot, with the variables that say where its files are. Raises `ConfigError` where the
    system has neither."""
    env = os.environ if environ is None else environ
    kept = {name: env[name] for name in _VARIABLES if env.get(name)}
    home = os.path.expanduser("~")
    if platform == "darwin":
        path = os.path.join(home, "Library", "LaunchAgents", f"{_LABEL}.plist")
        job = {"Label": _LABEL, "ProgramArguments": [sys.executable, *_COMMAND], "RunAtLoad": True}
        return Service(path, plistlib.dumps({**job, "EnvironmentVariables": kept}), f"launchctl load {path}")
    if platform.startswith("linux"):
        config = env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        path = os.path.join(config, "systemd", "user", "zot-runs.service")
        return Service(path, _unit(kept).encode(), "systemctl --user enable --now zot-runs.service")
    raise ConfigError("a service for runs needs systemd or launchd; run zot runs resume --all after a restart")


def write_service(found: Service) -> None:
    """Write the file. Raises `ConfigError`."""
    with ConfigError.of_system(f"cannot write {found.path}"):
        make_private(os.path.dirname(found.path))
        replace_file(found.path, found.content, mode=0o600)


def _unit(variables: Mapping[str, str]) -> str:
    return "\n".join([
        "[Unit]",
        "Description=Continue interrupted runs of zot",
        "After=network-online.target",
        "",
        "[Service]",
        f"ExecStart={' '.join(map(_quoted, [sys.executable, *_COMMAND]))}",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in variables.items()),
        "Restart=on-failure",
        "RestartSec=10",
        "TimeoutStopSec=60",
        "",
        "[Install]",
        "WantedBy=default.target",
        "",
    ])  # fmt: skip


def _quoted(word: str) -> str:
    """Return a word as systemd reads it."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$").replace("\n", "")
    return f'"{escaped}"'
