"""`FleetStore`: the rows of runs, which any worker can continue, and large contents by their hashes."""

from typing import Protocol

from zot_core.errors import SessionError
from zot_core.sessions.row_log.interface import RowLog
from zot_provider.record import Record


class StoreAway(SessionError):
    """The store does not answer. The work may be tried again later, and has lost nothing."""


class StoreLimits(Record):
    """`connect_seconds`: how long one try to connect may take; `answer_seconds`: how long one answer may take;
    `first_seconds`: how long to wait for a store that has not answered yet; `away_seconds`: how long a run waits for a
    store that has gone; `pause`: seconds between two tries. Rows of more than `row_bytes` are kept by their hash."""

    connect_seconds: float = 5.0
    answer_seconds: float = 20.0
    first_seconds: float = 2.0
    away_seconds: float = 30.0
    pause: float = 0.2
    row_bytes: int = 64 << 10


class FleetStore(Protocol):
    """Runs by their names. Methods block, and raise `SessionError` and `StoreAway`."""

    def create(self, id: str, rows: list[bytes]) -> bool:
        """Keep a new run with its first rows. Return False, and change nothing, if there is a run of that name."""

    def submit(self, id: str) -> int:
        """Return a number for a submission of the run, higher than all before. Raises `SessionNotFound`."""

    def read(self, id: str, first: int = 0) -> bytes:
        """Return all rows of a run, or the `first` ones, as in a session file. Raises `SessionNotFound`."""

    def open(self, id: str, attempt: int, folder: str) -> tuple[str, RowLog]:
        """Take up a run for the attempt with this number. Return a session file of this machine with its rows, in
        `folder` if the store is elsewhere, and the log for `SessionFile`.

        From now on no attempt with a lower or the same number can append. Raises `SessionLocked` if one with a higher
        or the same number has taken it up (with a store of files when the log is resumed), `SessionNotFound`.
        """

    def names(self) -> list[str]:
        """Return the names of all runs, last changed first."""

    def submissions(self, id: str) -> int:
        """Return the number of the last submission of a run, 0 before the first. Raises `SessionNotFound`."""

    def unchanged(self, seconds: float) -> list[str]:
        """Return the names of the runs without a new row or submission for so long."""

    def remove(self, id: str, submission: int) -> bool:
        """Remove a run with its contents. Return False, and change nothing, without such a run, or if it was submitted
        again after `submission`. A worker that still has the run cannot append."""

    def put(self, id: str, data: bytes) -> str:
        """Keep `data` as long as the run `id` is kept, and return its SHA-256 as hex digits. Raises `SessionNotFound`
        without such a run."""

    def get(self, id: str, hash: str) -> bytes:
        """Return what was kept for a run under a hash. Raises `SessionNotFound`."""

    def close(self) -> None:
        """Close connections. May be called twice."""
