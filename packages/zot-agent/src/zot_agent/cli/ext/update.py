"""`zot ext update [NAME]`: updates extensions that were cloned with git, if no local change is lost."""

import os

from zot_agent.cli.ext.folder import staging as folder
from zot_agent.cli.ext.folder.clone import Clone, open_clone
from zot_agent.cli.ext.folder.flag import with_enabled, write_enabled
from zot_agent.cli.ext.folder.git import GitError
from zot_agent.cli.ext.folder.names import installed, pick_usable, refuse_bundled
from zot_agent.cli.ext.folder.needs import needs
from zot_agent.cli.ext.folder.packages import set_up
from zot_agent.cli.ext.folder.permissions import ask_again
from zot_agent.cli.ext.terminal import inline, print_line
from zot_agent.extensions.discover import MANIFEST_BYTES, MANIFEST_FILE, DiscoveredExtension
from zot_agent.signals import ignore_stop_signals
from zot_agent.standard_error import print_error
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_regular
from zot_provider.files.replace_file import replace_file


def update(name: str = "") -> int:
    """Update extensions installed with git. Local changes are kept; if they conflict with the new version, nothing is
    changed.

    NAME: the extension (default: all)
    """
    if name:
        refuse_bundled(found := pick_usable(name))
        _update(found)
        return 0
    cloned = [each for each in installed().found if _not_updatable(each) == ""]
    if not cloned:
        print_line("no extension was installed with git")
    code = 0
    for each in cloned:
        try:
            _update(each)
        except ConfigError as error:
            print_error(str(error))
            code = error.exit_code
    return code


def _not_updatable(found: DiscoveredExtension) -> str:
    """Return why the extension cannot be updated; empty for a clone."""
    if os.path.islink(found.directory):
        return f"{found.directory} is a link to {os.readlink(found.directory)}: update it there"
    if os.path.isdir(os.path.join(found.directory, ".git")):
        return ""
    source = folder.copied_from(found.directory)
    again = f"zot ext remove {found.name}, then zot ext install {source or 'PATH'}"
    return f"{found.name} was copied{f' from {source}' if source else ''}, not cloned; to update it: {again}"


def _update(found: DiscoveredExtension) -> None:
    """Update one clone and report it. Raises `ConfigError`; the folder is unchanged then."""
    if reason := _not_updatable(found):
        raise ConfigError(reason)
    try:
        with open_clone(found.directory) as clone:
            update = _Update(found, clone)
            old, new = update.fetch()
            if old == new:
                print_line(f"{inline(found.name)} is up to date")
                return
            with ignore_stop_signals():
                updated = update.forward(old)
    except GitError as error:
        raise GitError(f"{found.name}: {error}") from error
    before, after = (inline(each.manifest.version) or "no version" for each in (found, updated))
    print_line(f"{inline(found.name)} was updated: {before} -> {after} ({old[:7]}..{new[:7]})")
    if (updated.manifest.exec, updated.manifest.args) != (found.manifest.exec, found.manifest.args):
        print_line(f"  runs       {inline(' '.join([updated.manifest.exec, *updated.manifest.args]))}")
    if not ask_again(updated):
        print_line(f"it does not run until you allow what it may do now: zot ext enable {inline(found.name)}")
    elif updated.enabled:
        set_up(updated)
    for line in needs(updated):
        print_line(line)


class _Update:
    """The update of the working tree of an extension."""

    def __init__(self, found: DiscoveredExtension, clone: Clone) -> None:
        self._found, self._clone = found, clone
        self._path = os.path.join(found.directory, MANIFEST_FILE)

    def fetch(self) -> tuple[str, str]:
        """Fetch, and return the current commit and the new one, which is a descendant or the same. Raises
        `ConfigError`."""
        name, old = self._found.name, self._clone.upstream.commit
        new = self._clone.fetch()
        if self._clone.succeeds("merge-base", "--is-ancestor", new, old):
            return old, old
        if not self._clone.succeeds("merge-base", "--is-ancestor", old, new):
            raise ConfigError(
                f"{name}: the remote history was rewritten; run zot ext remove {name} and install it again"
            )
        return old, new

    def forward(self, old: str) -> DiscoveredExtension:
        """Move to the fetched commit, with local changes on top of it, and with the flag `enabled` unchanged.

        Raises `ConfigError`; the folder is unchanged then.
        """
        manifest = self._set_flag_aside()
        stashed = bool(self._run("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all"))
        if stashed:
            self._run("stash", "push", "--quiet")
        try:
            self._run("merge", "--quiet", "--ff-only", "FETCH_HEAD")
            folder.refuse_links(self._found.directory)
            self._read()
            if stashed:
                self._apply()
            write_enabled(self._found.directory, self._found.enabled)
            updated = self._read()
            self._clone.publish()
        except ConfigError:
            self._run("reset", "--quiet", "--hard", old)
            if stashed:
                self._run("stash", "pop", "--quiet")
            if manifest is not None:
                replace_file(self._path, manifest)
            raise
        if stashed:
            self._run("stash", "drop", "--quiet")
        return updated

    def _set_flag_aside(self) -> bytes | None:
        """If the flag is the only local change of the manifest, undo it, because as a change of text it would conflict
        with almost any other change. Return the manifest as it was, or None if nothing was undone."""
        try:
            committed = self._run("show", f"HEAD:./{MANIFEST_FILE}")
            current = read_regular(self._path, MANIFEST_BYTES)
            if with_enabled(committed, self._found.enabled).rstrip("\n") != current.decode().rstrip("\n"):
                return None
        except (GitError, OSError, ValueError):
            return None
        self._run("checkout", "--quiet", "--", MANIFEST_FILE)
        return current

    def _apply(self) -> None:
        try:
            self._run("stash", "apply", "--quiet")
        except GitError:
            changed = ", ".join(self._run("stash", "show", "--name-only").splitlines())
            raise ConfigError(
                f"{self._found.name}: your changes to {changed} conflict with the new version; "
                f"nothing was changed in {self._found.directory}"
            ) from None

    def _read(self) -> DiscoveredExtension:
        label = f"{self._found.name}: new version"
        return folder.read_manifest(self._found.directory, self._found.scope, label=label)

    def _run(self, *arguments: str) -> str:
        return self._clone.run(*arguments)
