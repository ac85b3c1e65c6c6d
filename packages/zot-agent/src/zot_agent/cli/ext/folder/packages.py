"""The Python packages that an extension needs, for `zot ext`."""

from zot_agent.cli.ext.terminal import inline, print_line
from zot_agent.config.paths import zot_home
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.python.environment import environment_of
from zot_agent.extensions.python.installer import install
from zot_agent.installers import InstallError


def print_packages(found: DiscoveredExtension) -> None:
    """Print which packages the extension needs. Raises `LaunchError` for what is no requirement."""
    environment = environment_of(found, zot_home())
    if environment is not None:
        print_line(f"  packages   {inline(', '.join(environment.requirements))}")


def set_up(found: DiscoveredExtension) -> bool:
    """Install the packages that the extension needs, and say so; return whether anything was missing. Raises
    `InstallError`, `LaunchError`."""
    environment = environment_of(found, zot_home())
    if environment is None or environment.complete:
        return False
    try:
        install(environment)
    except InstallError as error:
        raise InstallError(f"{inline(str(error))}; try again with: zot ext setup {inline(found.name)}") from error
    print_line(f"installed {inline(', '.join(environment.requirements))} in {environment.folder}")
    return True
