"""`Swarm`: all members in `$ZOT_HOME/swarm`, and what front ends do with them.

Everything is on disk, so any number of screens and commands see the same. The methods block: a front end with an event
loop calls them in a thread.
"""

import os
import re
import shutil
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Literal, TypeAlias

from zot_agent.config.paths import worktrees_root, zot_home
from zot_agent.host.detached import NotStarted, start_detached
from zot_agent.host.options import HostOptions
from zot_agent.swarm.folder import MemberFolder, MemberInUse
from zot_agent.swarm.limits import SwarmLimits
from zot_agent.swarm.member import Member, stored_options
from zot_core.clock import timestamp
from zot_core.machine.posix import missing_posix
from zot_core.machine.repository import repository_top
from zot_core.machine.worktrees import (
    Worktree,
    WorktreeError,
    WorktreeLimits,
    add_worktree,
    branch_tip,
    commit_worktree,
    drop_branch,
    finish_worktree,
    left_in,
    merge_worktree,
    remove_worktree,
)
from zot_provider.errors import ConfigError, UnknownName, ZotError
from zot_provider.files.private_folder import make_private

WORK = ("swarm", "work")
"""The words of the command that a process of a member runs, before its id."""

_WORDS, _NAME = 4, 30
_TITLE = 60
_VALID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")

Choice: TypeAlias = Literal["yes", "always", "no"]


class Swarm:
    """The members below `root`."""

    def __init__(
        self, root: str = "", limits: SwarmLimits | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """`environment` is that of the processes, by default that of this one."""
        self.root, self.limits = root or os.path.join(zot_home(), "swarm"), limits or SwarmLimits()
        self._environment = environment

    # Looking

    def members(self) -> tuple[list[Member], list[str]]:
        """Return the members, the oldest first, and a line about each that cannot be read."""
        found, problems = [], []
        for folder in self._folders():
            try:
                found.append(folder.read())
            except ZotError as error:
                if os.path.isdir(folder.path):  # it was not removed meanwhile
                    problems.append(str(error))
        return sorted(found, key=lambda each: (each.started, each.id)), problems

    def find(self, name: str) -> Member:
        """Return the member with this id, or the only one whose id begins so. Raises `ConfigError`."""
        return self.folder(name).read()

    def folder(self, name: str) -> MemberFolder:
        """Return the folder of the member with this id, or the only one whose id begins so. Raises `UnknownName`."""
        folders = {each.id: each for each in self._folders()}
        near = [id for id in folders if id == name] or [id for id in folders if name and id.startswith(name)]
        if len(near) > 1:
            raise ConfigError(f"several members begin with {name!r}: {', '.join(sorted(near))}")
        if not near:
            raise UnknownName.among("member of the swarm", name, folders, "(zot swarm list)")
        return folders[near[0]]

    def left(self, member: Member) -> str:
        """Return in words what is in the worktree of a member and nowhere else, or why that cannot be known; empty for
        nothing."""
        try:
            return "" if member.tree is None else left_in(member.tree, self._git).line
        except ZotError as error:
            return str(error)

    def _folders(self) -> list[MemberFolder]:
        try:
            names = sorted(os.listdir(self.root))
        except OSError:
            return []
        return [MemberFolder(os.path.join(self.root, name), self.limits) for name in names if _VALID.fullmatch(name)]

    @property
    def _git(self) -> WorktreeLimits:
        return WorktreeLimits(self.limits.git_seconds)

    # Beginning

    def new(self, task: str, options: HostOptions, *, name: str = "", here: bool = False) -> tuple[Member, list[str]]:
        """Start a member that does `task` in the directory of `options`; return it, and lines for the person.

        It works in its own worktree, unless `here` is given, or its mode is `plan`, in which it writes nothing.
        Raises `ConfigError` and `ZotError`; nothing is left behind then.
        """
        if problem := missing_posix("agents of the swarm"):
            raise ConfigError(problem)
        if not task.strip():
            raise ConfigError('a member of the swarm needs a task: zot swarm new "fix the slow tests"')
        self._check_room()
        cwd = os.path.abspath(options.cwd)
        apart = not (here or options.permission_mode == "plan")
        if apart and not repository_top(cwd):
            raise ConfigError(
                f"{cwd} is in no git repository, so the agent cannot get its own worktree; with --here it works "
                "in the folder itself"
            )
        folder = self._claim(name or _slug(task), exact=bool(name))
        member = Member(folder.id, task, cwd, cwd, options=stored_options(options), started=timestamp())
        tree = None
        try:
            if apart:
                tree = add_worktree(cwd, worktrees_root(), folder.id, self._git)
                below = os.path.join(tree.folder, os.path.relpath(os.path.realpath(cwd), tree.repository))
                member.cwd = os.path.normpath(below) if os.path.isdir(below) else tree.folder
                member.worktree = {name: getattr(tree, name) for name in tree.__match_args__}
            folder.put({"text": task})
            folder.write(member)
            self._start(folder)
        except BaseException as error:
            if folder.alive:  # the person has not waited for its start
                with suppress(ZotError):
                    self.kill(folder.id)
            if tree is not None:
                finish_worktree(tree, _commit_message(member), self._git)
            folder.remove()
            if isinstance(error, OSError):
                raise ZotError(f"cannot write {folder.path}: {error.strerror}") from error
            raise
        return folder.read(), _left_out(tree)

    def _check_room(self) -> None:
        folders = self._folders()
        if len(folders) >= self.limits.members:
            raise ConfigError(f"there are {len(folders)} members already; zot swarm remove ID removes one")
        if sum(each.alive for each in folders) >= self.limits.working:
            raise ConfigError(f"{self.limits.working} members work already; wait for one, or zot swarm kill ID")

    def _claim(self, name: str, *, exact: bool) -> MemberFolder:
        """Create the folder of a new member, whose id is `name` or, unless that is `exact`, begins so."""
        if not _VALID.fullmatch(name):
            raise ConfigError(f"{name!r} cannot be a name: use up to 40 letters a-z, digits and hyphens")
        with ZotError.of_system(f"cannot write {self.root}"):
            make_private(self.root)
            for number in range(1, 2 if exact else self.limits.members + 2):
                folder = MemberFolder(os.path.join(self.root, name if number == 1 else f"{name}-{number}"), self.limits)
                with suppress(FileExistsError):
                    folder.create()
                    return folder
        raise ConfigError(f"there is a member {name} already; choose another name with --name")

    def _start(self, folder: MemberFolder) -> None:
        """Start a process that works. Raises `NotStarted`."""
        start_detached([*WORK, folder.id], folder.log, cwd=folder.path, env=self._environment)

    # Talking

    def send(self, name: str, text: str) -> Member:
        """Send a message. A member that works reads it with its next model call; any other starts to work again. Raises
        `ConfigError` and `ZotError`; a member that cannot be started keeps the message."""
        if not text.strip():
            raise ConfigError("the message is empty")
        folder = self.folder(name)
        folder.stored()
        return self._deliver(folder, {"text": text})

    def resume(self, name: str, text: str = "") -> Member:
        """Continue the work of a member that was interrupted, stopped or has failed, with `text` as a message. Raises
        as `send` does."""
        folder = self.folder(name)
        member = folder.read()
        if member.active:
            raise ConfigError(f"{member.id} works now")
        if member.state == "done" and not text.strip() and not folder.waiting():
            raise ConfigError(f"{member.id} is done; send it a message: zot swarm send {member.id} TEXT")
        return self._deliver(folder, {"text": text} if text.strip() else {"resume": True})

    def answer(self, name: str, choice: Choice, message: str = "") -> Member:
        """Answer the question that a member waits with. Raises `ConfigError`."""
        folder = self.folder(name)
        member = folder.read()
        if member.question is None:
            raise ConfigError(f"{member.id} does not ask anything")
        request = str(member.question.get("request", ""))
        return self._deliver(folder, {"answer": choice, "request": request, "message": message})

    def _deliver(self, folder: MemberFolder, message: dict[str, Any]) -> Member:
        stored = folder.put(message)
        try:
            if not folder.wake():
                self._check_cwd(folder.stored())
                self._start(folder)
        except NotStarted as error:
            if folder.alive:  # another process was faster, and reads the message
                return folder.read()
            if "resume" in message:
                folder.drop(stored)
            raise NotStarted(f"{folder.id} cannot work: {error}") from None
        return folder.read()

    def _check_cwd(self, member: Member) -> None:
        if os.path.isdir(member.cwd):
            return
        tree = member.tree
        if tree is None or not os.path.isdir(tree.repository):
            raise NotStarted(f"{member.cwd} is gone")
        raise NotStarted(
            f"its worktree {tree.folder} is gone; what was committed is on the branch {tree.branch}, and "
            f"git -C {tree.repository} worktree add -f {tree.folder} {tree.branch} brings it back"
        )

    # Ending

    def kill(self, name: str) -> Member:
        """Stop a member: its run ends, its children too; what it has done stays. Raises `ConfigError`."""
        folder = self.folder(name)
        if not folder.alive:
            raise ConfigError(f"{folder.id} does not work; it is {folder.read().state}")
        stored = folder.put({"stop": True})
        folder.wake()
        if not folder.wait_free(self.limits.stop_seconds):
            pid = folder.stored().pid
            if pid and folder.alive:  # it holds the lock, so the id is still its own
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            folder.wait_free(self.limits.lock_seconds)
        with folder.locked(self.limits.lock_seconds), suppress(OSError):
            folder.drop(stored)
            member = folder.stored()
            if member.active:
                member.state, member.question = "stopped", None
                folder.write(member)
        return folder.read()

    def merge(self, name: str) -> str:
        """Commit what a member has left, merge it into what is checked out in its project, and return a line about it.
        Raises `ConfigError` and `WorktreeError`: with a conflict nothing has changed in the project."""
        folder = self.folder(name)
        with self._held(folder):
            member = folder.stored()
            if (tree := member.tree) is None:
                raise ConfigError(f"{member.id} has no worktree: it works in {member.cwd} itself")
            if os.path.isdir(tree.folder):  # else what was committed is on the branch
                commit_worktree(tree, _commit_message(member), self._git)
            return merge_worktree(tree, self._git)

    def remove(self, name: str, *, discard: bool = False) -> str:
        """Remove a member with its worktree; its session stays. What is nowhere else is committed, and stays on its
        branch, unless `discard` drops that. Return a line about the branch, empty if nothing was left. Raises
        `ConfigError`, and keeps everything, if the work cannot be committed and `discard` is not given."""
        folder = self.folder(name)
        with self._held(folder):
            try:
                member = folder.stored()
                line = "" if member.tree is None else self._finish(member, member.tree, discard=discard)
            except ConfigError as error:
                if not discard:
                    raise ConfigError(f"{error}; --discard removes it as it is") from None
                line = str(error)
            folder.remove()
        return line

    def _finish(self, member: Member, tree: Worktree, *, discard: bool) -> str:
        if os.path.isdir(tree.folder):
            problem = finish_worktree(tree, _commit_message(member), self._git).problem
            if problem and not discard:
                raise ConfigError(f"the worktree {tree.folder} of {member.id} is kept: {problem}")
            if problem:
                with suppress(WorktreeError):
                    remove_worktree(tree, self._git, force=True)
                shutil.rmtree(tree.folder, ignore_errors=True)  # what git does not take for a worktree any more
        else:
            with suppress(WorktreeError):  # git still knows of it
                remove_worktree(tree, self._git)
        try:
            left, commit = left_in(tree, self._git), branch_tip(tree, self._git)
            if left.commits and not discard:
                return f"its work ({left.line}) is on the branch {tree.branch}; to take it: git merge {tree.branch}"
            if commit:
                drop_branch(tree, self._git, commit)
        except WorktreeError as error:
            return str(error)
        return f"git branch NAME {commit[:12]} brings its work back, for two weeks" if left.commits else ""

    @contextmanager
    def _held(self, folder: MemberFolder) -> Iterator[None]:
        """Hold the lock of a member that does not work; a look of another process is waited for."""
        try:
            working = folder.read().active
        except ConfigError:
            working = False
        try:
            with folder.locked(0.0 if working else self.limits.lock_seconds):
                yield
        except MemberInUse:
            raise MemberInUse(f"{folder.id} works now; wait until it is done, or stop it: zot swarm kill") from None


def _left_out(tree: Worktree | None) -> list[str]:
    """Return a line for the person if files of theirs are in no commit."""
    if tree is None or not tree.left_out:
        return []
    files = f"{tree.left_out} file{'' if tree.left_out == 1 else 's'}"
    return [f"your changes to {files} are in no commit, so the agent does not see them"]


def _slug(task: str) -> str:
    """Return a name made of the first words of a task."""
    words = re.findall(r"[a-z0-9]+", task.lower())[:_WORDS]
    return "-".join(words)[:_NAME].strip("-") or "agent"


def _commit_message(member: Member) -> str:
    title = " ".join(member.task.split())
    return f"{member.id}: {title[:_TITLE]}{'…' * (len(title) > _TITLE)}"
