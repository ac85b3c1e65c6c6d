"""`SessionFile`: writes a session, row by row. `zot_core.sessions.stored` reads it."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from zot_core.clock import timestamp
from zot_core.errors import SessionError
from zot_core.sessions import rows
from zot_core.sessions.row_log.interface import RowLog
from zot_core.sessions.row_log.row_file import RowFile
from zot_core.sessions.row_log.row_file import in_use as in_use
from zot_core.sessions.rows import CustomEntry, CutText, Label, Meta
from zot_core.sessions.stored import StoredSession as StoredSession
from zot_core.sessions.stored import load as load
from zot_core.sessions.totals import RunTotals, SessionTotals, totals_row
from zot_provider.messages import Message, new_entry_id
from zot_provider.usage import Usage


class SessionFile:
    """A session file open for writing. The file is created with the first message, so that no session is ever empty.

    Each row is written as a whole line with one `write` before the call returns, so it survives the end of this process
    at any moment. The file is readable by its owner alone and locked against other writers.
    """

    def __init__(
        self, path: str, meta: Meta, *, resume: StoredSession | None = None, advice: str = "", log: RowLog | None = None
    ) -> None:
        """Create a new session, or continue one: `resume` is the result of `load`. `advice` is appended to the error
        for a file that cannot be created: it says what the user of this program can do. `log` keeps the rows, by
        default only in the file; another one keeps a copy of them in the file.

        Raises `SessionLocked` if another process has the file open or it has changed since it was loaded,
        `SessionError` if it cannot be written.
        """
        self.path = path
        self.meta = meta
        self.advice = advice
        self._log: RowLog = log or RowFile(path, advice)
        self._created = False
        self._closed = False
        self._starts: list[int] = []  # of the messages, see `StoredSession`
        self._last_role = ""
        self._calls = 0  # of the last answer
        self.is_copy = False
        """Whether nothing has been written since the file was copied from another one."""
        self._batch: Message | None = None  # results of several calls that have no `message` row yet
        self.sent: dict[str, str] | None = None
        self.known: dict[str, str] = {}
        self.cuts: list[CutText] = []
        """See `StoredSession`."""
        self.totals = SessionTotals() if resume is None else resume.totals
        if resume is not None:
            self._starts, self.sent, self.known = list(resume.starts), resume.sent, resume.known
            self.cuts = list(resume.cuts)
            self._last_role = resume.messages[-1].role if resume.messages else ""
            self._batch = resume.messages[-1] if resume.batch_open else None
            self._log.resume(resume.size, torn=resume.torn)
            self._created = True
            try:
                if meta != resume.meta:
                    self._write(rows.meta_row(meta))
            except SessionError:
                self.close()
                raise

    def append(self, message: Message) -> None:
        """Write a message. Raises `SessionError` if it cannot be written or the session is closed.

        Of several calls, every result but the last is a `tool_result` row. The last one adds a `message` row with all.
        """
        self._ensure_created()
        message.id = message.id or new_entry_id()
        if message.role == "tool":
            self._append_results(message)
        else:
            self._end_batch()
            self._starts.append(self._write(rows.message_row(message)))
            self._calls = len(message.tool_calls)
        self._last_role = message.role

    def _append_results(self, message: Message) -> None:
        self._calls -= len(message.content)
        batch = message
        if self._batch is not None:
            message.id = self._batch.id
            batch = self._batch.replace(content=[*self._batch.content, *message.content])
        if self._calls > 0:
            start, self._batch = self._write(rows.tool_result_row(message)), batch
        else:
            start, self._batch = self._write(rows.message_row(batch)), None
        if self._last_role != "tool":
            self._starts.append(start)

    def _end_batch(self) -> None:
        """Write the `message` row of the results so far, if they have none yet."""
        if self._batch is not None:
            self._write(rows.message_row(self._batch))
            self._batch = None

    def compact(self, summary: Message, kept: int) -> None:
        """Write that `summary` replaces all messages but the last `kept`; raises `SessionError` as `append` does.

        Only messages that have been written can be kept.
        """
        self._ensure_created()
        self._end_batch()
        summary.id = summary.id or new_entry_id()
        first = max(len(self._starts) - kept, 0)
        tail = self._starts[first:]
        offset = tail[0] if tail else self._log.end
        start = self._write(rows.compaction_row(rows.CompactionRow(summary, len(tail), offset)))
        self._starts = [start, *tail]
        self.sent = self.known or None
        if not tail:
            self._last_role = summary.role

    def add_summary(self, summary: Message) -> None:
        """Write the summary of a branch that was left; raises `SessionError` as `append` does."""
        self._ensure_created()
        self._end_batch()
        summary.id = summary.id or new_entry_id()
        self._starts.append(self._write(rows.branch_summary_row(summary)))
        self._last_role, self._calls = summary.role, 0

    def label(self, label: Label) -> None:
        """Write the label of an entry; raises `SessionError` as `append` does."""
        self._ensure_created()
        self._write(rows.label_row(label))

    def custom(self, entry: CustomEntry) -> None:
        """Write data of an extension; raises `SessionError` as `append` does."""
        self._ensure_created()
        self._end_batch()
        self._write(rows.custom_row(entry))

    def tell(self, parts: Mapping[str, str]) -> None:
        """Write which parts of the system prompt the model knows now; raises `SessionError` as `append` does."""
        self._ensure_created()
        self._write(rows.prompt_row(parts))
        self.known = dict(parts)
        self.sent = self.sent or self.known

    def cut(self, cut: CutText) -> None:
        """Write that a text is cut in requests; raises `SessionError` as `append` does."""
        self._ensure_created()
        self._write(rows.cut_row(cut))
        self.cuts.append(cut)

    def add_row(self, row: str) -> None:
        """Write a row that is no entry, such as a row of a durable run; raises `SessionError` as `append` does."""
        self._ensure_created()
        self._write(row)

    def expect_results(self, count: int) -> None:
        """Say how many results of the last answer are still to come, in a session that ended before they were there."""
        self._calls = count

    def clear(self) -> None:
        """Write that the conversation starts again: a compaction to a message without content. Raises
        `SessionError`."""
        self.compact(Message("user", [], timestamp(), extra={"cleared": "true"}), 0)
        self._starts, self._last_role, self.sent = [], "", None

    @property
    def written(self) -> bool:
        """Whether there is a file: the first entry makes it."""
        return self._created

    def _ensure_created(self) -> None:
        if self._closed:
            raise SessionError(f"session {self.path} is closed")
        self.is_copy = False
        if not self._created:
            self._create()

    def usage(self, usage: Usage, cumulative: Usage) -> None:
        """Write the tokens of a turn, and the total of the session."""
        if self._created:
            self._write(rows.usage_row(usage, cumulative))

    def add_totals(self, after: str, run: RunTotals) -> None:
        """Write the totals of a run that ended with the message `after`; raises `SessionError` as `append` does."""
        if self._created:
            self._write(totals_row(after, run))
            self.totals.add(after, run)

    def change(self, **fields: Any) -> None:
        """Change fields of the meta row, e.g. the model, by writing a new one."""
        self.meta = self.meta.replace(**fields)
        if self._created:
            self._write(rows.meta_row(self.meta))

    def link(self, **links: Any) -> None:
        """Change other fields of the meta row, such as how files of a session belong together."""
        self.change(other=self.meta.other | links)

    def _create(self) -> None:
        self._log.create()
        self._created = True
        self.meta = self.meta.replace(started=self.meta.started or timestamp())
        try:
            self._write(rows.meta_row(self.meta))
        except SessionError:  # a file without its first row is not a session, and blocks the path
            self._created = False
            self._log.discard()
            raise

    def _write(self, row: str) -> int:
        """Write a row and return its offset."""
        return self._log.append(rows.to_bytes(row))

    def close(self) -> None:
        """Release the file. May be called twice."""
        self._closed = True
        if self._created:
            self._created = False
            with suppress(SessionError):  # its `tool_result` rows are there
                self._end_batch()
            self._log.close()
