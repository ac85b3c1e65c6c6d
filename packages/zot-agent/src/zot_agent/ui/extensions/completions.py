"""`ExtensionCompletions`: what extensions suggest for words with triggers, and for arguments of their commands."""

import asyncio

from zot_agent.extensions.calls.completers import CompleterSet, CompletionPlace
from zot_core.aio import spawn
from zot_core.conversation.extensions import AskCompletions
from zot_tui.editor.completion import LIMIT, Candidate, CompletionQuery, CompletionSource
from zot_tui.editor.completion_sources import word_end
from zot_tui.signal import Signal
from zot_tui.text.fuzzy import rank
from zot_tui.text.sanitize import sanitize_line

PAUSE = 0.04
"""Seconds without another key after which extensions are asked."""


class ExtensionCompletions(CompletionSource):
    """Asks extensions in the background, for the newest word only. `changed` is emitted when there are candidates.

    Until an answer comes, it lists earlier candidates that still fit.
    """

    def __init__(self) -> None:
        self.changed: Signal[[]] = Signal()
        self._completers = CompleterSet()
        self._asked: tuple[CompletionPlace, CompletionQuery] | None = None
        self._answered: CompletionQuery | None = None
        self._found: dict[str, list[Candidate]] = {}  # by extension, for the place that was asked about last
        self._task: asyncio.Task[None] | None = None

    def add(self, extension: str, trigger: str, command: str, ask: AskCompletions) -> None:
        """Ask an extension about a trigger or a command; see `ScreenAccess.add_completer`."""
        self._completers.add_completer(extension, trigger, command, ask)

    def remove(self, extension: str, trigger: str = "", command: str = "") -> None:
        """Stop asking it, about that or about anything."""
        self._completers.remove_completer(extension, trigger, command)
        if self._found.pop(extension, None):
            self.changed.emit()

    def completes(self, command: str) -> bool:
        return self._completers.completes(command)

    def find(self, text: str, cursor: int) -> CompletionQuery | None:
        line = text.rfind("\n", 0, cursor) + 1
        before = text[line:cursor]
        place, start = self._completers.find(before, first_line=line == 0)
        if place is None:
            return None
        name = place.trigger or f"/{place.command}"
        shown = before[start + len(place.trigger) :]
        return CompletionQuery(f"extension {name}", line + start, word_end(text, cursor), shown, before)

    def candidates(self, query: CompletionQuery) -> list[Candidate]:
        asked = self._asked
        if asked is None or (asked[1].kind, asked[1].start) != (query.kind, query.start):
            return []
        found = [each for items in self._found.values() for each in items]
        if self._answered == query or not query.text:
            return found[:LIMIT]
        return [each.item for each in rank(query.text, found, lambda each: each.name, LIMIT)]

    def follow(self, query: CompletionQuery | None) -> None:
        before = self._asked[1] if self._asked is not None else None
        if query == before:
            return
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if query is None or before is None or (query.kind, query.start) != (before.kind, before.start):
            self._found, self._answered = {}, None
        if query is None:
            self._asked = None
            return
        place = self._completers.named(query.kind.removeprefix("extension "))
        self._asked = place, query
        self._task = spawn(self._ask(place, query), "completions of extensions")

    async def _ask(self, place: CompletionPlace, query: CompletionQuery) -> None:
        await asyncio.sleep(PAUSE)
        asked = self._completers.asked(place)

        async def one(extension: str, ask: AskCompletions) -> None:
            items = await ask(place.trigger, place.command, query.text, query.line)
            if self._answered != query:
                self._found, self._answered = {}, query
            self._found[extension] = [_candidate(each, extension if len(asked) > 1 else "") for each in items]
            self.changed.emit()

        await asyncio.gather(*(one(*each) for each in asked))


def _candidate(item: dict[str, str], group: str) -> Candidate:
    text = sanitize_line(item["text"])
    label = sanitize_line(item.get("label") or text)
    return Candidate(label, text, sanitize_line(item.get("description", "")), group)
