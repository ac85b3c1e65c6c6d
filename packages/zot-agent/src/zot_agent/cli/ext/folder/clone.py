"""`Clone`: the repository of an installed extension, used through a git folder of zot's own.

The `.git/config` of an extension may name programs for nearly every git command: file system monitors, filters, merge
drivers, `uploadpack`, credential helpers. An extension that must not run must not run by its update either. So git gets
a folder with a configuration that zot makes; from the extension come only data: its objects, the commit of its branch,
and the address it was cloned from. What an update changes is written back as data, too.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from zot_agent.cli.ext.folder.git import Git, GitError
from zot_agent.cli.ext.folder.staging import staging
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_regular
from zot_provider.files.replace_file import replace_file
from zot_provider.record import Record

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HEADS = "refs/heads/"
_MAX_BYTES = 16 << 20
"""Bytes read of a file in `.git`: `packed-refs` has some 70 for each branch and tag."""


class Upstream(Record):
    """The upstream of a branch: its name and commit, and the name, the address and the branch of its remote."""

    branch: str
    commit: str
    remote: str
    url: str
    merge: str


class Clone:
    """An open clone. `upstream` is as it was found; `fetch` and `run` change nothing in its `.git` but objects."""

    def __init__(self, directory: str, upstream: Upstream, git_folder: str) -> None:
        self.upstream = upstream
        self._directory, self._theirs, self._ours = directory, os.path.join(directory, ".git"), git_folder
        self._git = Git(
            environment={
                "GIT_DIR": git_folder,
                "GIT_WORK_TREE": directory,
                "GIT_OBJECT_DIRECTORY": os.path.join(self._theirs, "objects"),
            }
        )

    def run(self, *arguments: str) -> str:
        """Run a git command in the folder of the extension and return its output. Raises `GitError`."""
        return self._git.run(*arguments, cwd=self._directory, secret=self.upstream.url)

    def succeeds(self, *arguments: str) -> bool:
        """Run a git command, and return whether its exit code is 0."""
        return self._git.succeeds(*arguments, cwd=self._directory)

    def fetch(self) -> str:
        """Fetch the branch that is followed, and return its commit. Raises `GitError`."""
        self.run(
            "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--", self.upstream.url, self.upstream.merge
        )
        return self.run("rev-parse", "--verify", "FETCH_HEAD")

    def publish(self) -> None:
        """Write the new commit, the index and the end of a shallow history into the clone. Raises `ConfigError`."""
        upstream = self.upstream
        commit = f"{self.run('rev-parse', 'HEAD')}\n".encode()
        short = upstream.merge.removeprefix(_HEADS)
        with ConfigError.of_system(f"cannot write in {self._theirs}"):
            for name in (upstream.branch, f"refs/remotes/{upstream.remote}/{short}"):
                os.makedirs(os.path.dirname(self._inside(name)), exist_ok=True)
                replace_file(self._inside(name), commit)
            for name in ("index", "shallow"):
                if os.path.exists(ours := os.path.join(self._ours, name)):
                    with open(ours, "rb") as file:
                        replace_file(self._inside(name), file.read())

    def _inside(self, name: str) -> str:
        """Return a path in the clone's `.git`. Raises `ConfigError` if `..` or a link leads out of it."""
        path = os.path.join(self._theirs, name)
        parent = os.path.join(os.path.realpath(self._theirs), os.path.dirname(name))
        if os.path.realpath(os.path.dirname(path)) != os.path.normpath(parent) or ".." in name.split("/"):
            raise ConfigError(f"{path} leads out of {self._theirs}")
        return path


@contextmanager
def open_clone(directory: str) -> Iterator[Clone]:
    """Open the clone in `directory`, whose `.git` is a folder. Raises `ConfigError`."""
    _refuse_nested(directory)
    with staging(os.path.dirname(directory)) as work:
        os.mkdir(work)
        upstream = _read_upstream(directory, work)
        form = "sha256" if len(upstream.commit) == 64 else "sha1"
        Git().run("init", "--quiet", "--template=", f"--object-format={form}", work)
        git_folder = os.path.join(work, ".git")
        clone = Clone(directory, upstream, git_folder)
        if shallow := _COMMIT.findall(_read(os.path.join(directory, ".git", "shallow"))):
            with open(os.path.join(git_folder, "shallow"), "w") as file:
                file.writelines(f"{commit}\n" for commit in shallow)
        clone.run("symbolic-ref", "HEAD", upstream.branch)
        clone.run("update-ref", "HEAD", upstream.commit)
        clone.run("read-tree", "HEAD")
        yield clone


def _read_upstream(directory: str, cwd: str) -> Upstream:
    """Read what the current branch follows. Raises `ConfigError`."""
    missing = ConfigError(f"the branch in {directory} has no upstream")
    folder = os.path.join(directory, ".git")
    head = _read(os.path.join(folder, "HEAD")).strip()
    if _COMMIT.fullmatch(head):
        raise ConfigError(f"{directory} is at a tag or a commit, not at a branch; remove it to install another one")
    kind, _, branch = head.partition(": ")
    config = os.path.join(folder, "config")
    if kind != "ref" or not branch.startswith(_HEADS) or not os.path.isfile(config):  # git would wait for a named pipe
        raise missing
    commit = _read(os.path.join(folder, *branch.split("/"))).strip() or _packed(folder, branch)
    short = branch.removeprefix(_HEADS)

    def setting(name: str) -> str:
        try:
            # A file that is named like this is only read; its own `include` is not followed.
            return Git().run("config", "--file", config, "--get", name, cwd=cwd)
        except GitError:
            return ""

    remote, merge = setting(f"branch.{short}.remote"), setting(f"branch.{short}.merge")
    url = setting(f"remote.{remote}.url") if remote else ""
    if not url or url.startswith("-") or not merge.startswith(_HEADS) or not _COMMIT.fullmatch(commit):
        raise missing
    return Upstream(branch, commit, remote, url, merge)


def _refuse_nested(directory: str) -> None:
    """Raise `ConfigError` if a repository is inside of the clone: git would enter it, and obey its configuration."""
    for folder, names, files in os.walk(directory):
        if folder != directory and ".git" in (*names, *files):
            raise ConfigError(f"{folder} is a repository of its own; update {directory} there")
        names[:] = [name for name in names if name != ".git"]


def _packed(folder: str, branch: str) -> str:
    """Return the commit of a branch in `packed-refs`; empty if it is not there."""
    lines = (line.split(" ") for line in _read(os.path.join(folder, "packed-refs")).splitlines())
    return next((words[0] for words in lines if words[1:] == [branch]), "")


def _read(path: str) -> str:
    """Return the text of a file, empty if it cannot be read."""
    try:
        return read_regular(path, _MAX_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
