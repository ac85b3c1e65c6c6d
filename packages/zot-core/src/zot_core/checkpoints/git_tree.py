"""`GitTree`: finds what changed in a folder, with a git directory of zot's own: an index and contents.

The person's repository is not read or written: not its index, hooks, configuration or refs. Of it, only the ignore
files count. What git lists as changed since the last look is stored; an index of this process keeps what was seen.
"""

import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache

from zot_core.aio import GivenUp
from zot_core.checkpoints.folder_modes import FolderModes
from zot_core.checkpoints.folders import FolderIsLink
from zot_core.checkpoints.repositories import Repositories
from zot_core.checkpoints.sight import FolderSight, Seen
from zot_core.checkpoints.states import (
    EXECUTABLE,
    LINK,
    REGULAR,
    UNSEEN,
    FileChange,
    FileState,
    mode_of,
    not_found,
    save,
    unstored,
)
from zot_core.checkpoints.store import CheckpointLimits, CheckpointStore
from zot_core.errors import CheckpointError
from zot_core.machine.git import git_command, git_environment, run_git, running_git
from zot_provider.files.regular_file import read_regular
from zot_provider.files.replace_file import replace_file

_MANY = 100
_FETCHED = 100

_SPECIAL = "\\*?[#! "


class GitMissing(CheckpointError):
    """There is no git, or one before 2.29, which has no SHA-256."""


class FolderTooLarge(CheckpointError):
    """The folder has too many files or bytes, or the first look took too long."""


class _GitFailed(CheckpointError):
    """A git command failed."""


class GitTree:
    """Looks at the folder of a store. The methods run git: call them in a thread, one at a time."""

    def __init__(self, store: CheckpointStore, left_out: list[str], limits: CheckpointLimits) -> None:
        """`left_out` are absolute paths of folders that are not looked at. Raises `GitMissing`."""
        self._store, self._limits = store, limits
        try:
            self._git = git_command(f"--work-tree={store.folder}", f"--git-dir={store.path}")
        except FileNotFoundError:
            raise GitMissing("git is not installed") from None
        self._shared = os.path.join(store.path, "index")
        self._index = os.path.join(store.path, f"index-{os.getpid()}-{os.urandom(4).hex()}")
        self._environment = store_environment() | {"GIT_INDEX_FILE": self._index}
        self._exclude = [f"--exclude=/{_literal(name)}/" for path in left_out if (name := self._relative(path))]
        self._excludes: bytes | None = None
        self._sight = FolderSight(store.folder)  # of the last look
        self._large: dict[bytes, FileState] = {}  # files that are too large to be stored, at the last look
        self._modes: dict[bytes, int] | None = None  # at the last look, those with permissions that git does not keep
        self._repositories = Repositories(store, limits.file_bytes)
        self._folders = FolderModes(store.folder)
        self._stopped = threading.Event()

    def look(self, *, compare: bool) -> list[FileChange]:
        """Store what has changed in the folder since the last look. With `compare`, return it.

        The first look stores every file, and so does the next one after damage to the index. Raises `CheckpointError`,
        OSError.
        """
        self._stopped.clear()
        if not os.path.exists(self._index):
            with suppress(FileNotFoundError), open(self._shared, "rb") as file:
                replace_file(self._index, file.read(), mode=0o600)
        with suppress(FileNotFoundError):
            os.unlink(f"{self._index}.lock")  # of a command that was stopped
        why = ""
        for _ in range(2):
            try:
                return self._look(compare=compare)
            except _GitFailed as error:  # a file may have changed meanwhile
                why = str(error)
        self.forget()
        return self._look(compare=False) + ([not_found(self._store.folder, why)] if compare else [])

    def forget(self) -> None:
        """Store every file with the next look: contents that were stored are missing."""
        for path in (self._index, self._shared):
            with suppress(FileNotFoundError):
                os.unlink(path)

    def _look(self, *, compare: bool) -> list[FileChange]:
        began = time.time()
        self._copy_excludes()
        indexed = self._indexed()
        rules = ("-o", "-z", "--exclude-standard", *self._exclude)
        reads: list[tuple[str, ...]] = [("ls-files", *rules), ("ls-files", "-i", "--directory", *rules)]
        reads += [("diff-files", "-z", "--raw", "--no-renames")] if indexed else []
        reads += [("ls-files", "-z")] if indexed and self._modes is None else []
        with ExitStack() as running:
            ends = [running.enter_context(self._running(*each)) for each in reads]
            others, hidden, *more = (end().split(b"\0") for end in ends)
        fields = more.pop(0) if indexed else []
        listed = more.pop(0) if more else []
        if self._modes is None:
            self._modes = {}
            self._note_modes(listed)
        heads = dict(zip(fields[1::2], fields[::2], strict=False))
        old = {name: _old_state(head, self._modes.get(name)) for name, head in heads.items()}
        # A name that ends in a slash is that of a repository in the folder.
        names = old.keys() | {name for name in others if name and not name.endswith(b"/")}
        if len(names) - len(old) + indexed > self._limits.files:
            raise FolderTooLarge(f"the folder has more than {self._limits.files:,} files")
        large, unread = self._sizes(names)
        self._note_modes(names)
        hidden += [name for name in others if name.endswith(b"/")]
        out_of_sight = {*filter(None, hidden), *(unread - old.keys())}
        sight = FolderSight(self._store.folder, began, out_of_sight, self._sight)
        compared = self._compare({**self._large, **old}, names, large) if compare else []
        found, doubtful = self._sight.judge(compared, sight, self._seen)
        self._large = large
        gone = (large.keys() & old.keys()) | self._behind_links(old)
        if gone:
            self._run("update-index", "--force-remove", "-z", "--stdin", names=gone)
        if changed := names - large.keys() - unread - gone:
            settings = self._packing() if len(changed) > _MANY and not self._indexed() else ()
            self._run(*settings, "update-index", "--add", "--remove", "--replace", "-z", "--stdin", names=changed)
        last, self._sight = self._sight, sight
        inside = (os.path.join(self._path(name), ".git") for name in others if name.endswith(b"/"))
        repositories = self._repositories.look([os.path.join(self._store.folder, ".git"), *inside])
        folders = self._folders.look(os.fsdecode(name) for name in (*listed, *names))
        asked = [FileChange(path, None, UNSEEN) for path in doubtful]
        rest = [*last.lost(sight, repositories), *repositories, *folders] if compare else []
        return [*found, *self._changed_since(found), *asked, *rest]

    def _behind_links(self, names: Iterable[bytes]) -> set[bytes]:
        """Return the files of which a folder is a link now. Git refuses their names."""
        top = os.fsencode(self._store.folder)

        @cache
        def is_real(folder: bytes) -> bool:
            path = os.path.join(top, folder) if folder else top
            return os.path.realpath(path) == path

        return {name for name in names if not is_real(os.path.dirname(name))}

    def _seen(self) -> Seen:
        """Return what was in sight at the last look, from the index."""
        listed = self._run("ls-files", "-s", "--debug")  # without `-z` no name can look like another line
        ids = re.findall(rb"^\d{6} ([0-9a-f]{64}) \d\t", listed, re.MULTILINE)
        return Seen(
            {id.decode() for id in ids},
            {int(each) for each in re.findall(rb"^  dev: \d+\tino: (\d+)$", listed, re.MULTILINE)},
        )

    def _copy_excludes(self) -> None:
        """Keep what the repository leaves out, for a command that removes the repository: what was left out would seem
        to be new."""
        repository = os.path.join(self._store.folder, ".git")
        if not os.path.isdir(repository):
            return
        text = b""
        with suppress(OSError):
            text = read_regular(os.path.join(repository, "info", "exclude"), self._limits.file_bytes)
        if text != self._excludes:
            replace_file(os.path.join(self._store.path, "info", "exclude"), text, mode=0o600)
            self._excludes = text

    def _note_modes(self, names: Iterable[bytes]) -> None:
        """Note the permissions of files. Git says that a file may have changed when these have, too."""
        modes = self._modes = self._modes or {}
        for name in names:
            try:
                mode = mode_of(os.lstat(self._path(name)))
            except OSError:  # deleted
                mode = 0
            if mode in (0, LINK, REGULAR, EXECUTABLE):
                modes.pop(name, None)
            else:
                modes[name] = mode

    def _state(self, path: str) -> FileState | None:
        """Return what is at a path now. A file behind a link is not there."""
        try:
            return save(path, self._store.objects, self._limits.file_bytes)
        except FolderIsLink:
            return None

    def _packing(self) -> tuple[str, ...]:
        """Return the settings with which git stores all contents in one file; git before 2.38 would make one for each.

        That needs a tenth of the space and of the system calls; on a busy disk, 10,000 files take 10 s without it."""
        version = re.search(rb"(\d+)\.(\d+)", self._run("version"))
        new = version is not None and (int(version[1]), int(version[2])) >= (2, 38)
        return ("-c", "core.bigFileThreshold=1", "-c", "pack.compression=1") if new else ()

    def _sizes(self, names: set[bytes]) -> tuple[dict[bytes, FileState], set[bytes]]:
        """Return the files that are too large to be stored, and the unreadable files. Raises `FolderTooLarge` for too
        many bytes."""
        large, unread, total = dict[bytes, FileState](), set[bytes](), 0
        for name in names:
            path = self._path(name)
            try:
                status = os.lstat(path)
            except OSError:  # deleted
                continue
            if status.st_size > self._limits.file_bytes:
                large[name] = unstored(status)
            elif not os.path.islink(path) and not os.access(path, os.R_OK):
                unread.add(name)
            else:
                total += status.st_size
        if total > self._limits.tree_bytes:
            raise FolderTooLarge(f"the folder has more than {self._limits.tree_bytes:,} bytes of new files")
        return large, unread

    def _compare(
        self, old: "dict[bytes, FileState | None]", names: set[bytes], large: dict[bytes, FileState]
    ) -> list[FileChange]:
        changes = []
        for name in sorted(names | self._large.keys()):
            path = self._path(name)
            with suppress(OSError):  # unreadable
                now = large.get(name) or self._state(path)
                if now != old.get(name):
                    changes.append(FileChange(path, old.get(name), now))
        return changes

    def _changed_since(self, found: list[FileChange]) -> list[FileChange]:
        """Return what has changed in these files since they were compared: git has read them later than that."""
        changes = []
        for path, _, before in found:
            with suppress(OSError):  # unreadable
                now = self._state(path)
                if now != before:
                    changes.append(FileChange(path, before, now))
        return changes

    def _path(self, name: bytes) -> str:
        return os.path.join(self._store.folder, os.fsdecode(name))

    def stop(self) -> None:
        """End the running command; `look` then raises `GivenUp`. May be called from another thread."""
        self._stopped.set()

    def close(self) -> None:
        """Keep the index for the next process."""
        self._repositories.close()
        with suppress(OSError):
            os.replace(self._index, self._shared)

    def _go_on(self) -> None:
        if self._stopped.is_set():
            raise GivenUp

    def _run(self, *arguments: str, names: "set[bytes] | None" = None) -> bytes:
        with self._running(*arguments, names=names) as end:
            return end()

    @contextmanager
    def _running(self, *arguments: str, names: "set[bytes] | None" = None) -> Iterator[Callable[[], bytes]]:
        """Run git beside the block, which gets the function that waits for what it prints."""
        self._go_on()
        given = b"".join(name + b"\0" for name in sorted(names or ()))
        first = not self._indexed()
        limit = self._limits.first_seconds if first else self._limits.seconds
        command = [*self._git, *arguments]
        running = running_git(command, self._store.folder, self._environment, limit, given=given, check=self._go_on)
        with running as ended:

            def end() -> bytes:
                try:
                    done = ended()
                except TimeoutError:
                    raise (FolderTooLarge if first else CheckpointError)(f"git took longer than {limit:g} s") from None
                self._go_on()
                if done.code:
                    line = done.err.decode("utf-8", "replace").split("\n")[0]
                    if "unknown repository extension" in line or "objectformat" in line:
                        raise GitMissing("git is older than 2.29")
                    raise _GitFailed(f"git {arguments[0]} failed: {line}")
                return done.out

            yield end

    def _indexed(self) -> int:
        """Return the number of files in the index, from its header."""
        try:
            with open(self._index, "rb") as file:
                return int.from_bytes(file.read(12)[8:], "big")
        except FileNotFoundError:
            return 0

    def _relative(self, path: str) -> str:
        """Return a path relative to the folder; empty if it is not below it."""
        name = os.path.relpath(os.path.realpath(path), self._store.folder)
        return "" if name == os.curdir or name.split(os.sep)[0] == os.pardir else name


def fetch(store: CheckpointStore, ids: Iterable[str], limits: CheckpointLimits) -> None:
    """Make contents that git keeps in its packs readable without git. What git does not have stays missing."""
    missing = sorted({id for id in ids if not store.objects.has(id)})
    for first in range(0, len(missing), _FETCHED):
        names = "".join(f"{id}\n" for id in missing[first : first + _FETCHED])
        try:
            command = git_command(f"--git-dir={store.path}", "cat-file", "--batch")
            done = run_git(command, store.path, store_environment(), limits.first_seconds, given=names.encode())
        except OSError:
            return
        rest = memoryview(done.out)
        while rest:
            end = bytes(rest[:200]).find(b"\n")
            words = bytes(rest[:end]).split()
            rest = rest[end + 1 :]
            if len(words) == 3:  # otherwise: <id> missing
                size = int(words[2])
                store.objects.put(bytes(rest[:size]))
                rest = rest[size + 1 :]


def store_environment() -> dict[str, str]:
    """Return the environment for git in a store, in which nothing of the person's own settings counts."""
    environment = git_environment(os.environ) | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": "0",
        "LC_ALL": "C",
    }
    environment.pop("GIT_CONFIG_PARAMETERS", None)
    return environment


def _old_state(head: bytes, mode: int | None) -> FileState | None:
    """Return the state in the index, from a line of `git diff-files`: `:<old mode> <new mode> <old id> ...`. `mode` is
    what the file had, if git does not keep it."""
    words = head.decode().removeprefix(":").split()
    return FileState(mode or int(words[0], 8), words[2]) if len(words) > 2 else None


def _literal(name: str) -> str:
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in name)
