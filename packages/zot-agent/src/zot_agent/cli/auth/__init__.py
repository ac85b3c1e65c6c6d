"""`zot auth status|login|logout|move`: keys and sign-ins, without a screen."""

from typing import TYPE_CHECKING

from zot_agent.cli.verb import VerbTable
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.host.build import open_registry, use_network
from zot_agent.host.extensions import open_providers
from zot_agent.standard_error import print_error
from zot_provider.registry import ModelRegistry

if TYPE_CHECKING:
    from zot_agent.extensions.providers.provider_service import ServedProviders

run = VerbTable(
    "zot auth",
    "Show, add and remove the keys and sign-ins that zot uses. A key in an environment variable, or given with "
    "--api-key, comes before a stored one.",
    {
        "status": "zot_agent.cli.auth.status:print_status",
        "login": "zot_agent.cli.auth.login:log_in",
        "logout": "zot_agent.cli.auth.stored_keys:log_out",
        "move": "zot_agent.cli.auth.stored_keys:move_all",
    },
    "exit codes: 0 done, 1 not signed in, nothing to remove, or failed, 2 usage.",
    needed=True,
    stopped="stopped; nothing was stored",
)


def open_accounts() -> "tuple[ModelRegistry, ServedProviders | None]":
    """Return all providers, and what serves the ones of extensions. Problems of settings are reported."""
    home = zot_home()
    settings = load_settings(home)
    use_network(settings)
    for problem in settings.problems:
        print_error(problem)
    registry = open_registry(home)
    return registry, open_providers(registry)
