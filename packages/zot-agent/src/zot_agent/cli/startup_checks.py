"""Checks of `zot serve` and `zot acp` at start-up, so that wrong options fail at once and not in the first session."""

from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.extensions.discover import discover
from zot_agent.host.build import choose_model, open_registry
from zot_agent.host.extensions import open_providers
from zot_agent.host.options import HostOptions
from zot_agent.standard_error import print_error
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
    """Raise `ConfigError` for options with which no session could start, such as unknown names or a bad address.

    A missing key and missing weights of a model are accepted: they may arrive later, or sessions may use another model.
    Extensions that cannot be used are reported, as in every mode.
    """
    builtin_tools_named(options.tools)
    home = zot_home()
    registry = open_registry(home)
    open_providers(registry, options)
    try:
        selection = choose_model(options, load_settings(home), registry, None)
    except MissingKey:
        selection = None
    if selection is not None and (selection.base_url or selection.provider.base_url):
        await open_client(selection.replace(key=selection.key or "to-come"), registry=registry).close()
    for problem in discover(options.extensions, options.cwd, home, installed=False).problems:
        print_error(f"extension in {problem.directory}: {problem.message}")
