"""What a person calls an extension: the name in its manifest, that of its folder, or the path of its folder."""

import os

from zot_agent.config.paths import current_directory, zot_home
from zot_agent.extensions.discover import DiscoveredExtension, Discovery, Problem, discover
from zot_provider.errors import ConfigError, UnknownName


def installed() -> Discovery:
    """The extensions of the project in the working directory, and the person's own. Raises `ConfigError`."""
    return discover([], current_directory(), zot_home())


def pick(name: str) -> DiscoveredExtension | Problem:
    """The one installed extension that `name` means; a `Problem` is one whose manifest cannot be used.

    Raises `UnknownName` with near names, `ConfigError` listing the folders where it could mean several.
    """
    discovery = installed()
    everything: list[DiscoveredExtension | Problem] = [*discovery.found, *discovery.problems]
    matching = [each for each in everything if _means(name, each)]
    if len(matching) > 1:
        folders = ", ".join(each.directory for each in matching)
        raise ConfigError(f"{name!r} could be any of {folders}; say which by its path")
    if not matching:
        known = dict.fromkeys(each for one in everything for each in _names(one))
        raise UnknownName.among("extension", name, known, "" if known else "(no extension is installed)")
    return matching[0]


def pick_usable(name: str) -> DiscoveredExtension:
    """As `pick`; raises `ConfigError` for one whose manifest cannot be used."""
    found = pick(name)
    if isinstance(found, Problem):
        raise ConfigError(f"{found.directory}: {found.message}")
    return found


def title(found: DiscoveredExtension | Problem) -> str:
    """What to call it in a line."""
    return found.name if isinstance(found, DiscoveredExtension) else os.path.basename(found.directory)


def _names(found: DiscoveredExtension | Problem) -> list[str]:
    return list(dict.fromkeys([title(found), os.path.basename(found.directory)]))


def _means(name: str, found: DiscoveredExtension | Problem) -> bool:
    if os.path.basename(name) != name:
        return os.path.abspath(os.path.expanduser(name)) == found.directory
    return name in _names(found)
