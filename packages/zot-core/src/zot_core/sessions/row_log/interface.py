"""`RowLog`: the place where the rows of one session are appended."""

from typing import Protocol


class RowLog(Protocol):
    """The rows of one session, as lines of bytes, in order. It has one writer at a time.

    `end`: the offset of the next row, in bytes from the beginning; 0 in an empty log. All methods but `discard` and
    `close` raise `SessionError`, `SessionLocked` if another writer has the log.
    """

    @property
    def end(self) -> int:
        """The offset of the next row."""

    def create(self) -> None:
        """Begin a new log, which must not be there yet."""

    def resume(self, size: int, *, torn: bool) -> None:
        """Continue a log of `size` bytes whose last row is incomplete if `torn`."""

    def append(self, row: bytes) -> int:
        """Store a row, which ends with a line break, and return its offset. It survives the end of this process."""

    def discard(self) -> None:
        """Close and remove a log whose first row could not be stored."""

    def close(self) -> None:
        """Let another writer have the log. May be called twice."""
