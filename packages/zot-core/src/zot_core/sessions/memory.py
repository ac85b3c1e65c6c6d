"""`MemorySession`: the entries of a conversation that is not saved in a file."""

from collections.abc import Iterable, Mapping

from zot_core.sessions.rows import CustomEntry, CutText, Label
from zot_core.sessions.totals import RunTotals, SessionTotals
from zot_core.sessions.tree import EntryKind, SessionTree
from zot_provider.messages import Message, new_entry_id
from zot_provider.usage import Usage


class MemorySession:
    """Keeps the entries of all branches, with the methods of `SessionFile` that a `Recorder` calls."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.tree = SessionTree()
        self._kept: dict[str, int] = {}  # messages that a compaction kept, by its id
        self.sent: dict[str, str] | None = None
        self.known: dict[str, str] = {}
        self.cuts: list[CutText] = []
        """See `StoredSession`."""
        self.totals = SessionTotals()
        for message in messages:
            message.id = message.id or new_entry_id()
            self.append(message)

    def append(self, message: Message) -> None:
        """Add a message; a result of the same batch as the last one is merged with it."""
        last = self.tree.node(message.id) if message.id in self.tree else None
        if last is not None and isinstance(last.held, Message):
            self.tree.replace(last.id, last.held.replace(content=[*last.held.content, *message.content]))
        else:
            self._add(message.id, message.role, message)

    def compact(self, summary: Message, kept: int) -> None:
        """Add that `summary` replaces all messages but the last `kept`."""
        summary.id = summary.id or new_entry_id()
        self._kept[summary.id] = kept
        self._add(summary.id, "compaction", summary)
        self.sent = (self.known or None) if summary.content else None

    def tell(self, parts: Mapping[str, str]) -> None:
        """Keep which parts of the system prompt the model knows now."""
        self.known = dict(parts)
        self.sent = self.sent or self.known

    def clear(self) -> None:
        """Add that the conversation starts again."""
        self.compact(Message("user", []), 0)

    def cut(self, cut: CutText) -> None:
        """Keep that a text is cut in requests."""
        self.cuts.append(cut)

    def add_summary(self, summary: Message) -> None:
        """Add the summary of a branch that was left."""
        summary.id = summary.id or new_entry_id()
        self._add(summary.id, "branch_summary", summary)

    def label(self, label: Label) -> None:
        self.tree.labels[label.entry] = label.text

    def custom(self, entry: CustomEntry) -> None:
        self._add(entry.id, "custom", entry)

    def usage(self, usage: Usage, cumulative: Usage) -> None:
        """Do nothing: usage is only written to files."""

    def add_totals(self, after: str, run: RunTotals) -> None:
        """Keep the totals of a run that ended with the message `after`."""
        self.totals.add(after, run)

    def close(self) -> None:
        """Do nothing."""

    def go_to(self, entry: str, *, before: bool = False) -> list[Message]:
        """Continue after this entry, or with `before` after the one before it. Return the conversation up to there.
        Raises `UnknownEntry`."""
        self.tree.current = self._last(entry, before=before)
        self.known = self.sent or {}  # what became known later may be left behind
        return self.messages()

    def messages(self) -> list[Message]:
        messages: list[Message] = []
        for id in self._path(self.tree.current):
            held = self.tree.node(id).held
            if not isinstance(held, Message):
                continue
            if id in self._kept:
                first = max(len(messages) - self._kept[id], 0)
                messages[:first] = [held] if held.content else []
            else:
                messages.append(held)
        return messages

    def fork(self, entry: str = "", *, before: bool = False) -> "MemorySession":
        """Return a session with the entries up to this one, by default the current one, or with `before` up to the one
        before it, and their labels. Raises `UnknownEntry`."""
        copy = MemorySession()
        for id in self._path(self._last(entry or self.tree.current, before=before)):
            node = self.tree.node(id)
            if node.held is not None:
                copy._add(id, node.kind, node.held)
            if id in self._kept:
                copy._kept[id] = self._kept[id]
            if id in self.totals.runs:
                copy.totals.add(id, self.totals.runs[id])
            if id in self.tree.labels:
                copy.tree.labels[id] = self.tree.labels[id]
        return copy

    def _last(self, entry: str, *, before: bool) -> str:
        node = self.tree.node(entry)
        return node.parent if before else entry

    def _path(self, last: str) -> list[str]:
        return self.tree.path(last) if last else []

    def _add(self, id: str, kind: EntryKind, held: Message | CustomEntry) -> None:
        self.tree.add(id, self.tree.current, kind, held)
        self.tree.current = id
