"""The permissions of an extension in words, and the question about them, for `zot ext`."""

from zot_agent.cli.ext.terminal import can_ask, confirm, inline, print_line
from zot_agent.config.paths import zot_home
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.permissions.lines import NOTHING, permission_lines
from zot_agent.host.extension_grants import ExtensionGrants


def print_permissions(found: DiscoveredExtension) -> None:
    """Print what the extension may do, and what of it is new or has changed."""
    changes = ExtensionGrants(zot_home()).changes(found)
    lines = [("may", line) for line in permission_lines(found.manifest)] or [("may", NOTHING)]
    for topic, line in [*lines, *(("", change) for change in changes)]:
        print_line(f"  {topic.ljust(10)} {inline(line)}")


def ask_for_permissions(found: DiscoveredExtension, *, yes: bool = False) -> bool:
    """Have the person allow what the extension may do, if they must be asked; with `yes` they have. Return whether it
    may start. Raises `ConfigError` if the answer cannot be stored."""
    grants = ExtensionGrants(zot_home())
    decision = grants.decision(found)
    if decision is None and (yes or can_ask()):
        decision = yes or confirm(f"let {inline(found.name)} do this?")
        grants.remember(found, allowed=decision)
    return bool(decision)


def ask_again(found: DiscoveredExtension) -> bool:
    """Show what the extension may do now and ask, if it needs another answer than before. Return whether it may start.
    Raises `ConfigError`."""
    if ExtensionGrants(zot_home()).decision(found) is None:
        print_permissions(found)
    return ask_for_permissions(found)


def permissions_value(found: DiscoveredExtension) -> dict[str, object] | None:
    """Return the permissions for JSON; None for everything."""
    given = found.manifest.permissions
    return None if given is None else {name: getattr(given, name) for name in given.__fields__}
