"""`RunTree`: the files of a run on this machine, and their states, which another machine can continue with.

The files come from a git URL and a commit. Their states are commits in a repository beside the folder, whose settings
are ours: nothing that a model writes into `.git` of the folder makes git start a program. A state has two parents: the
commit that the run began with, and the commit that the folder's own repository is at. As a bundle of what the first
does not have, it is kept in the store. Files that `.gitignore` names are not kept.

All methods run git: call them in a thread.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping
from typing import Any

from zot_agent.fleet.store.interface import FleetStore
from zot_core.machine.git import git_command, git_environment, run_git
from zot_provider.errors import ZotError
from zot_provider.files.private_folder import make_private
from zot_provider.record import Record

TREE_FILES = _FILES, _STATES, _BUNDLE = "tree", "states.git", "bundle"
"""The content of the folder of a `RunTree`."""

_KEPT = "refs/zot/kept"
_HEAD = "refs/zot/head"
_PROTOCOLS = "file:git:http:https:ssh"
_AUTHOR = {
    "AUTHOR_NAME": "zot",
    "AUTHOR_EMAIL": "zot@localhost",
    "COMMITTER_NAME": "zot",
    "COMMITTER_EMAIL": "zot@localhost",
}


class TreeError(ZotError):
    """The files of a run cannot be fetched or kept."""


class TreeLimits(Record):
    """`fetch_seconds`: the time to fetch or push; `git_seconds`: that of any other git command; `command_seconds`:
    that of the person's command at the end."""

    fetch_seconds: float = 600.0
    git_seconds: float = 120.0
    command_seconds: float = 600.0


class RunTree:
    """The files of the run `run` in `folder/tree`. `workspace` and `tree` are fields of its `RunRecord`."""

    def __init__(
        self, run: str, folder: str, workspace: Mapping[str, Any], tree: Mapping[str, Any], store: FleetStore,
        limits: TreeLimits | None = None,
    ) -> None:  # fmt: skip
        self.files = os.path.join(folder, _FILES)
        self._states = os.path.join(folder, _STATES)
        self._run, self._workspace, self.tree, self._store = run, workspace, dict(tree), store
        self._limits = limits or TreeLimits()
        self._last = ("", "")

    def fetch(self) -> None:
        """Make the folder as the last state says, or as the commit is. What an earlier process has left there is
        removed. Raises `TreeError`, `SessionError`."""
        with TreeError.of_system(f"cannot write {os.path.dirname(self.files)}"):
            for each in (self.files, self._states):
                shutil.rmtree(each, ignore_errors=True)
            make_private(os.path.dirname(self.files))
        self._git("init", "--quiet", "--bare", self._states, inside=False)
        url, slow = str(self._workspace.get("url", "")), self._limits.fetch_seconds
        heads = ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", "+HEAD:refs/zot/default")
        self._git("fetch", "--quiet", "--no-tags", "--", url, *heads, seconds=slow)
        wanted = str(self.tree.get("base") or self._workspace.get("commit") or "refs/zot/default")
        base = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{wanted}^{{commit}}")
        self.tree["base"], head, files = base, base, base
        if bundle := self.tree.get("bundle"):
            path = os.path.join(os.path.dirname(self.files), _BUNDLE)
            with TreeError.of_system(f"cannot write {path}"), open(path, "wb") as file:
                file.write(self._store.get(self._run, str(bundle)))
            self._git("fetch", "--quiet", "--no-tags", path, f"+{_KEPT}:{_KEPT}")
            files, head = self._git("rev-parse", _KEPT), str(self.tree.get("head") or base)
        # A repository of its own for the model, which shares no file with ours.
        self._git("update-ref", _HEAD, head)
        self._git("clone", "--quiet", "--no-hardlinks", "--no-checkout", self._states, self.files, inside=False)
        own = ("--git-dir", os.path.join(self.files, ".git"), "--work-tree", self.files)
        self._git(*own, "fetch", "--quiet", "--no-tags", self._states, f"+{_HEAD}:{_HEAD}", inside=False)
        self._git(*own, "checkout", "--quiet", "-B", "zot", _HEAD, inside=False)
        self._git(*own, "remote", "set-url", "origin", url, inside=False)
        self._git("read-tree", head, work=True)
        if files != head:
            self._git("read-tree", "--reset", "-u", files, work=True)
        self._last = (self._git("rev-parse", f"{files}^{{tree}}"), head)

    def keep(self, message: str = "state of a run") -> dict[str, Any] | None:
        """Keep the files as they are, and return the new field `tree`; None if nothing has changed. Raises `TreeError`,
        `SessionError`."""
        head = self._own_head()
        self._git("add", "--all", work=True)
        tree = self._git("write-tree", work=True)
        if (tree, head) == self._last:
            return None
        base = str(self.tree["base"])
        self._git("fetch", "--quiet", "--no-tags", os.path.join(self.files, ".git"), f"+HEAD:{_HEAD}")
        commit = self._git("commit-tree", tree, "-p", base, "-p", head, "-m", message)
        self._git("update-ref", _KEPT, commit)
        path = os.path.join(os.path.dirname(self.files), _BUNDLE)
        self._git("bundle", "create", "--quiet", path, _KEPT, f"^{base}")
        with TreeError.of_system(f"cannot read {path}"), open(path, "rb") as file:
            bundle = self._store.put(self._run, file.read())
        self._last = (tree, head)
        self.tree = {"base": base, "head": head, "commit": commit, "bundle": bundle}
        return self.tree

    def end(self, message: str, environment: Mapping[str, str]) -> dict[str, Any]:
        """Do what the person wants with the files of a run that is done: push a branch, run a command; a patch is
        always kept. Return the new field `tree`. Raises `TreeError`, `SessionError`."""
        self.keep()
        base, (tree, head) = str(self.tree["base"]), self._last
        patch = self._git("diff", "--binary", base, tree)
        text = patch.encode("utf-8", "surrogateescape") + b"\n" * bool(patch)
        self.tree |= {"patch": self._store.put(self._run, text)}
        if branch := self._workspace.get("branch"):
            commit = self._git("commit-tree", tree, "-p", head, "-m", message) if patch else head
            url, slow = str(self._workspace.get("url", "")), self._limits.fetch_seconds
            self._git("push", "--quiet", "--force", "--", url, f"{commit}:refs/heads/{branch}", seconds=slow)
            self.tree["branch"] = str(branch)
        if command := self._workspace.get("command"):
            self._run_command(str(command), environment)
        return self.tree

    def _run_command(self, command: str, environment: Mapping[str, str]) -> None:
        seconds = self._limits.command_seconds
        try:
            done = subprocess.run(
                ["sh", "-c", command], cwd=self.files, env=dict(environment), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise TreeError(f"the command at the end has not ended within {seconds:g} s") from None
        if done.returncode:
            lines = done.stdout.decode("utf-8", "replace").strip().splitlines() or [""]
            raise TreeError(f"the command at the end has failed with the exit code {done.returncode}: {lines[-1]}")

    def _own_head(self) -> str:
        """Return the commit that the folder's own repository is at; the first one if the model has broken it."""
        try:
            return self._git("--git-dir", os.path.join(self.files, ".git"), "rev-parse", "HEAD", inside=False)
        except TreeError:
            return self._last[1]

    def _git(self, *words: str, inside: bool = True, work: bool = False, seconds: float = 0.0) -> str:
        where = ["--git-dir", self._states, *(["--work-tree", self.files] if work else [])] if inside else []
        environment = git_environment(os.environ, _PROTOCOLS) | {f"GIT_{name}": text for name, text in _AUTHOR.items()}
        limit = seconds or self._limits.git_seconds
        settings = ("core.autocrlf=false", "init.defaultBranch=zot", "gc.auto=0", "advice.detachedHead=false")
        name = next((each for each in words if not each.startswith(("-", "/"))), "git")
        try:
            command = git_command(*where, *words, settings=settings)
            done = run_git(command, os.path.dirname(self.files), environment, limit)
        except TimeoutError:
            raise TreeError(f"git {name} has not ended within {limit:g} s") from None
        except OSError as error:
            raise TreeError(f"git is not installed: {error.strerror}") from error
        if done.code:
            raise TreeError(f"git {name} has failed: {done.reason or 'nothing of that name is there'}")
        return done.out.decode("utf-8", "surrogateescape").rstrip("\n")
