"""`CompleterSet`: for which words extensions have completions."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from zot_core.conversation.extensions import AskCompletions

_COMMAND = re.compile(r"/(\S+)\s")
_WORD = re.compile(r"\S*$")


class CompletionPlace(NamedTuple):
    """The use of a completer: words with a trigger, or the arguments of a command."""

    trigger: str
    command: str


class CompleterSet:
    """The completers of all extensions; see `CompletionAccess`."""

    def __init__(self) -> None:
        self._completers: dict[tuple[str, CompletionPlace], AskCompletions] = {}

    def add_completer(self, extension: str, trigger: str, command: str, ask: AskCompletions) -> None:
        self._completers[extension, CompletionPlace(trigger, command)] = ask

    def remove_completer(self, extension: str, trigger: str = "", command: str = "") -> None:
        place = CompletionPlace(trigger, command)
        for each in [key for key in self._completers if key[0] == extension]:
            if place in (("", ""), each[1]):
                del self._completers[each]

    def completes(self, command: str) -> bool:
        """Whether an extension suggests arguments of a command."""
        return any(place.command == command for _, place in self._completers)

    def named(self, name: str) -> CompletionPlace:
        """Return the place whose trigger, or command with its slash, this is."""
        return next(each for _, each in self._completers if name in (each.trigger, f"/{each.command}"))

    def asked(self, place: CompletionPlace) -> list[tuple[str, AskCompletions]]:
        """Return the extensions that complete there."""
        return [(extension, ask) for (extension, each), ask in self._completers.items() if each == place]

    def find(self, before: str, *, first_line: bool) -> tuple[CompletionPlace | None, int]:
        """Return what the end of a line up to the cursor can be completed as, and where the word begins in it."""
        places = {place for _, place in self._completers}
        word = _WORD.search(before)
        start = word.start() if word else len(before)
        triggers = [place for place in places if place.trigger and before.startswith(place.trigger, start)]
        if triggers:
            return max(triggers, key=lambda place: len(place.trigger)), start
        command = _COMMAND.match(before) if first_line else None
        named = None if command is None else CompletionPlace("", command[1])
        return (named, start) if named in places else (None, 0)

    async def complete(self, text: str, cursor: int) -> tuple[int, list[dict[str, str]]]:
        """Return where the word at the cursor begins, and what extensions suggest in its place: see `AskCompletions`.
        Each item has all members, and the `extension`. Extensions are asked side by side, each with its limit."""
        line = text.rfind("\n", 0, cursor) + 1
        before = text[line:cursor]
        place, start = self.find(before, first_line=line == 0)
        if place is None:
            return cursor, []
        asked = self.asked(place)
        word = before[start + len(place.trigger) :]
        answers: Sequence[Any] = await asyncio.gather(*(ask(*place, word, before) for _, ask in asked))
        pairs = zip(asked, answers, strict=True)
        return line + start, [
            {"label": item["text"], "description": "", **item, "extension": extension}
            for (extension, _), items in pairs
            for item in items
        ]
