"""Completion while typing: `/` begins a command, `@` the name of a file; pure.

`Completer` looks at text and cursor after each change, has a list to show while there is one, and says for a key what
to replace in the buffer. It asks nobody: commands and files are given to it.
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
    """Something to choose: `text` replaces what was typed, `name` and `description` are shown, under `group`.

    `positions` are the characters of `name` that the query found. `more` is whether typing goes on behind it: a
    directory, a command that takes arguments.
    """

    name: str
    text: str
    description: str = ""
    group: str = ""
    more: bool = False
    positions: list[int] = field(default_factory=list)


@dataclass(slots=True)
class CommandCompletion:
    """A command as it is offered, its name without `/`. `arguments` is whether it takes any."""

    name: str
    description: str = ""
    group: str = ""
    arguments: bool = False


@dataclass(slots=True)
class CompletionQuery:
    """What is being completed: the text from `start` to `end` is replaced, `text` is what to look for."""

    kind: CompletionKind
    start: int
    end: int
    text: str


@dataclass(slots=True)
class Popup:
    """The list that is shown, and which of its candidates is chosen."""

    query: CompletionQuery
    candidates: list[Candidate]
    chosen: int = 0


@dataclass(slots=True)
class CompletionEdit:
    """Put `text` for what stands from `start` to `end`, with the cursor behind it; then send it all if `submit`."""

    start: int
    end: int
    text: str
    submit: bool = False

    def apply(self, buffer: Buffer) -> None:
        """Do it, as one step of undo."""
        text = buffer.text
        buffer.set(text[: self.start] + self.text + text[self.end :], self.start + len(self.text))


def query(text: str, cursor: int) -> CompletionQuery | None:
    """What can be completed at `cursor`: the command at the beginning of the text, or the word behind an `@` that no
    word stands before; None elsewhere."""
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
    """The state of completion in one buffer. `popup` is what is shown, None if nothing is."""

    def __init__(
        self,
        commands: Callable[[], Iterable[CommandCompletion]],
        files: Callable[[], Sequence[str]],
        limit: int = LIMIT,
    ) -> None:
        """`files` gives paths as they are to be inserted, directories ending in a slash."""
        self.popup: Popup | None = None
        self._commands = commands
        self._files = files
        self._limit = limit
        self._dismissed: tuple[CompletionKind, int] | None = None  # where the list was closed by hand

    def update(self, text: str, cursor: int) -> None:
        """Look again, after the text or the cursor changed."""
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
        """Choose the one above, from the first the last; whether a list is shown."""
        return self._step(-1)

    def down(self) -> bool:
        """Choose the one below, from the last the first; whether a list is shown."""
        return self._step(1)

    def complete(self) -> CompletionEdit | None:
        """Tab: what the chosen candidate replaces. None if no list is shown, and the key means something else.

        Behind a file or command comes a space; behind a directory nothing, so that the search goes on in it.
        """
        popup, self.popup = self.popup, None
        if popup is None:
            return None
        chosen = popup.candidates[popup.chosen]
        within = chosen.more and popup.query.kind == "file"
        return CompletionEdit(popup.query.start, popup.query.end, chosen.text + ("" if within else " "))

    def enter(self) -> CompletionEdit | None:
        """Enter: as Tab, but a command that takes no arguments is also sent."""
        popup = self.popup
        replacement = self.complete()
        if popup is not None and replacement is not None and popup.query.kind == "command":
            chosen = popup.candidates[popup.chosen]
            if not chosen.more:
                replacement.text, replacement.submit = chosen.text, True
        return replacement

    def cancel(self) -> bool:
        """Esc: close the list until another word is begun; whether one was shown."""
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
            if not found.text:
                return [_file(path, []) for path in files[: self._limit]]
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
    quoted = any(char.isspace() for char in path)
    within = path.endswith("/")
    text = f'@"{path}' + ("" if within else '"') if quoted else f"@{path}"
    return Candidate(path, text, more=within, positions=positions)


def _mark(text: str, line: int, cursor: int) -> int | None:
    """The `@` of the word, or of the quoted words, that `cursor` stands in."""
    for found in re.finditer(r'(?<!\S)@(?:"[^"\n]*"?|\S*)', text[line:]):
        start, end = line + found.start(), line + found.end()
        if start < cursor <= end:
            return start
    return None
