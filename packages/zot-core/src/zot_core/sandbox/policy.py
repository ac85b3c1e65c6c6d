"""`SandboxPolicy`: what may be read and written, as paths with an access each; the longest path counts.

The file tools ask the policy; the sandboxes of the operating systems are built from the same paths. The system is
readable, homes and the folders of temporary files are hidden, the project is writable, its `.git` and the settings of
agents in it are not.
"""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from zot_core.machine.repository import first_line, git_folders, repository_top
from zot_core.sandbox.aliases import other_paths, read_mounts
from zot_provider.record import Record, field

Access = Literal["none", "read", "write"]

PLACEHOLDERS = (".git", ".zot", ".claude")
"""Folders of a project that must not be made from inside either: the next program would take orders from them."""

PROTECTED = (
    *PLACEHOLDERS, ".agents", ".codex", ".cursor", ".devcontainer", ".envrc", ".husky", ".idea", ".mcp.json",
    ".vscode",
)  # fmt: skip
"""Names that are not writable at the top of a project, if it exists."""

_HOMES = ("/home", "/root", "/Users")
TEMPORARY = os.path.realpath("/tmp")
_SHARED = (TEMPORARY, "/var/tmp", "/run", "/var/run")
_SECRETS = ("/etc/shadow", "/etc/shadow-", "/etc/ssh", "/etc/ssl/private")
"""Paths that only root reads; a sandbox that root starts would."""

_TOOLCHAINS = (
    ".asdf", ".bun/bin", ".cargo/bin", ".cargo/registry", ".deno/bin", ".dotnet", ".fnm", ".ghcup", ".juliaup",
    ".local/bin", ".local/lib", ".local/pipx", ".local/share/fnm", ".local/share/mise/installs", ".local/share/pipx",
    ".local/share/pnpm", ".local/share/uv/python", ".local/share/uv/tools", ".nvm", ".nodenv", ".opam", ".pyenv",
    ".rbenv", ".rustup", ".rvm", ".sdkman", ".volta", "go/bin", "go/pkg/mod", "miniconda3", "miniforge3",
)  # fmt: skip
"""Folders of programs below a home; none holds a key (`~/.cargo` itself does)."""


class SandboxPolicy(Record):
    """The permissions of the inside. All paths are real paths (`os.path.realpath`)."""

    root: str
    """The folder of the project."""
    home: str = ""
    """The person's home folder."""
    paths: Mapping[str, Access] = field(default_factory=dict)
    """Paths and their access, which includes everything below them up to a longer path; see `make_policy`."""
    scratch: str = ""
    """The folder of this machine that is `/tmp` inside; empty for a new one with every command."""
    hosts: Sequence[str] = ()
    """Patterns of hosts that may be reached, through a proxy; none for no network."""
    variables: Sequence[str] = ()
    """Names of environment variables that are passed on, besides the usual ones."""
    git: Literal["ask", "write"] = "ask"
    """Whether `.git` of the project is writable; if not, a command that needs it can be run outside."""
    strict: bool = False
    """Whether nothing runs outside, and nothing less than the whole sandbox is accepted."""
    open_network: bool = False
    """Whether the network of the machine is the inside's too, with all hosts."""
    processes: bool = True
    """Whether the inside may start more processes than its first; that one may still become another program."""

    def access(self, path: str) -> Access:
        """Return what may be done with a real path."""
        return self.paths.get(self._longest(path), "read")

    def _longest(self, path: str) -> str:
        """Return the longest of `paths` that includes `path`, or the root of the file system."""
        while path not in self.paths and path != (parent := os.path.dirname(path)):
            path = parent
        return path

    def may_read(self, path: str) -> bool:
        """Whether the real path may be read."""
        return self.access(path) != "none"

    def may_write(self, path: str) -> bool:
        """Whether the real path may be made, changed and removed."""
        return self.access(path) == "write"

    def is_temporary(self, path: str) -> bool:
        """Whether an absolute path inside is in the folder of temporary files that only the inside has."""
        return bool(self.scratch) and self._longest(path) == TEMPORARY

    def outside(self, path: str) -> str:
        """Return the path on this machine of an absolute path inside: they differ below `/tmp` only."""
        if self.is_temporary(path):
            return self.scratch + path[len(TEMPORARY) :]
        return path


def make_policy(
    root: str,
    *,
    zot_home: str = "",
    home: str = "",
    writable: Iterable[str] = (),
    readable: Iterable[str] = (),
    hidden: Iterable[str] = (),
    environ: Mapping[str, str] | None = None,
    scratch: str = "",
    worktrees: str = "",
    hosts: Sequence[str] = (),
    variables: Sequence[str] = (),
    git: Literal["ask", "write"] = "ask",
    strict: bool = False,
) -> SandboxPolicy:
    """Return the policy for a project.

    `zot_home` is zot's own folder, which holds keys, settings and sessions, if it is not in the home. `writable` are
    more folders to work in, `readable` more paths to read, and the `hidden` ones are not there. `worktrees` is the
    folder for the worktrees of sub-agents, which may not be there yet. Raises ValueError, with
    a line for the person, if the project or one of the folders contains the home, because everything in it would be
    writable, or if what must be protected is a link.
    """
    root, home = os.path.realpath(root), os.path.realpath(home or os.path.expanduser("~"))
    work = [root, *(os.path.realpath(os.path.expanduser(path)) for path in writable)]
    for folder in work:
        if _below(home, folder) or folder == os.path.sep:
            raise ValueError(
                f"the sandbox cannot protect your home folder from work in {folder}; choose a folder below it"
            )
    usual = (home, *_HOMES, *_SHARED, *_SECRETS)
    paths: dict[str, Access] = {os.path.realpath(path): "none" for path in usual if os.path.lexists(path)}
    if git == "write":
        readable = [*readable, os.path.join(home, ".gitconfig"), os.path.join(home, ".config", "git")]
    for path in (*_toolchains(home, os.environ if environ is None else environ), *readable):
        path = os.path.realpath(os.path.expanduser(path))
        if os.path.exists(path) and not _below(home, path) and paths.get(path) != "none":
            paths[path] = "read"
    if zot_home:
        paths[os.path.realpath(os.path.expanduser(zot_home))] = "none"
    own_python = os.path.realpath(sys.prefix)
    paths = {
        path: access
        for path, access in paths.items()
        if access == "none" or not any(_below(path, folder) for folder in work)
    }
    paths |= dict.fromkeys(work, "write")
    for folder in work:  # one may contain another, so what is protected in any of them comes after all of them
        paths |= {path: "read" for path in _protected(folder, git) if path not in work}
        if _below(own_python, folder):
            paths[own_python] = "read"
        paths |= _git_folders(folder, git)
    paths |= {os.path.realpath(path): "none" for path in hidden if os.path.exists(path)}
    paths |= {path: "write" for path in (scratch, worktrees and os.path.realpath(worktrees)) if path}
    again = other_paths([path for path, access in paths.items() if access == "none"], read_mounts())
    paths |= {path: "none" for path in again if path not in paths}
    return SandboxPolicy(root, home, paths, scratch, hosts, variables, git, strict)


def _protected(folder: str, git: str) -> list[str]:
    """Return what is not writable in a folder of work. Raises ValueError for a link, which could be replaced."""
    found = []
    for name in PROTECTED:
        path = os.path.join(folder, name)
        if os.path.islink(path):
            raise ValueError(f"the sandbox cannot protect {path}, which is a link; replace it by what it points to")
        if (name in PLACEHOLDERS or os.path.exists(path)) and not (name == ".git" and git == "write"):
            found.append(path)
    return found


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.path.sep) + os.path.sep)


def _toolchains(home: str, environ: Mapping[str, str]) -> list[str]:
    """Return folders of programs that a home hides: the PATH's, this Python's, and the usual ones."""
    on_path = [path for path in environ.get("PATH", "").split(os.pathsep) if os.path.isabs(path)]
    pythons = [sys.prefix, sys.base_prefix]
    usual = [os.path.join(home, path) for path in _TOOLCHAINS]
    return [*on_path, *pythons, *usual, "/home/linuxbrew"]


def repository_around(folder: str) -> list[str]:
    """Return the folder of the repository around a folder; nothing without one, or if the folder has its own."""
    top = repository_top(folder)
    return [] if top in ("", os.path.realpath(folder)) else [top]


def _git_folders(folder: str, git: str) -> dict[str, Access]:
    """Return the folders of the repository of a worktree or submodule, which its `.git`, a file, points to.

    The pointer may be a stranger's: outside the folder it must lead to a repository, and to be writable, that must
    point back; in the folder it makes nothing readable that was not.
    """
    pointer = os.path.join(folder, ".git")
    if not os.path.isfile(pointer):
        return {}
    own, common = git_folders(folder)
    if not all(os.path.isfile(os.path.join(path, "HEAD")) for path in (own, common)):
        return {}
    if _below(own, folder):
        return {} if git == "write" else {path: "read" for path in (own, common) if _below(path, folder)}
    back = os.path.realpath(os.path.join(own, first_line(os.path.join(own, "gitdir"))))
    access: Access = "write" if git == "write" and back == pointer else "read"
    return {common: access, own: access}
