"""`ClientEntries`: what extensions have stored in the conversation, for clients that show it in its place."""

from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import ConversationEvent, SessionStart, SessionTreeMove
from zot_core.errors import SessionError
from zot_core.sessions.rows import CustomEntry


class ClientEntries:
    """The entries of the conversation. They are read once, and again after it has continued elsewhere."""

    def __init__(self, conversation: Conversation) -> None:
        self._runtime = conversation.runtime
        self._found: list[str | CustomEntry] | None = None  # ids of messages, and entries
        self._added: list[str | CustomEntry] = []  # since that was read
        conversation.events.add(self._forget, SessionStart, SessionTreeMove)
        self._runtime.hooks.entry.add(self._add)

    def _forget(self, _: ConversationEvent) -> None:
        self._found, self._added = None, []

    def _add(self, entry: CustomEntry) -> None:
        self._added += [*(message.id for message in self._runtime.messages[-1:]), entry]

    @property
    def known(self) -> bool:
        """Whether `load` has nothing to read."""
        if self._found is None:
            self._found = self._runtime.branches.data_without_file()
        return self._found is not None

    async def load(self) -> None:
        """Read the entries, if they are not known. A file that cannot be read counts as empty."""
        while not self.known:
            added = self._added = []
            try:
                found = await self._runtime.branches.with_data()
            except SessionError:
                found = []
            if added is self._added:  # else the conversation has continued elsewhere
                self._found = found

    def placed(self) -> list[tuple[int, CustomEntry]]:
        """Return the entries, in order, each with the number of messages before it. Those before a compaction are left
        out, as its messages are."""
        messages = self._runtime.messages
        places = {message.id: number for number, message in enumerate(messages, 1)}
        summary = messages[0].id if messages and messages[0].summarized_tokens is not None else ""
        at = None if summary else 0
        placed: dict[str, tuple[int, CustomEntry]] = {}
        for each in (*(self._found or ()), *self._added):
            if isinstance(each, CustomEntry):
                if at is not None and each.id not in placed:
                    placed[each.id] = at, each
            elif not (at and each == summary):  # what a compaction has kept comes before its summary in the session
                at = places.get(each)
        return list(placed.values())

    async def find(self, id: str) -> CustomEntry | None:
        """Return an entry."""
        await self.load()
        return next((each for _, each in self.placed() if each.id == id), None)
