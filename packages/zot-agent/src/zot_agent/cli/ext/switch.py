"""`zot ext enable NAME` and `zot ext disable NAME`."""

from collections.abc import Sequence

from zot_agent.cli.ext.folder.flag import write_enabled
from zot_agent.cli.ext.folder.names import pick_usable
from zot_agent.cli.ext.terminal import say
from zot_agent.cli.parser import Parser
from zot_agent.config.paths import zot_home
from zot_agent.extensions.trust import Trust


def enable(arguments: Sequence[str]) -> int:
    """Let an extension run again; 0."""
    return _switch("enable", arguments, enabled=True)


def disable(arguments: Sequence[str]) -> int:
    """Keep an extension from running, and those of the same name that it hides; 0."""
    return _switch("disable", arguments, enabled=False)


def _switch(verb: str, arguments: Sequence[str], *, enabled: bool) -> int:
    parser = Parser(prog=f"zot ext {verb}", description=f"{verb.capitalize()} an extension in its own manifest.")
    parser.add_argument("name", metavar="NAME", help="its name, or that or the path of its folder")
    found = pick_usable(parser.parse_args(list(arguments)).name)
    trust = Trust(zot_home())
    decision = trust.decision(found) if found.scope == "project" else None
    changed = write_enabled(found.directory, enabled)
    if changed and decision is not None:  # what was said still holds: the manifest was changed by who said it
        trust.remember(found, decision)
    say(f"{found.name} {'is' if changed else 'was'} {verb}d{'' if changed else ' already'} ({found.directory})")
    if enabled and found.hidden_by:
        say(f"it does not run, as {found.hidden_by} has the name before it")
    return 0
