"""Checks of `zot serve` and `zot acp` at start-up, so that wrong options fail at once and not in the first session."""

from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.host.build import check_named, open_registry
from zot_agent.host.extensions import ProjectChoice, open_providers
from zot_agent.host.folder import choose_model
from zot_agent.host.options import HostOptions, working_directory
from zot_agent.host.permissions import PermissionFiles
from zot_agent.host.workspace import choose_agents
from zot_core.runtime.resolve import builtin_tools_named
from zot_provider.errors import ConfigError, MissingKey
from zot_provider.router import open_client


def missing_extra(name: str) -> ConfigError:
    """Return the error of `zot NAME` without the extra NAME."""
    extra = f"'zot-agent[{name}]'"
    return ConfigError(
        f"zot {name} needs an extra that is not installed; run uv tool install {extra} or pip install {extra}"
    )


async def check_options(options: HostOptions) -> None:
    """Raise `ConfigError` for options and settings with which no session could start, such as unknown names, a bad
    address, or a file that may hold something back and cannot be read.

    A missing key and missing weights of a model are accepted: they may arrive later, or sessions may use another model.
    """
    builtin_tools_named(options.tools)
    home, cwd = zot_home(), working_directory(options.cwd)
    choice = ProjectChoice(options, load_settings(home, ignore=options.ignore_settings), cwd)
    check_named(options, choice.find())
    settings = choice.load()
    choice.hooks(settings)
    PermissionFiles(home, cwd).open(options, settings)
    choose_agents(settings, cwd, home, trusted=choice.trusted)
    registry = open_registry(home)
    open_providers(registry, options)
    try:
        selection = choose_model(options, settings, registry, None)
    except MissingKey:
        selection = None
    if selection is not None and (selection.base_url or selection.provider.base_url):
        await open_client(selection.replace(key=selection.key or "to-come"), registry=registry).close()
