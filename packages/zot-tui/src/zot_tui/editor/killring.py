"""`KillRing`: cut texts, the newest first, as in Emacs and readline; pure."""

from typing import Literal


class KillRing:
    """At most `limit` texts. `text` is inserted by a yank; `rotate` moves on to the text before it."""

    __slots__ = ("_entries", "_limit")

    def __init__(self, limit: int = 30) -> None:
        self._limit = limit
        self._entries: list[str] = []

    @property
    def text(self) -> str:
        """The text that a yank inserts; empty if nothing was cut."""
        return self._entries[-1] if self._entries else ""

    def add(self, text: str, join: Literal["no", "after", "before"] = "no") -> None:
        """Add `text`, or join it to the newest entry: `after` it (cut forward) or `before` it (cut backward)."""
        if not text:
            return
        if join == "no" or not self._entries:
            self._entries.append(text)
            del self._entries[: -self._limit]
        else:
            newest = self._entries[-1]
            self._entries[-1] = newest + text if join == "after" else text + newest

    def rotate(self) -> str:
        """Make the entry before `text` the current one and return it; the newest follows the oldest."""
        if self._entries:
            self._entries.insert(0, self._entries.pop())
        return self.text
