"""`zot ext enable NAME` and `zot ext disable NAME`: change whether an extension runs."""

import os
from collections.abc import Sequence

from zot_agent.cli.ext.folder.flag import write_enabled
from zot_agent.cli.ext.folder.names import NAME_HELP, pick_usable, project_choice, refuse_bundled
from zot_agent.cli.ext.folder.packages import set_up
from zot_agent.cli.ext.folder.permissions import print_permissions
from zot_agent.cli.ext.terminal import print_line
from zot_agent.cli.parser import Parser
from zot_agent.config.folder_trust import FolderTrust
from zot_agent.config.paths import zot_home
from zot_agent.extensions.discover import MANIFEST_FILE
from zot_agent.host.extension_grants import ExtensionGrants


def enable(arguments: Sequence[str]) -> int:
    """Let an extension run again, and allow what it may do; return 0."""
    return _switch("enable", arguments, enabled=True)


def disable(arguments: Sequence[str]) -> int:
    """Stop an extension from running, and the ones of the same name that it hides; return 0."""
    return _switch("disable", arguments, enabled=False)


def _switch(verb: str, arguments: Sequence[str], *, enabled: bool) -> int:
    parser = Parser(prog=f"zot ext {verb}", description=f"{verb.capitalize()} an extension in its own manifest.")
    parser.add_argument("name", metavar="NAME", help=NAME_HELP)
    found = pick_usable(parser.parse_args(list(arguments)).name)
    refuse_bundled(found)
    choice = project_choice()
    choice.find()
    grants = ExtensionGrants(zot_home())
    allowed = grants.decision(found)
    changed = write_enabled(found.directory, enabled)
    # It is the person who has changed the manifest: answers still hold.
    if changed and found.scope == "project" and choice.undecided is None:
        FolderTrust(zot_home()).accept(choice.folder, os.path.join(found.directory, MANIFEST_FILE))
    elif changed and allowed:
        grants.accept(found, os.path.join(found.directory, MANIFEST_FILE))
    if enabled and not allowed:
        print_permissions(found)
        grants.remember(found, allowed=True)
    print_line(f"{found.name} {'is now' if changed else 'was already'} {verb}d ({found.directory})")
    if enabled:
        set_up(found)
    if enabled and found.hidden_by:
        print_line(f"it does not run, because {found.hidden_by} has the same name")
    return 0
