"""`zot ext enable NAME` and `zot ext disable NAME`: change whether an extension runs."""

import os
from collections.abc import Sequence

from zot_agent.cli.ext.folder.flag import write_enabled
from zot_agent.cli.ext.folder.names import NAME_HELP, pick_usable, project_choice
from zot_agent.cli.ext.terminal import print_line
from zot_agent.cli.parser import Parser
from zot_agent.config.folder_trust import FolderTrust
from zot_agent.config.paths import zot_home
from zot_agent.extensions.discover import MANIFEST_FILE


def enable(arguments: Sequence[str]) -> int:
    """Let an extension run again; return 0."""
    return _switch("enable", arguments, enabled=True)


def disable(arguments: Sequence[str]) -> int:
    """Stop an extension from running, and those of the same name that it hides; return 0."""
    return _switch("disable", arguments, enabled=False)


def _switch(verb: str, arguments: Sequence[str], *, enabled: bool) -> int:
    parser = Parser(prog=f"zot ext {verb}", description=f"{verb.capitalize()} an extension in its own manifest.")
    parser.add_argument("name", metavar="NAME", help=NAME_HELP)
    found = pick_usable(parser.parse_args(list(arguments)).name)
    choice = project_choice()
    choice.find()
    changed = write_enabled(found.directory, enabled)
    if changed and found.scope == "project" and choice.undecided is None:
        # The answer still holds: it is the person who has changed the manifest.
        FolderTrust(zot_home()).accept(choice.folder, os.path.join(found.directory, MANIFEST_FILE))
    print_line(f"{found.name} {'is now' if changed else 'was already'} {verb}d ({found.directory})")
    if enabled and found.hidden_by:
        print_line(f"it does not run, because {found.hidden_by} has the same name")
    return 0
