"""Completion while typing: `/` begins a command, `@` the name of a file; pure.

`Completer` inspects text and cursor after each change, offers a list, and returns the edit that a key makes in the
buffer. The caller supplies commands and files.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from zot_tui.editor.buffer import Buffer
from zot_tui.text.fuzzy import rank

CompletionKind: TypeAlias = Literal["command", "file"]

LIMIT = 50

_COMMAND = re.compile(r"/(\S*)")
_WORD_END = re.compile(r"\S*")


@dataclass(slots=True)
class Candidate:
    """An entry of the list: `text` replaces what was typed, `name` and `description` are shown, under `group`.

    `positions` are the characters of `name` that the query matched. `more` says whether typing usually continues after
    it: a directory, or a command with arguments.
    """

    name: str
    text: str
    description: str = ""
    group: str = ""
    more: bool = False
    positions: list[int] = field(default_factory=list)


@dataclass(slots=True)
class CommandCompletion:
    """A command that is offered, its name without `/`. `arguments` says whether it takes any."""

    name: str
    description: str = ""
    group: str = ""
    arguments: bool = False


@dataclass(slots=True)
class CompletionQuery:
    """What is being completed: the search text, and the range from `start` to `end` that will be replaced."""

    kind: CompletionKind
    start: int
    end: int
    text: str


@dataclass(slots=True)
class Popup:
    """The visible list and the index of the chosen candidate."""

    query: CompletionQuery
    candidates: list[Candidate]
    chosen: int = 0


@dataclass(slots=True)
class CompletionEdit:
    """Replace the range from `start` to `end` by `text`, with the cursor behind it; send the text if `submit`."""

    start: int
    end: int
    text: str
    submit: bool = False

    def apply(self, buffer: Buffer) -> None:
        """Apply the edit as one undo step."""
        text = buffer.text
        buffer.set(text[: self.start] + self.text + text[self.end :], self.start + len(self.text))


def query(text: str, cursor: int) -> CompletionQuery | None:
    """Return what can be completed at `cursor`: the command at the beginning of the text, or the word after an `@` that
    does not follow a word; None elsewhere."""
    command = _COMMAND.match(text)
    if command and 1 <= cursor <= command.end():
        return CompletionQuery("command", 0, command.end(), text[1:cursor])
    line = text.rfind("\n", 0, cursor) + 1
    mark = _mark(text, line, cursor)
    if mark is None:
        return None
    quoted = text[mark + 1 : mark + 2] == '"'
    if quoted and mark + 2 <= cursor:
        close = text.find('"', cursor)
        stop = text.find("\n", cursor)
        stop = len(text) if stop < 0 else stop
        return CompletionQuery("file", mark, close + 1 if 0 <= close < stop else cursor, text[mark + 2 : cursor])
    word = _WORD_END.match(text, cursor)
    return CompletionQuery("file", mark, word.end() if word else cursor, text[mark + 1 : cursor])


class Completer:
    """Completion in one buffer. `popup` is the visible list, or None."""

    def __init__(
        self,
        commands: Callable[[], Iterable[CommandCompletion]],
        files: Callable[[], Sequence[str]],
        limit: int = LIMIT,
    ) -> None:
        """`files` returns the paths found for the word, in the form to insert, directories ending in a slash."""
        self.popup: Popup | None = None
        self._commands = commands
        self._files = files
        self._limit = limit
        self._dismissed: tuple[CompletionKind, int] | None = None  # where the user closed the list

    def update(self, text: str, cursor: int) -> None:
        """Update the list after a change of the text or the cursor."""
        found = query(text, cursor)
        place = (found.kind, found.start) if found else None
        if place != self._dismissed:
            self._dismissed = None
        if found is None or self._dismissed is not None:
            self.popup = None
            return
        if self.popup is not None and self.popup.query == found:
            return
        candidates = self._ranked(found)
        self.popup = Popup(found, candidates) if candidates else None

    def up(self) -> bool:
        """Choose the previous candidate, wrapping around. Returns whether a list is visible."""
        return self._step(-1)

    def down(self) -> bool:
        """Choose the next candidate, wrapping around. Returns whether a list is visible."""
        return self._step(1)

    def complete(self) -> CompletionEdit | None:
        """Handle Tab: return the edit for the chosen candidate, or None if no list is visible and the key is free.

        A file or command gets a trailing space; a directory does not, so that the search continues in it.
        """
        popup, self.popup = self.popup, None
        if popup is None:
            return None
        chosen = popup.candidates[popup.chosen]
        within = chosen.more and popup.query.kind == "file"
        return CompletionEdit(popup.query.start, popup.query.end, chosen.text + ("" if within else " "))

    def enter(self) -> CompletionEdit | None:
        """Handle Enter like Tab, but also send a command that takes no arguments."""
        popup = self.popup
        replacement = self.complete()
        if popup is not None and replacement is not None and popup.query.kind == "command":
            chosen = popup.candidates[popup.chosen]
            if not chosen.more:
                replacement.text, replacement.submit = chosen.text, True
        return replacement

    def into(self, cursor: int) -> CompletionEdit | None:
        """Handle Right at the end of the word: enter the chosen directory. None if the key is free."""
        popup = self.popup
        if popup is None or popup.query.kind != "file" or cursor != popup.query.end:
            return None
        chosen = popup.candidates[popup.chosen]
        return CompletionEdit(popup.query.start, popup.query.end, chosen.text) if chosen.more else None

    def out(self, cursor: int) -> CompletionEdit | None:
        """Handle Left behind a directory's slash: return to the directory above. None if the key is free."""
        popup = self.popup
        if popup is None or popup.query.kind != "file" or cursor != popup.query.end:
            return None
        folder = popup.query.text
        if not folder.endswith("/") or not folder.strip("/"):
            return None
        above = folder.rstrip("/").rpartition("/")
        return CompletionEdit(popup.query.start, popup.query.end, _mention(above[0] + above[1]))

    def cancel(self) -> bool:
        """Handle Esc: close the list until another word is begun. Returns whether a list was visible."""
        popup, self.popup = self.popup, None
        if popup is None:
            return False
        self._dismissed = (popup.query.kind, popup.query.start)
        return True

    def _step(self, by: int) -> bool:
        if self.popup is None:
            return False
        self.popup.chosen = (self.popup.chosen + by) % len(self.popup.candidates)
        return True

    def _ranked(self, found: CompletionQuery) -> list[Candidate]:
        if found.kind == "file":
            files = self._files()
            below = files if not found.text else [path for path in files if path.startswith(found.text)]
            if below and found.text[-1:] in ("", "/"):
                return [_file(path, []) for path in below[: self._limit]]
            return [_file(each.item, each.match.positions) for each in rank(found.text, files, str, self._limit)]
        candidates = [
            Candidate(each.name, f"/{each.name}", each.description, each.group, each.arguments)
            for each in self._commands()
        ]
        if not found.text:
            return candidates
        ranked = rank(found.text, candidates, lambda each: each.name, self._limit)
        for each in ranked:
            each.item.positions = each.match.positions
        return [each.item for each in ranked]


def _file(path: str, positions: list[int]) -> Candidate:
    return Candidate(path, _mention(path), more=path.endswith("/"), positions=positions)


def _mention(path: str) -> str:
    """Return the word for a path, in quotes if it has white space; those of a directory stay open."""
    if not any(char.isspace() for char in path):
        return f"@{path}"
    return f'@"{path}' + ("" if path.endswith("/") else '"')


def _mark(text: str, line: int, cursor: int) -> int | None:
    """Return the position of the `@` of the word, or of the quoted words, at `cursor`."""
    for found in re.finditer(r'(?<!\S)@(?:"[^"\n]*"?|\S*)', text[line:]):
        start, end = line + found.start(), line + found.end()
        if start < cursor <= end:
            return start
    return None
