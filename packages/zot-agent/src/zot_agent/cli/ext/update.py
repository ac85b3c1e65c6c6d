"""`zot ext update [NAME]`: fetch what was cloned, and go forward to it if that loses nothing."""

import os
from collections.abc import Sequence

from zot_agent.cli.ext.folder import staging as folder
from zot_agent.cli.ext.folder.flag import with_enabled, write_enabled
from zot_agent.cli.ext.folder.git import Git, GitError
from zot_agent.cli.ext.folder.names import installed, pick_usable
from zot_agent.cli.ext.folder.needs import needs
from zot_agent.cli.ext.terminal import say, word
from zot_agent.cli.parser import Parser
from zot_agent.extensions.discover import MANIFEST_FILE, DiscoveredExtension
from zot_agent.modes.output import print_error
from zot_agent.signals import undisturbed
from zot_core.machine.replace_file import replace_file
from zot_provider.errors import ConfigError


def run(arguments: Sequence[str]) -> int:
    """Update one extension, or all that were cloned; 0, or 2 if one of them could not be."""
    parser = Parser(
        prog="zot ext update",
        description="Bring extensions that were cloned up to date. Local changes are kept; where they and the new "
        "version touch the same lines, everything stays as it was.",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="one of them; all without it")
    name = parser.parse_args(list(arguments)).name
    if name:
        _update(pick_usable(name))
        return 0
    cloned = [each for each in installed().found if _why_not(each) == ""]
    if not cloned:
        say("no extension was installed with git")
    code = 0
    for each in cloned:
        try:
            _update(each)
        except ConfigError as error:
            print_error(str(error))
            code = error.exit_code
    return code


def _why_not(found: DiscoveredExtension) -> str:
    """Why there is nothing to fetch; empty for a clone."""
    if os.path.islink(found.directory):
        return f"{found.directory} is a link to {os.readlink(found.directory)}: update it there"
    if os.path.isdir(os.path.join(found.directory, ".git")):
        return ""
    source = folder.copied_from(found.directory)
    again = f"zot ext remove {found.name}, then zot ext install {source or 'PATH'}"
    return f"{found.name} was copied{f' from {source}' if source else ''}, not cloned; to renew it: {again}"


def _update(found: DiscoveredExtension) -> None:
    """Bring one clone up to date, and say so. Raises `ConfigError`; the folder is as it was then."""
    if why_not := _why_not(found):
        raise ConfigError(why_not)
    clone = _Clone(found)
    try:
        old, new = clone.fetch()
        if old == new:
            say(f"{word(found.name)} is up to date")
            return
        with undisturbed():
            updated = clone.forward(old)
    except GitError as error:
        raise GitError(f"{found.name}: {error}") from error
    before, after = (word(each.manifest.version) or "no version" for each in (found, updated))
    say(f"{word(found.name)} is updated: {before} -> {after} ({old[:7]}..{new[:7]})")
    if (updated.manifest.exec, updated.manifest.args) != (found.manifest.exec, found.manifest.args):
        say(f"  runs       {word(' '.join([updated.manifest.exec, *updated.manifest.args]))}")
    for line in needs(updated):
        say(line)


class _Clone:
    """The working tree of an extension."""

    def __init__(self, found: DiscoveredExtension) -> None:
        self._found = found
        self._path = os.path.join(found.directory, MANIFEST_FILE)
        self._git = Git()

    def fetch(self) -> tuple[str, str]:
        """The commit that is here, and the one to go to, which follows on it or is it. Raises `ConfigError`."""
        name, directory = self._found.name, self._found.directory
        old = self._run("rev-parse", "HEAD")
        self._run("fetch", "--quiet", "--no-recurse-submodules")
        try:
            new = self._run("rev-parse", "--verify", "@{upstream}")
        except GitError:
            raise ConfigError(f"{name}: no branch of a remote is followed in {directory}") from None
        if self._git.succeeds("merge-base", "--is-ancestor", new, old, cwd=directory):
            return old, old
        if not self._git.succeeds("merge-base", "--is-ancestor", old, new, cwd=directory):
            raise ConfigError(
                f"{name}: what was fetched does not follow on what is here; zot ext remove {name} and install it again"
            )
        return old, new

    def forward(self, old: str) -> DiscoveredExtension:
        """Go to what was fetched, with local changes on top of it, and with the flag `enabled` as it was.

        Raises `ConfigError`; the folder is as it was then.
        """
        manifest = self._set_flag_aside()
        stashed = bool(self._run("status", "--porcelain", "--untracked-files=no"))
        if stashed:
            self._run("stash", "push", "--quiet")
        try:
            self._run("merge", "--quiet", "--ff-only", "@{upstream}")
            folder.refuse_links(self._found.directory)
            self._read()
            if stashed:
                self._apply()
            write_enabled(self._found.directory, self._found.enabled)
            updated = self._read()
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
        """If the flag is all that was changed in the manifest, undo that: as a change of text it would stand in the
        way of almost any other. The manifest as it was, None if nothing was undone."""
        try:
            committed = self._run("show", f"HEAD:./{MANIFEST_FILE}")
            with open(self._path, "rb") as file:
                now = file.read()
            if with_enabled(committed, self._found.enabled).rstrip("\n") != now.decode().rstrip("\n"):
                return None
        except (GitError, OSError, ValueError):
            return None
        self._run("checkout", "--quiet", "--", MANIFEST_FILE)
        return now

    def _apply(self) -> None:
        try:
            self._run("stash", "apply", "--quiet")
        except GitError:
            changed = ", ".join(self._run("stash", "show", "--name-only").splitlines())
            raise ConfigError(
                f"{self._found.name}: your changes to {changed} and those of the new version do not go together; "
                f"everything is as it was in {self._found.directory}"
            ) from None

    def _read(self) -> DiscoveredExtension:
        told_as = f"{self._found.name}: what was fetched"
        return folder.read_manifest(self._found.directory, self._found.scope, told_as=told_as)

    def _run(self, *arguments: str) -> str:
        return self._git.run(*arguments, cwd=self._found.directory)
