"""`zot ext enable NAME` and `zot ext disable NAME`: change whether an extension runs."""

import os

from zot_agent.cli.ext.folder.flag import write_enabled
from zot_agent.cli.ext.folder.names import ExtensionName, pick_usable, project_choice, refuse_bundled
from zot_agent.cli.ext.folder.packages import set_up
from zot_agent.cli.ext.folder.permissions import print_permissions
from zot_agent.cli.ext.terminal import print_line
from zot_agent.config.folder_trust import FolderTrust
from zot_agent.config.paths import zot_home
from zot_agent.extensions.discover import MANIFEST_FILE
from zot_agent.host.extension_grants import ExtensionGrants


def enable(name: ExtensionName) -> int:
    """Let an extension run again, and allow what it may do."""
    return _switch(name, enabled=True)


def disable(name: ExtensionName) -> int:
    """Keep an extension but do not run it, nor the ones of the same name that it hides."""
    return _switch(name, enabled=False)


def _switch(name: str, *, enabled: bool) -> int:
    """Change an extension in its own manifest."""
    found = pick_usable(name)
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
    state = f"{'is now' if changed else 'was already'} {'enabled' if enabled else 'disabled'}"
    print_line(f"{found.name} {state} ({found.directory})")
    if enabled:
        set_up(found)
    if enabled and found.hidden_by:
        print_line(f"it does not run, because {found.hidden_by} has the same name")
    return 0
