"""Finds an installed extension by its name, the name of its folder, or the path of its folder."""

import os
from typing import Annotated, TypeAlias

from zot_agent.config.paths import current_directory, zot_home
from zot_agent.config.settings import read_settings
from zot_agent.extensions.discover import DiscoveredExtension, Discovery, Problem
from zot_agent.host.extensions import ProjectChoice
from zot_agent.host.options import HostOptions
from zot_provider.errors import ConfigError, UnknownName

ExtensionName: TypeAlias = Annotated[str, "NAME|DIR: name of the extension, or name or path of its folder"]


def installed() -> Discovery:
    """Return the extensions of the project in the working directory, and the user's. Raises `ConfigError`."""
    return project_choice().find()


def project_choice() -> ProjectChoice:
    """Return what decides about the project in the working directory."""
    return ProjectChoice(HostOptions(), read_settings(zot_home()), current_directory(), can_ask=True, share=False)


def pick(name: str) -> DiscoveredExtension | Problem:
    """Return the installed extension that `name` means; a `Problem` if its manifest is invalid.

    Raises `UnknownName` with similar names, and `ConfigError` with the list of folders if `name` is ambiguous.
    """
    discovery = installed()
    everything: list[DiscoveredExtension | Problem] = [*discovery.found, *discovery.problems]
    matching = [each for each in everything if _matches(name, each)]
    if len(matching) > 1:
        folders = ", ".join(each.directory for each in matching)
        raise ConfigError(f"{name!r} could be any of {folders}; pass the path of one of them")
    if not matching:
        known = dict.fromkeys(each for one in everything for each in _names(one))
        raise UnknownName.among("extension", name, known, "" if known else "(no extension is installed)")
    return matching[0]


def pick_usable(name: str) -> DiscoveredExtension:
    """Like `pick`, but raise `ConfigError` for an extension with an invalid manifest."""
    found = pick(name)
    if isinstance(found, Problem):
        raise ConfigError(f"{found.directory}: {found.message}")
    return found


def refuse_bundled(found: DiscoveredExtension | Problem) -> None:
    """Raise `ConfigError` for a part of zot, which stays as it is."""
    if found.scope == "bundled":
        raise ConfigError(
            f"{display_name(found)} is a part of zot and runs where MCP servers are configured; zot mcp list shows them"
        )


def display_name(found: DiscoveredExtension | Problem) -> str:
    """Return the name of the extension, or of its folder if the manifest is invalid."""
    return found.name if isinstance(found, DiscoveredExtension) else os.path.basename(found.directory)


def _names(found: DiscoveredExtension | Problem) -> list[str]:
    return list(dict.fromkeys([display_name(found), os.path.basename(found.directory)]))


def _matches(name: str, found: DiscoveredExtension | Problem) -> bool:
    if os.path.basename(name) != name:
        return os.path.abspath(os.path.expanduser(name)) == found.directory
    return name in _names(found)
