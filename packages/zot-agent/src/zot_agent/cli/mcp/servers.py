"""The servers that files name, as `zot mcp` shows and changes them."""

import json
import os
from typing import Any

from zot_agent.cli.ext.terminal import inline
from zot_agent.config.mcp_files import PROJECT_FILES, mcp_files, personal_file
from zot_agent.config.paths import current_directory, zot_home
from zot_agent.config.settings import load_settings
from zot_agent.extensions.declared.bundled import bundled_mcp
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.python.environment import environment_of
from zot_agent.host.extensions import ProjectChoice
from zot_agent.host.options import HostOptions
from zot_agent.mcp.server_files import KEY, ConfigProblem, read_file
from zot_provider.errors import ConfigError
from zot_provider.files.replace_file import replace_file
from zot_provider.json_file import read_json_object
from zot_provider.record import Record


class NamedServer(Record):
    """A server as a file has it; `state` says whether zot uses it: `on`, `off`, `hidden` or `untrusted`."""

    name: str
    path: str
    given: dict[str, Any]
    state: str

    @property
    def what(self) -> str:
        """A description without variables and headers, which may be secrets."""
        words = [self.given.get("url") or self.given.get("command") or "", *(self.given.get("args") or [])]
        return inline(" ".join(map(str, words)))


def named_servers() -> tuple[list[NamedServer], list[str]]:
    """Return all servers that are named for the working directory, in the order of precedence, and lines about files
    that cannot be read."""
    here, home = current_directory(), zot_home()
    trusted = project_trusted()
    found: list[NamedServer] = []
    problems: list[str] = []
    taken: set[str] = set()
    for path in mcp_files(here, home, project=True):
        usable = trusted or path == personal_file(home)
        try:
            servers = read_file(path)
        except ConfigProblem as error:
            problems.append(str(error))
            continue
        for name, given in servers.items():
            fields = given if isinstance(given, dict) else {}
            off = "off" if fields.get("disabled") is True else ""
            state = "untrusted" if not usable else "hidden" if name in taken else off or "on"
            found.append(NamedServer(name, path, fields, state))
            if usable:
                taken.add(name)
    return found, problems


def project_trusted() -> bool:
    """Return whether what the project in the working directory brings is used."""
    choice = ProjectChoice(HostOptions(), load_settings(zot_home()), current_directory(), can_ask=True)
    choice.find()
    return choice.trusted


def usable_files() -> list[str]:
    """Return the files whose servers are used in the working directory."""
    return mcp_files(current_directory(), zot_home(), project=project_trusted())


def chosen_file(*, project: bool) -> str:
    """Return the file that a command changes: the person's own, or that of the project."""
    return os.path.join(current_directory(), PROJECT_FILES[1]) if project else personal_file(zot_home())


def change(path: str, name: str, given: dict[str, Any] | None) -> None:
    """Write a server into a file, or remove it with None; all else in the file stays. Raises `ConfigError`."""
    content = dict(read_json_object(path))
    servers = content.get(KEY, {})
    if not isinstance(servers, dict):
        raise ConfigError(f"{path}: {KEY} is not an object")
    others = {each: value for each, value in servers.items() if each != name}
    content[KEY] = others if given is None else {**servers, name: given}
    with ConfigError.of_system(f"cannot write {path}"):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # It may have tokens in it: only its owner reads the person's own.
        mode = None if os.path.exists(path) or os.path.dirname(path) != zot_home() else 0o600
        replace_file(
            os.path.realpath(path), (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode(), mode=mode
        )


def extension(files: list[str] | None = None) -> DiscoveredExtension:
    return bundled_mcp(files or [])


def python() -> str:
    """Return the Python that has the package `mcp`. Raises `ConfigError` if it is not installed."""
    environment = environment_of(extension(), zot_home())
    assert environment is not None
    if not environment.complete:
        raise ConfigError("the Python packages for MCP are not installed; run: zot ext setup mcp")
    return environment.python
