"""Worktrees: folders with the files of a repository, each on its own branch, for agents that work beside others.

They are git's own, so `git worktree list` shows them. git is always called with the folder that it has for the worktree
in the repository: an agent may replace the file `.git` in the worktree, which leads there.

The functions run git: call them in a thread. `check` is called often while it runs, and may raise to give up.
"""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from zot_core.machine.git import git_command, git_environment, run_git
from zot_core.machine.repository import git_folders, repository_top
from zot_provider.errors import ZotError
from zot_provider.files.sha256 import sha256_hex
from zot_provider.record import Record

BRANCHES = "zot/"
"""How the names of their branches begin."""

_NAMES = 1000
_POLL = 0.05
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer")
_NO_CHANGES = "--ignore-submodules=all"  # to look into them, git would follow their own settings


class WorktreeError(ZotError):
    """A worktree cannot be made, or what is in it cannot be kept, merged or removed; nothing is lost."""


class _GitFailed(WorktreeError):
    """A git command has ended with an error."""


class WorktreeLimits(Record):
    """`seconds`: the time of one git command, and of the wait for others that make or remove worktrees."""

    seconds: float = 120.0


class Worktree(Record):
    """A worktree in `folder`, on `branch`, which began at the commit `base`.

    `repository` is the folder of the files from which it was made, `git` its own folder in that repository. `left_out`
    is how many files there were changed or new since `base`, so that they are not in it.
    """

    folder: str
    branch: str
    base: str
    repository: str
    git: str
    left_out: int = 0


class WorktreeWork(Record):
    """The work in a worktree: the last `commit`, empty without any, how many `commits`, and git's line about
    them (`2 files changed, 3 insertions(+)`). `folder` is empty once the worktree has been removed; `problem` says
    why it has not been."""

    branch: str
    commit: str = ""
    commits: int = 0
    summary: str = ""
    folder: str = ""
    problem: str = ""

    @property
    def line(self) -> str:
        """One line for the agent that gave the task."""
        if self.problem:
            return f"its worktree {self.folder} is kept: {self.problem}"
        if not self.commit:
            return "it changed no files"
        count = f"{self.commits} commit{'' if self.commits == 1 else 's'}"
        return f"its work is on the branch {self.branch} ({count}, {self.summary}); to take it: git merge {self.branch}"


class WorktreeLeft(Record):
    """The part of a worktree that is nowhere else: `commits` that no other branch and no tag has, and `files` that are
    changed or new."""

    commits: int = 0
    files: int = 0

    @property
    def line(self) -> str:
        """A description in words; empty for nothing."""
        counts = ((self.commits, "commit"), (self.files, "changed file"))
        return " and ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts if count)


def _go_on() -> None:
    """Give up never."""


def worktrees_folder(root: str, cwd: str) -> str:
    """Return the folder, below `root`, for the worktrees of the repository around `cwd`; without `root` it is in the
    git directory. The worktrees of a worktree are beside it."""
    _, common = git_folders(repository_top(cwd) or os.path.realpath(cwd))
    if not root:
        return os.path.join(common, "zot-worktrees")
    name = os.path.basename(common.removesuffix(f"{os.sep}.git")).lstrip(".")
    plain = "".join(each if each.isalnum() or each in "-_." else "-" for each in name)[:40]
    return os.path.join(root, f"{plain or 'top'}-{sha256_hex(os.fsencode(common))[:8]}")


def add_worktree(
    cwd: str, root: str, name: str, limits: WorktreeLimits, check: Callable[[], None] = _go_on
) -> Worktree:
    """Make a worktree of the repository around `cwd` from its last commit, on the branch `zot/NAME`, or `zot/NAME-2`
    and so on. It is below `root`, in `worktrees_folder`. Raises `WorktreeError`."""
    top = repository_top(cwd)
    if not top:
        raise WorktreeError(f"a worktree needs a git repository, and {cwd} is in none")
    run = _Git(limits, top, check=check)
    base = run.maybe("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if not base:
        raise WorktreeError(f"a worktree needs a commit, and {top} has none yet")
    left_out = len(_entries(run("status", "--porcelain", "-z", _NO_CHANGES)))
    made = False
    with _alone(top, limits, check):
        folder, branch = _free(run, worktrees_folder(root, cwd), name)
    try:
        with _alone(top, limits, check):
            run("worktree", "add", "--quiet", "--no-checkout", "-b", branch, folder, base)
        inside = _Git(limits, folder, check=check)
        inside("reset", "--quiet", "--hard", "--no-recurse-submodules")
        own = os.path.realpath(inside("rev-parse", "--absolute-git-dir"))
        made = True
    finally:
        if not made:  # the folder is still ours alone
            with _alone(top, limits):
                again = _Git(limits, top)
                again.maybe("worktree", "remove", "--force", "--force", folder)
                again.maybe("update-ref", "-d", f"refs/heads/{branch}", base)
                shutil.rmtree(folder, ignore_errors=True)
                with suppress(OSError):  # others are in it
                    os.rmdir(os.path.dirname(folder))
    return Worktree(folder, branch, base, top, own, left_out)


@contextmanager
def _alone(top: str, limits: WorktreeLimits, check: Callable[[], None] = _go_on) -> Iterator[None]:
    """Hold the lock of a repository, so that no other zot makes or removes a worktree meanwhile: git fails where it
    finds one half made, and the folder around them goes with the last one. Raises `WorktreeError`."""
    if sys.platform == "win32":  # which opens no folders
        yield
        return
    import fcntl  # noqa: PLC0415  Windows has none

    with WorktreeError.of_system(f"{top} is gone, or closed to you"):
        descriptor = os.open(git_folders(top)[1], os.O_RDONLY | os.O_DIRECTORY)
    end = time.monotonic() + limits.seconds
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                check()
                if time.monotonic() > end:
                    raise WorktreeError(f"others have made or removed worktrees for {limits.seconds:g} s") from None
                time.sleep(_POLL)
                continue
            except OSError:  # a file system without locks
                pass
            break
        yield
    finally:
        os.close(descriptor)


def _free(run: "_Git", parent: str, name: str) -> tuple[str, str]:
    """Make a folder of a name that no branch and no other folder has; return it and the branch."""
    try:
        os.makedirs(parent, mode=0o700, exist_ok=True)
        for number in range(1, _NAMES):
            each = name if number == 1 else f"{name}-{number}"
            folder, branch = os.path.join(parent, each), BRANCHES + each
            if not run.maybe("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}"):
                with suppress(FileExistsError):
                    os.mkdir(folder, mode=0o700)
                    return folder, branch
    except OSError as error:
        raise WorktreeError(f"{parent}: {error.strerror}; a worktree cannot be made there") from error
    raise WorktreeError(f"there are {_NAMES} worktrees named {name} in {parent}; remove some")


def commit_worktree(worktree: Worktree, message: str, limits: WorktreeLimits) -> WorktreeWork:
    """Commit all that is in a worktree and is not ignored, and return what is on its branch since `base`. Raises
    `WorktreeError`."""
    run = _own(worktree, limits)
    if any(os.path.lexists(os.path.join(worktree.git, each)) for each in _UNFINISHED):
        raise WorktreeError("a merge or a rebase in it has not ended")
    if _entries(run("status", "--porcelain", "-z", "--untracked-files=all", _NO_CHANGES)):
        run("add", "--all")
        run("commit", "--quiet", "--no-verify", "--message", message, settings=run.author())
    commit = run("rev-parse", "--verify", "HEAD")
    if commit != run.maybe("rev-parse", "--verify", "--quiet", f"refs/heads/{worktree.branch}"):
        raise WorktreeError(f"its branch is no longer {worktree.branch}")
    if commit == worktree.base:
        return WorktreeWork(worktree.branch, folder=worktree.folder)
    commits = int(run("rev-list", "--count", f"{worktree.base}..{commit}"))
    summary = run("diff", "--shortstat", _NO_CHANGES, worktree.base, commit) or "no files changed"
    return WorktreeWork(worktree.branch, commit, commits, summary, worktree.folder)


def branch_tip(worktree: Worktree, limits: WorktreeLimits) -> str:
    """Return the commit of the branch of a worktree; empty if the branch is gone. Raises `WorktreeError`."""
    return _Git(limits, worktree.repository).maybe("rev-parse", "--verify", "--quiet", f"refs/heads/{worktree.branch}")


def left_in(worktree: Worktree, limits: WorktreeLimits) -> WorktreeLeft:
    """Return what is in a worktree, or on its branch if the folder is gone, and nowhere else. Raises
    `WorktreeError`."""
    run, files = _Git(limits, worktree.repository), 0
    tips = [branch_tip(worktree, limits)]
    if os.path.isdir(worktree.folder):
        own = _own(worktree, limits)
        tips.append(own("rev-parse", "--verify", "HEAD"))
        files = len(_entries(own("status", "--porcelain", "-z", _NO_CHANGES)))
    if not any(tips):
        return WorktreeLeft(0, files)
    others = ("--not", f"--exclude={worktree.branch}", "--branches", "--tags", "--remotes")
    return WorktreeLeft(int(run("rev-list", "--count", *filter(None, tips), *others)), files)


def remove_worktree(worktree: Worktree, limits: WorktreeLimits, *, force: bool = False) -> None:
    """Remove the folder of a worktree, with ignored files; its branch is kept. Raises `WorktreeError` if it has changes
    that are not committed, unless `force` drops them."""
    with _alone(worktree.repository, limits):
        run = _Git(limits, worktree.repository)
        run("worktree", "remove", *(["--force", "--force"] if force else []), worktree.folder)
        with suppress(OSError):  # others are in it
            os.rmdir(os.path.dirname(worktree.folder))


def drop_branch(worktree: Worktree, limits: WorktreeLimits, commit: str = "") -> None:
    """Delete the branch of a worktree that has been removed, if it is at `commit`; by default if it is still at its
    base. Raises `WorktreeError`."""
    run = _Git(limits, worktree.repository)
    run("update-ref", "-d", f"refs/heads/{worktree.branch}", commit or worktree.base)


def merge_worktree(worktree: Worktree, limits: WorktreeLimits) -> str:
    """Merge the branch of a worktree into what is checked out in its repository; return git's line about it. Raises
    `WorktreeError`, and the repository is as before: a merge with conflicts is ended."""
    run = _Git(limits, worktree.repository)
    before = run("rev-parse", "--verify", "HEAD")
    if run.maybe("rev-parse", "--verify", "--quiet", "MERGE_HEAD"):
        raise WorktreeError(f"a merge in {worktree.repository} has not ended; finish it, or: git merge --abort")
    try:
        run("merge", "--quiet", "--no-edit", "--no-verify", worktree.branch, settings=run.author())
    except WorktreeError as error:
        conflicts = _entries(run.maybe("diff", "--name-only", "--diff-filter=U", "-z"))
        run.maybe("merge", "--abort")
        if conflicts:
            raise WorktreeError(
                f"{worktree.branch} conflicts with {', '.join(conflicts[:5])}; to solve that: git merge"
                f" {worktree.branch}"
            ) from error
        raise
    return run("diff", "--shortstat", _NO_CHANGES, before, "HEAD") or "nothing to merge"


def finish_worktree(worktree: Worktree, message: str, limits: WorktreeLimits) -> WorktreeWork:
    """Commit what is in a worktree, and remove its folder; without any changes its branch, too. Never raises
    `WorktreeError`: what cannot be committed is kept, and `problem` says why."""
    work = WorktreeWork(worktree.branch, folder=worktree.folder)
    try:
        work = commit_worktree(worktree, message, limits)
        remove_worktree(worktree, limits)
        if not work.commit:
            drop_branch(worktree, limits)
    except WorktreeError as error:
        return work.replace(problem=str(error))
    return work.replace(folder="")


def _own(worktree: Worktree, limits: WorktreeLimits) -> "_Git":
    """Return git for the files of a worktree. Raises `WorktreeError` if it is gone, or its `.git` leads elsewhere."""
    if not os.path.isdir(worktree.folder):
        raise WorktreeError(f"the folder is gone; what was committed is on the branch {worktree.branch}")
    if not os.path.isdir(worktree.git) or git_folders(worktree.folder)[0] != worktree.git:
        raise WorktreeError("its .git was replaced; look at it before you run git there")
    return _Git(limits, worktree.folder, (f"--git-dir={worktree.git}", f"--work-tree={worktree.folder}"))


def _entries(text: str) -> list[str]:
    return [each for each in text.split("\0") if each]


class _Git:
    """Runs git in `cwd`, with `options` before every command."""

    def __init__(
        self, limits: WorktreeLimits, cwd: str, options: tuple[str, ...] = (), check: Callable[[], None] = _go_on
    ) -> None:
        self._limits, self._cwd, self._options, self._check = limits, cwd, options, check

    def maybe(self, *arguments: str) -> str:
        """Return the output, empty if the command fails."""
        try:
            return self(*arguments)
        except _GitFailed:
            return ""

    def author(self) -> tuple[str, ...]:
        """Return the settings of a commit: unsigned, and by zot if git knows no name of the person."""
        known = self.maybe("var", "GIT_AUTHOR_IDENT") and self.maybe("var", "GIT_COMMITTER_IDENT")
        return ("commit.gpgSign=false", *(() if known else ("user.name=zot", "user.email=zot@localhost")))

    def __call__(self, *arguments: str, settings: tuple[str, ...] = ()) -> str:
        """Return the output without blanks around it. Raises `WorktreeError`."""
        try:
            done = run_git(
                git_command(*self._options, *arguments, settings=settings),
                self._cwd,
                git_environment(os.environ) | {"LC_ALL": "C"},
                self._limits.seconds,
                check=self._check,
            )
        except TimeoutError:
            raise WorktreeError(f"git takes longer than {self._limits.seconds:g} s") from None
        except FileNotFoundError as error:
            missing = f"{self._cwd} is gone" if os.path.isabs(error.filename or "") else "git is not installed"
            raise WorktreeError(missing) from error
        except OSError as error:
            raise WorktreeError(f"git cannot run in {self._cwd}: {error.strerror}") from error
        if done.code:
            raise _GitFailed(f"git {arguments[0]}: {done.bare_reason or f'exit code {done.code}'}")
        return os.fsdecode(done.out).strip()
