"""What `zot serve` and `zot acp` look at before they begin: their sessions come later, their mistakes are there now."""

from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.extensions.discover import discover
from zot_agent.host.build import choose_model, open_registry
from zot_agent.host.options import Options
from zot_agent.modes.output import print_error
from zot_core.runtime.resolve import builtin_tools_named
from zot_provider.errors import ConfigError, MissingKey
from zot_provider.router import open_client


def missing_extra(name: str) -> ConfigError:
    """The error of `zot NAME`, which needs the extra NAME."""
    extra = f"'zot-agent[{name}]'"
    return ConfigError(
        f"zot {name} needs an extra that is not installed: uv tool install {extra}, or pip install {extra}"
    )


async def check_options(options: Options) -> None:
    """Raises `ConfigError` for options with which no session could begin: names that nobody knows, a bad address.

    A missing key is no mistake yet, nor are missing weights of a model: both may come, or not be what a session asks
    for. Extensions that cannot be used are told of, as every mode tells of them.
    """
    builtin_tools_named(options.tools)
    home = zot_home()
    registry = open_registry(home)
    try:
        selection = choose_model(options, load_settings(home), registry, None)
    except MissingKey:
        selection = None
    if selection is not None and (selection.base_url or selection.provider.base_url):
        await open_client(selection.replace(key=selection.key or "to-come"), registry=registry).close()
    for problem in discover(options.extensions, options.cwd, home, installed=False).problems:
        print_error(f"extension in {problem.directory}: {problem.message}")
