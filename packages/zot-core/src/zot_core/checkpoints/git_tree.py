"""`GitTree`: finds what changed in a folder, with a git directory of zot's own.

The person's repository is not read or written: not its index, hooks, configuration or refs. Of it, only the ignore
files count. What git lists as changed since the last look is stored; an index of this process keeps what was seen.
"""

import os
import signal
import struct
import subprocess
import threading
from contextlib import suppress

from zot_core.aio import GivenUp
from zot_core.checkpoints.states import FileChange, FileState, unstored
from zot_core.checkpoints.store import PRUNED, CheckpointLimits, CheckpointStore
from zot_core.errors import CheckpointError
from zot_core.machine.git import git_command, git_environment
from zot_provider.files.replace_file import replace_file
from zot_provider.record import Record, record

_SPECIAL = "\\*?[#! "


class GitMissing(CheckpointError):
    """There is no git, or one before 2.29, which has no SHA-256."""


class _GitFailed(CheckpointError):
    """A git command failed."""


@record
class TreeSnapshot(Record):
    """A folder at one time: the id of git's tree, and the states of the files that are too large to be stored, by path
    relative to the folder."""

    tree: str
    large: dict[str, FileState]


class GitTree:
    """Takes snapshots of the folder of a store. The methods run git: call them in a thread, one at a time."""

    def __init__(self, store: CheckpointStore, left_out: list[str], limits: CheckpointLimits) -> None:
        """`left_out` are absolute paths of folders that are not looked at. Raises `GitMissing`."""
        self._store, self._limits = store, limits
        try:
            self._git = git_command(f"--work-tree={store.folder}", f"--git-dir={store.path}")
        except FileNotFoundError:
            raise GitMissing("git is not installed") from None
        self._shared = os.path.join(store.path, "index")
        self._index = os.path.join(store.path, f"index-{os.getpid()}-{os.urandom(4).hex()}")
        self._environment = git_environment(os.environ) | {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": "0",
            "GIT_INDEX_FILE": self._index,
            "LC_ALL": "C",
        }
        self._environment.pop("GIT_CONFIG_PARAMETERS", None)
        self._exclude = [f"--exclude=/{_literal(name)}/" for path in left_out if (name := self._relative(path))]
        if os.path.isfile(own := os.path.join(store.folder, ".git", "info", "exclude")):
            self._exclude.append(f"--exclude-from={own}")
        self._last: TreeSnapshot | None = None
        self._valid_since = 0  # when the store was pruned: git's trees may be missing since
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = threading.Event()

    def snapshot(self) -> TreeSnapshot:
        """Store the folder as it is, without ignored files. Raises `CheckpointError`, OSError.

        A damaged index, and contents that somebody removed, are replaced: then every file is read once more.
        """
        self._stopped.clear()
        if self._last is None:
            with suppress(FileNotFoundError), open(self._shared, "rb") as file:
                replace_file(self._index, file.read(), mode=0o600)
        try:
            return self._take()
        except _GitFailed:
            for path in (self._index, self._shared):
                with suppress(FileNotFoundError):
                    os.unlink(path)
            self._last = None
            return self._take()

    def _take(self) -> TreeSnapshot:
        listed = self._run("ls-files", "-m", "-o", "-z", "--exclude-standard", *self._exclude).split(b"\0")
        names = {name for name in listed if name and not name.endswith(b"/")}  # a repository in the folder ends so
        if len(names) + self._indexed() > self._limits.files:
            raise CheckpointError(f"the folder has more than {self._limits.files:,} files")
        large, unread, total = {}, set(), 0
        for name in names:
            path = os.path.join(self._store.folder, os.fsdecode(name))
            try:
                status = os.lstat(path)
            except OSError:  # deleted
                continue
            if status.st_size > self._limits.file_bytes:
                large[os.fsdecode(name)] = unstored(status)
            elif not os.path.islink(path) and not os.access(path, os.R_OK):
                unread.add(name)
            else:
                total += status.st_size
        if total > self._limits.tree_bytes:
            raise CheckpointError(f"the folder has more than {self._limits.tree_bytes:,} bytes of new files")
        known = self._last.large if self._last is not None else {}
        if grown := {os.fsencode(name) for name in large.keys() - known.keys()}:
            self._run("update-index", "--force-remove", "-z", "--stdin", names=grown)
        changed = names - {os.fsencode(name) for name in large} - unread
        if changed:
            self._run("update-index", "--add", "--remove", "--replace", "-z", "--stdin", names=changed)
        pruned = self._pruned()
        if self._last is None or changed or grown or pruned != self._valid_since:
            self._valid_since = pruned
            self._last = TreeSnapshot(self._run("write-tree").decode().strip(), large)
        else:
            self._last = TreeSnapshot(self._last.tree, large)
        return self._last

    def changes(self, before: TreeSnapshot, after: TreeSnapshot) -> list[FileChange]:
        """Return the files that differ between two snapshots. Raises `CheckpointError`, OSError."""
        found: dict[str, FileChange] = {}
        if before.tree != after.tree:
            fields = self._run("diff-tree", "-r", "-z", "--raw", "--no-renames", before.tree, after.tree).split(b"\0")
            for head, name in zip(fields[::2], fields[1::2], strict=False):
                old_mode, new_mode, old, new = head.decode().removeprefix(":").split()[:4]
                path = os.path.join(self._store.folder, os.fsdecode(name))
                found[path] = FileChange(path, _state(old_mode, old), _state(new_mode, new))
        for large in before.large.keys() | after.large.keys():
            path = os.path.join(self._store.folder, large)
            change = found.get(path, FileChange(path, None, None))
            old_state, new_state = before.large.get(large, change.before), after.large.get(large, change.after)
            found[path] = FileChange(path, old_state, new_state)
        return [change for change in found.values() if change.before != change.after]

    def stop(self) -> None:
        """End the running command; `snapshot` then raises `GivenUp`. May be called from another thread."""
        self._stopped.set()
        if (process := self._process) is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Keep the index for the next process."""
        with suppress(OSError):
            os.replace(self._index, self._shared)

    def _run(self, *arguments: str, names: "set[bytes] | None" = None) -> bytes:
        if self._stopped.is_set():
            raise GivenUp
        with subprocess.Popen(
            [*self._git, *arguments],
            cwd=self._store.folder,
            env=self._environment,
            stdin=subprocess.PIPE if names else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            self._process = process
            try:
                text = b"".join(name + b"\0" for name in sorted(names)) if names else None
                out, err = process.communicate(text, timeout=self._limits.seconds)
            except subprocess.TimeoutExpired:
                self.stop()
                raise CheckpointError(f"git took longer than {self._limits.seconds:g} s") from None
            finally:
                self._process = None
        if self._stopped.is_set():
            raise GivenUp
        if process.returncode:
            lines = err.decode("utf-8", "replace").split("\n")
            if "unknown repository extension" in lines[0] or "objectformat" in lines[0]:
                raise GitMissing("git is older than 2.29")
            raise _GitFailed(f"git {arguments[0]} failed: {lines[0]}")
        return out

    def _pruned(self) -> int:
        try:
            return os.stat(os.path.join(self._store.path, PRUNED)).st_mtime_ns
        except FileNotFoundError:
            return 0

    def _indexed(self) -> int:
        """Return the number of files in the index, from its header."""
        try:
            with open(self._index, "rb") as file:
                return int(struct.unpack(">I", file.read(12)[8:])[0])
        except (FileNotFoundError, struct.error):
            return 0

    def _relative(self, path: str) -> str:
        """Return a path relative to the folder; empty if it is not below it."""
        name = os.path.relpath(os.path.realpath(path), self._store.folder)
        return "" if name == os.curdir or name.split(os.sep)[0] == os.pardir else name


def _state(mode: str, id: str) -> FileState | None:
    return FileState(int(mode, 8), id) if int(mode, 8) else None


def _literal(name: str) -> str:
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in name)
