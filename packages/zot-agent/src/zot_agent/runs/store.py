"""`RunStore`: the durable runs of a person, by their names.

`$ZOT_HOME/runs/ID/` holds the file `session`, with the path of the run's session file, `log` with what a process
without a terminal printed, and `cancel` while a person wants the run to end. Everything else is in the session: no file
here can contradict it.
"""

import os
import re
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Literal, TypeAlias

from zot_agent.config.paths import runs_root, sessions_root
from zot_agent.host.options import HostOptions
from zot_agent.runs.options import options_to_row
from zot_agent.version import __version__
from zot_core.errors import SessionError, SessionLocked, SessionNotFound
from zot_core.runtime.run_rows import OVER, RunRecord, RunState, first_run_row, read_run
from zot_core.sessions.file import SessionFile, in_use, load
from zot_core.sessions.store import SessionStore
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.files.private_folder import make_private
from zot_provider.files.regular_file import read_start
from zot_provider.record import Record

ShownState: TypeAlias = RunState | Literal["interrupted"]
"""`interrupted`: the run is not over, and no process has it."""

MAX_TRIES = 3
"""A run that this number of processes have taken up without progress is parked: only a person continues it."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_PATH_BYTES = 16384


class RunLimit(Record):
    """`begin_seconds`: how long to wait for a process that has named a run and not yet written its first row."""

    begin_seconds: float = 10.0


class StoredRun(Record):
    """A run: its name, its folder, its session file, what the rows say, and whether a process has it."""

    id: str
    folder: str
    path: str
    record: RunRecord
    owned: bool = False

    @property
    def state(self) -> ShownState:
        """The fields of lists."""
        return self.record.state if self.owned or self.record.state != "running" else "interrupted"

    @property
    def parked(self) -> bool:
        """Whether too many processes have taken it up without progress."""
        return self.record.tries >= MAX_TRIES

    @property
    def log(self) -> str:
        """The file with what a process without a terminal printed."""
        return os.path.join(self.folder, "log")

    @property
    def cancel_file(self) -> str:
        """The file whose presence asks the process that has the run to end it."""
        return os.path.join(self.folder, "cancel")


class RunStore:
    """The runs in `$ZOT_HOME/runs`. Methods raise `ConfigError` and `SessionError`; they read files and may wait."""

    def __init__(self, root: str = "", limit: RunLimit | None = None) -> None:
        self.root = root or runs_root()
        self._limit = limit or RunLimit()

    def create(self, id: str, task: str, cwd: str, options: HostOptions) -> tuple[StoredRun, bool]:
        """Return the run called `id`, and whether it was made now. Of two processes one makes it."""
        check_name(id)
        folder = os.path.join(self.root, id)
        session = SessionStore(sessions_root()).create(cwd, "", "", __version__)
        session.link(run=id)
        row = first_run_row(id, task, __version__, options=options_to_row(options))
        with ConfigError.of_system(f"cannot write {folder}"):
            make_private(folder)
            mine = _claim(folder, session.path)
        if mine:
            _begin(session, row)
            return self.find(id), True
        return self._of_other(id, row)

    def _of_other(self, id: str, row: str) -> tuple[StoredRun, bool]:
        """Return the run that another process has named, whose first row may not be there yet, or never will."""
        path = self._path(id)
        end = time.monotonic() + self._limit.begin_seconds
        while read_run(path) is None:
            if time.monotonic() > end:
                with suppress(FileNotFoundError):  # the process has ended before its first row
                    os.unlink(path)
                new = SessionStore(sessions_root()).create(os.getcwd(), "", "", __version__)
                session = SessionFile(path, new.meta)
                session.link(run=id)
                _begin(session, row)
                return self.find(id), True
            time.sleep(0.02)
        return self.find(id), False

    def find(self, name: str, sees: Callable[[StoredRun], bool] | None = None) -> StoredRun:
        """Return the run with this name, or the only one whose name begins so. `sees` says which runs count."""
        id = self._match(name, sees)
        found = self._read(id)
        if found is None:
            raise SessionNotFound(f"run {id} has no session any more; it was deleted")
        return found

    def _match(self, name: str, sees: Callable[[StoredRun], bool] | None = None) -> str:
        names = self._names() if sees is None else sorted(each.id for each in self.all() if sees(each))
        matching = [name] if name in names else [each for each in names if name and each.startswith(name)]
        if len(matching) > 1:
            raise ConfigError(f"{len(matching)} runs begin with {name!r}: {', '.join(matching[:5])}")
        if not matching:
            raise UnknownName.among("run", name, names, "(zot runs list shows them)")
        return matching[0]

    def remove(self, name: str) -> str:
        """Remove a run and its session, and return its name. Raises `ConfigError` unless it is over or has failed,
        `SessionLocked` while a process has it."""
        id = self._match(name)
        if (run := self._read(id)) is not None:
            if run.owned or run.state not in (*OVER, "failed"):
                raise ConfigError(f"run {id} is {run.state}; zot runs cancel {id} ends it first")
            from zot_core.sessions.listing import delete  # noqa: PLC0415  few runs are removed

            delete(SessionStore(sessions_root()), run.path)
        folder = os.path.join(self.root, id)
        with ConfigError.of_system(f"cannot remove {folder}"):
            shutil.rmtree(folder)
        return id

    def all(self) -> list[StoredRun]:
        """Return all runs, last changed first. Those whose sessions were deleted are left out."""
        found = []
        for name in self._names():
            with suppress(SessionError, ConfigError):
                if (run := self._read(name)) is not None:
                    found.append(run)
        return sorted(found, key=lambda run: run.record.time, reverse=True)

    def forget_unbegun(self, id: str) -> None:
        """Remove a run that no process has ever taken up, with its session."""
        run = self.find(id)
        if not run.record.pid and not run.owned:
            with suppress(OSError):
                os.unlink(run.path)
                for name in os.listdir(run.folder):
                    os.unlink(os.path.join(run.folder, name))
                os.rmdir(run.folder)

    def _read(self, name: str) -> StoredRun | None:
        path = self._path(name)
        owned = in_use(path)  # before the rows: an end that was just written is then seen
        record = read_run(path)
        return None if record is None else StoredRun(name, os.path.join(self.root, name), path, record, owned)

    def _names(self) -> list[str]:
        try:
            return sorted(name for name in os.listdir(self.root) if _ID.match(name))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise ConfigError(f"cannot read {self.root}: {error.strerror}") from error

    def _path(self, name: str) -> str:
        try:
            path = read_start(os.path.join(self.root, name, "session"), _PATH_BYTES).decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            raise SessionNotFound(f"run {name} has no session; zot run --id {name} begins it") from None
        except OSError as error:
            raise SessionError(f"cannot read run {name}: {error.strerror}") from error
        return path.strip()


def check_name(id: str) -> None:
    """Raise `ConfigError` for what cannot be the name of a run."""
    if _ID.match(id) is None:
        raise ConfigError(f"{id!r} is not the name of a run: letters, digits, dots, - and _, at most 64")


def _claim(folder: str, path: str) -> bool:
    """Write the path of the session, whole and only if no other process has; return whether this one has."""
    name, temporary = os.path.join(folder, "session"), os.path.join(folder, f".{os.urandom(6).hex()}")
    with open(temporary, "xb", opener=lambda file, flags: os.open(file, flags, 0o600)) as file:
        file.write(os.fsencode(path) + b"\n")
    try:
        (os.link if os.name == "posix" else os.rename)(temporary, name)
    except FileExistsError:
        return False
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
    return True


def _begin(session: SessionFile, row: str) -> None:
    try:
        session.add_row(row)
    finally:
        session.close()


def change(run: StoredRun, row: str, seconds: float = 2.0) -> None:
    """Add a row to a run that no process has. Raises `SessionLocked` if a process has it for so long, and
    `SessionError`."""
    end = time.monotonic() + seconds
    while True:
        stored = load(run.path)
        try:
            session = SessionFile(run.path, stored.meta, resume=stored)
            break
        except SessionLocked:  # it is about to end, or another process looks whether the session is in use
            if time.monotonic() > end:
                raise
            time.sleep(0.02)
    try:
        session.add_row(row)
    finally:
        session.close()
