"""`MemorySession`: the entries of a conversation that is not saved in a file."""

from collections.abc import Iterable

from zot_core.errors import SessionError
from zot_core.sessions.rows import CustomEntry, Label
from zot_core.sessions.tree import EntryNode, SessionTree
from zot_provider.messages import Message, new_entry_id
from zot_provider.usage import Usage


class UnknownEntry(SessionError):
    """The session has no such entry."""


class MemorySession:
    """Keeps the entries of all branches, with the methods of `SessionFile` that a `Recorder` calls."""

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.tree = SessionTree()
        self._kept: dict[str, int] = {}  # messages that a compaction kept, by its id
        for message in messages:
            message.id = message.id or new_entry_id()
            self.append(message)

    def append(self, message: Message) -> None:
        """Add a message; a result of the same batch as the last one is merged with it."""
        last = self.tree.entries.get(message.id)
        if last is not None and isinstance(last.held, Message):
            last.held = last.held.replace(content=[*last.held.content, *message.content])
        else:
            self._add(EntryNode(message.id, self.tree.current, message.role, held=message))

    def compact(self, summary: Message, kept: int) -> None:
        """Add that `summary` replaces all messages but the last `kept`."""
        summary.id = summary.id or new_entry_id()
        self._kept[summary.id] = kept
        self._add(EntryNode(summary.id, self.tree.current, "compaction", held=summary))

    def clear(self) -> None:
        """Add that the conversation starts again."""
        self.compact(Message("user", []), 0)

    def label(self, label: Label) -> None:
        """Set the label of an entry."""
        self.tree.labels[label.entry] = label.text

    def custom(self, entry: CustomEntry) -> None:
        """Add data of an extension."""
        self._add(EntryNode(entry.id, self.tree.current, "custom", held=entry))

    def usage(self, usage: Usage, cumulative: Usage) -> None:
        """Do nothing: usage is only written to files."""

    def close(self) -> None:
        """Do nothing."""

    def go_to(self, entry: str, *, before: bool = False) -> list[Message]:
        """Continue after this entry, or with `before` after the one before it. Return the conversation up to there.
        Raises `UnknownEntry`."""
        if entry not in self.tree.entries:
            raise UnknownEntry(f"the session has no entry {entry!r}")
        self.tree.current = self.tree.entries[entry].parent if before else entry
        messages: list[Message] = []
        for id in self.tree.path() if self.tree.current else ():
            held = self.tree.entries[id].held
            if not isinstance(held, Message):
                continue
            if id in self._kept:
                first = max(len(messages) - self._kept[id], 0)
                messages[:first] = [held] if held.content else []
            else:
                messages.append(held)
        return messages

    def _add(self, entry: EntryNode) -> None:
        self.tree.add(entry)
        self.tree.current = entry.id
