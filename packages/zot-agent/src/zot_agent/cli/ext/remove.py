"""`zot ext remove NAME`: deletes the folder of an extension, or only the link if it is one."""

import os
import shutil

from zot_agent.cli.ext.folder import staging as folder
from zot_agent.cli.ext.folder.names import ExtensionName, display_name, pick, refuse_bundled
from zot_agent.cli.ext.terminal import can_ask, confirm, inline, print_line
from zot_agent.config.paths import zot_home
from zot_agent.extensions.discover import DiscoveredExtension
from zot_agent.extensions.python.environment import environments_folder
from zot_agent.host.extension_grants import ExtensionGrants
from zot_provider.errors import ConfigError


def remove(name: ExtensionName, *, yes: bool = False) -> int:
    """Delete the folder of an extension, with all files in it (also: rm).

    -y, --yes: do not ask for confirmation
    """
    found = pick(name)
    refuse_bundled(found)
    shown, directory = inline(display_name(found)), found.directory
    linked = os.readlink(directory) if os.path.islink(directory) else ""
    what = f"the link {directory}" if linked else f"{directory} and everything in it"
    if not yes:
        if not can_ask():
            raise ConfigError(f"this deletes {what}; there is no terminal to ask on, so confirm it with --yes")
        if not confirm(f"delete {inline(what)}?"):
            print_line(f"{shown} was not removed")
            return 1
    packages = environments_folder(found, zot_home()) if isinstance(found, DiscoveredExtension) else ""
    with ConfigError.of_system(f"cannot delete {directory}"):
        if linked:
            os.unlink(directory)
        else:
            # Once renamed, zot no longer finds the extension, even if deleting fails.
            with folder.staging(os.path.dirname(directory)) as aside:
                os.rename(directory, aside)
    if isinstance(found, DiscoveredExtension):
        ExtensionGrants(zot_home()).forget(found)
        shutil.rmtree(packages, ignore_errors=True)
    print_line(f"{shown} was removed" + (f"; {linked} was not changed" if linked else ""))
    return 0
