"""`why_not_quiet`: whether git can look at a repository without starting a program that the repository names.

The settings in `quiet_environment` stop monitors and hooks. Filters, drivers and pagers have names of their own, which
no setting turns off: where a repository's configuration has one of these, git is asked about.
"""

import os
import re
import subprocess
from functools import lru_cache

from zot_core.machine.git import OF_A_REPOSITORY, git_command, git_environment
from zot_core.machine.repository import first_line, git_folders, repository_top
from zot_provider.files.regular_file import read_regular

_CONFIG_BYTES, _INDEX_BYTES = 256 * 1024, 64 * 1024 * 1024
"""The largest configuration and index that are read; git is asked about where they are larger."""
_SECONDS = 5.0
"""For git to take a configuration apart; it waits for nobody, so more than a moment is a busy machine."""

_NAMES_PROGRAMS = re.compile(
    r"core\.(fsmonitor|pager|sshcommand|gitproxy|alternaterefscommand)|filter\..*|gpg\..*|pager\..*"
    r"|diff\.external|diff\..*\.(textconv|command)|remote\..*\.(vcs|uploadpack)"
    r"|core\.worktree|include\..*|includeif\..*|extensions\.(partialclone|worktreeconfig)|remote\..*\.promisor"
    r"|[a-z]+\.[a-z]*file|log\.showsignature|format\.pretty|pretty\..*",
    re.DOTALL | re.IGNORECASE,
)
"""Settings that name a program or start one (signatures, pretty formats), fetch, or lead to other files; see
git-config(1)."""

_GITLINK = b"\0\0\xe0\0"
"""The mode of a submodule in an index (gitformat-index(5)); it has a configuration of its own, which git follows."""


def why_not_quiet(cwd: str) -> str:
    """Return why git could start a program that the repository of `cwd` names, empty if it could not. Without a
    repository it is not known what git works on."""
    top = repository_top(cwd)
    if not top:
        return "there is no git repository here"
    why = _why_loud(top)
    return f"git may run other programs: {why}" if why else ""


def _why_loud(top: str) -> str:
    named = next((name for name in OF_A_REPOSITORY if name in os.environ), "")
    if named:
        return f"{named} is set"
    own, common = git_folders(top)
    link = first_line(os.path.join(own, "gitdir"))
    if own != os.path.join(top, ".git") and os.path.realpath(link or "/") != os.path.join(top, ".git"):
        return "the git directory is somewhere else"
    if not os.path.exists(os.path.join(common, "config")):
        return f"{top} has a .git that is no git directory"
    try:
        key = _named(read_regular(os.path.join(common, "config"), _CONFIG_BYTES))
        if key:
            return f"the configuration of the repository sets {key}"
        if _has_submodules(own):
            return "the repository has submodules"
    except OSError as error:
        return f"the repository cannot be read: {error.strerror}"
    except subprocess.SubprocessError:
        return "git cannot read the configuration of the repository"
    return ""


@lru_cache(16)
def _named(config: bytes) -> str:
    """Return the first setting of a configuration that may start a program."""
    command = git_command("config", "--file", "-", "--no-includes", "--name-only", "--list", "-z")
    environment = git_environment(os.environ)
    done = subprocess.run(
        command, input=config, env=environment, cwd="/", capture_output=True, timeout=_SECONDS, check=True
    )
    names = done.stdout.decode("utf-8", "replace").split("\0")
    return next((name for name in names if _NAMES_PROGRAMS.fullmatch(name)), "")


def follows_another(cwd: str) -> bool:
    """Whether git looks into another repository when it works in the one of `cwd`: into a submodule with a git
    directory of its own. Anybody may have written its configuration, and named filters in it. A submodule that git has
    cloned is in the git directory of the project, and belongs to it."""
    top = repository_top(cwd)
    if not top:
        return False
    try:
        folders = git_folders(top)
        if not _has_submodules(folders[0]):
            return False
        command, environment = git_command("ls-files", "--stage", "-z"), git_environment(os.environ)
        done = subprocess.run(command, env=environment, cwd=top, capture_output=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return True
    links = [os.fsdecode(each.partition(b"\t")[2]) for each in done.stdout.split(b"\0") if each.startswith(b"160000 ")]
    places = [os.path.join(top, each) for each in links if os.path.lexists(os.path.join(top, each, ".git"))]
    kept = tuple(os.path.join(each, "modules", "") for each in folders)
    return not all(git_folders(each)[0].startswith(kept) for each in places)


def _has_submodules(folder: str) -> bool:
    names = [name for name in os.listdir(folder) if name == "index" or name.startswith("sharedindex.")]
    paths = [os.path.join(folder, name) for name in names]
    found = ((path, os.stat(path)) for path in paths)
    return any(_has_gitlink(path, (each.st_ino, each.st_ctime_ns, each.st_size)) for path, each in found)


@lru_cache(16)
def _has_gitlink(index: str, _: tuple[int, int, int]) -> bool:
    """Whether an index has a submodule. It is read again when it has changed, as its inode says."""
    return _GITLINK in read_regular(index, _INDEX_BYTES)
