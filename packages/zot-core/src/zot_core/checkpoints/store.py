"""`CheckpointStore`: the checkpoints of one folder, on disk.

```text
$ZOT_HOME/checkpoints/<first 16 hex digits of the SHA-256 of the folder's path>/
    folder                        the path
    HEAD config info/ objects/    a git directory, so that git can store contents too
    pruned                        empty; its time is that of the last removal of old contents
    given-up                      why changes by commands are not found, such as too many files; counts for a day
    turns/<hash of an entry>.jsonl
```

A file of `turns` belongs to an answer in a session, by the id of its entry. Its rows are changes in order, `[path,
before, after]`, where a state is `[mode, id]` or null; the first row is `{"entry": id, "time": seconds}`. A file that
is about to be written has the after state `[0, ""]` until the change is done.
"""

import json
import os
import time
from collections.abc import Iterable

from zot_core.checkpoints.objects import ObjectStore
from zot_core.checkpoints.states import FileChange, FileState
from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import open_regular, read_regular
from zot_provider.files.replace_file import replace_file
from zot_provider.files.sha256 import sha256_hex
from zot_provider.record import Record

PRUNED = "pruned"
_GIVEN_UP = "given-up"
_DAY = 86_400.0
_REASON = 1000

_GIT_FILES = {
    "HEAD": "ref: refs/heads/none\n",
    # Objects are written for this machine only. Nothing of the person's own configuration is read.
    "config": """\
[core]
\trepositoryformatversion = 1
\tfileMode = true
\tsymlinks = true
\tautocrlf = false
\tlooseCompression = 1
\tsharedRepository = 0600
[extensions]
\tobjectFormat = sha256
""",
    # Contents are stored as they are, whatever the `.gitattributes` of a project say.
    "info/attributes": "* -text !eol -ident -filter -working-tree-encoding\n",
}


class CheckpointLimits(Record):
    """Bounds of what is stored. What exceeds one is left out, which a notice reports."""

    files: int = 50_000
    """Most files of a folder in which changes by commands are found."""
    file_bytes: int = 10_000_000
    tree_bytes: int = 1_000_000_000
    """Most bytes of new files in one checkpoint of a folder."""
    seconds: float = 10.0
    """The time limit of a git command."""
    first_seconds: float = 30.0
    """The same for a command that reads every file."""
    pause: float = 0.2
    """Seconds without another command after which the folder is searched for what commands changed."""
    done_seconds: float = 2.0
    """How long `done` waits until the last command is searched for changes. What changes in files after that, and after
    `done`, is taken for the person's work."""
    stopped_seconds: float = 0.1
    """The same for a run that was stopped."""
    store_bytes: int = 2_000_000_000
    """Size of the checkpoints of a folder, compressed, above which old ones are removed."""
    days: float = 30.0
    """Age after which checkpoints are removed."""


def store_folder(root: str, folder: str) -> str:
    """Return the path of the checkpoints of a folder, which is absolute and without links."""
    return os.path.join(root, sha256_hex(os.fsencode(folder))[:16])


class CheckpointStore:
    """Reads and writes the checkpoints at `path`, which belong to `folder`."""

    def __init__(self, path: str, folder: str) -> None:
        self.path, self.folder = path, folder
        self.objects = ObjectStore(path)

    def create(self) -> bool:
        """Create what is missing of the store, readable for its owner alone. Return whether it had no contents. Raises
        OSError."""
        new = not os.path.isdir(os.path.join(self.path, "objects"))
        for name in ("", "info", "objects", "refs", "turns"):
            make_private(os.path.join(self.path, name))
        for name, text in {**_GIT_FILES, "folder": self.folder}.items():
            path = os.path.join(self.path, name)
            if not os.path.exists(path):
                replace_file(path, os.fsencode(text), mode=0o600)
        return new

    def may_be_pruned(self) -> bool:
        """Whether it has not been pruned for a day."""
        try:
            return time.time() - os.stat(os.path.join(self.path, PRUNED)).st_mtime > _DAY
        except OSError:
            return os.path.isdir(self.path)

    def give_up(self, reason: str) -> None:
        """Note why changes by commands are not found in this folder, for a day. Raises OSError."""
        replace_file(os.path.join(self.path, _GIVEN_UP), reason.encode(), mode=0o600)

    def given_up(self) -> str:
        """Return why changes by commands are not found in this folder; empty if they are, or were not tried today."""
        path = os.path.join(self.path, _GIVEN_UP)
        try:
            recent = time.time() - os.stat(path).st_mtime < _DAY
            return read_regular(path, _REASON).decode("utf-8", "replace") if recent else ""
        except OSError:
            return ""

    def add(self, entry: str, at: float, changes: Iterable[FileChange]) -> None:
        """Add changes of an answer, at a time in seconds since 1970. Raises OSError."""
        path = self._turn(entry)
        rows: list[object] = [] if os.path.exists(path) else [{"entry": entry, "time": at}]
        rows += changes
        with open(path, "ab", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            # The line break is first: a row that a full disk has cut must not spoil the next one.
            file.write("".join(f"\n{json.dumps(row)}" for row in rows).encode())

    def recorded(self, entries: Iterable[str]) -> list[str]:
        """Return the entries that have changes."""
        try:
            names = set(os.listdir(os.path.join(self.path, "turns")))
        except OSError:
            return []
        return [entry for entry in entries if os.path.basename(self._turn(entry)) in names] if names else []

    def read(self, entry: str) -> tuple[float, list[FileChange]] | None:
        """Return the time of the first change of an answer, and its changes, one for each file; None without any.

        Damaged rows are passed over.
        """
        try:
            with open(self._turn(entry), "rb", opener=open_regular) as file:
                rows = [_row(line) for line in file]
        except OSError:
            return None
        at, changes = 0.0, dict[str, FileChange]()
        for row in rows:
            if isinstance(row, float):
                at = row
            elif isinstance(row, FileChange):
                first = changes.get(row.path, row)
                changes[row.path] = FileChange(row.path, first.before, row.after)
        return at, [change for change in changes.values() if change.before != change.after]

    def _turn(self, entry: str) -> str:
        return os.path.join(self.path, "turns", sha256_hex(entry.encode())[:32] + ".jsonl")


def _row(line: bytes) -> FileChange | float | None:
    """Return a change, or the time of the first row; None for a damaged row."""
    try:
        row = json.loads(line)
        if isinstance(row, dict):
            return float(row["time"])
        path, before, after = row
        if not os.path.isabs(path) or os.path.normpath(path) != path:
            return None
        return FileChange(path, _state(before), _state(after))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _state(value: object) -> FileState | None:
    if value is None:
        return None
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], int) and isinstance(value[1], str):
        return FileState(value[0], value[1])
    raise TypeError("not a state")
