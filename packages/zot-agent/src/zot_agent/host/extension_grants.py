"""`ExtensionGrants`: what the person has answered about installed extensions whose manifests have `permissions`.

An extension without them starts without a question, as it always did. But if the person was once asked about it, they
are asked again: a manifest that loses its permissions asks for everything. The extensions of a project are part of the
question about the project, and who names a folder with `--ext` has allowed it.
"""

import os

from zot_agent.config.folder_trust import FolderContent, FolderTrust
from zot_agent.config.paths import asked_mark
from zot_agent.extensions.discover import DiscoveredExtension, own_files
from zot_agent.extensions.permissions.lines import permission_lines
from zot_provider.errors import ConfigError


class ExtensionGrants:
    """The answers in zot's own folder, `home`; they hold for the present manifest and program of an extension."""

    def __init__(self, home: str) -> None:
        self._home, self._trust = home, FolderTrust(home)

    def decision(self, found: DiscoveredExtension) -> bool | None:
        """Return whether the extension may start; None if the person must be asked."""
        if found.scope != "global" or not found.manifest.exec:
            return True
        if found.manifest.permissions is None and not self._trust.knows(os.path.realpath(found.directory)):
            return True
        return self._trust.decision(_content(found))

    def changes(self, found: DiscoveredExtension) -> list[str]:
        """List what has changed since the person allowed the extension: what it may do that it might not, and files."""
        content = _content(found)
        new = [f"new: {line}" for line in self._trust.new_lines(content)]
        return new + [f"changed: {name}" for name in self._trust.changes(content)]

    def remember(self, found: DiscoveredExtension, *, allowed: bool) -> None:
        """Store the answer. Raises `ConfigError`."""
        self._trust.remember(_content(found), allowed=allowed)
        path = asked_mark(self._home)
        with ConfigError.of_system(f"cannot write {path}"):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))

    def accept(self, found: DiscoveredExtension, path: str) -> None:
        """Let the answer, if there is one, cover a file that the person has changed with zot. Raises `ConfigError`."""
        self._trust.accept(os.path.realpath(found.directory), path)

    def forget(self, found: DiscoveredExtension) -> None:
        """Remove the answer, because the extension is removed. Raises `ConfigError`."""
        self._trust.forget(os.path.realpath(found.directory))


def _content(found: DiscoveredExtension) -> FolderContent:
    folder = os.path.realpath(found.directory)
    return FolderContent(folder, own_files(found), [folder], permission_lines(found.manifest), "start it with --ext")
