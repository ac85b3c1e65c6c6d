"""The completion of commands, which begin with `/`, and of the names of files, which begin with `@`; pure."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from zot_tui.editor.completion import LIMIT, Candidate, CompletionQuery, CompletionSource
from zot_tui.text.fuzzy import rank

_COMMAND = re.compile(r"/(\S*)")
_WORD_END = re.compile(r"\S*")


@dataclass(slots=True)
class CommandCompletion:
    """A command that is offered, its name without `/`. `arguments` says whether it takes any."""

    name: str
    description: str = ""
    group: str = ""
    arguments: bool = False


class CommandSource(CompletionSource):
    """The command at the beginning of the text. `wanted` is called when a list of commands is begun."""

    mark, sends = "/", True

    def __init__(
        self, commands: Callable[[], Iterable[CommandCompletion]], wanted: Callable[[], object] = lambda: None
    ) -> None:
        self._commands, self._wanted = commands, wanted
        self._listed = False

    def find(self, text: str, cursor: int) -> CompletionQuery | None:
        command = _COMMAND.match(text)
        found = command is not None and 1 <= cursor <= command.end()
        return CompletionQuery("command", 0, command.end(), text[1:cursor]) if command is not None and found else None

    def candidates(self, query: CompletionQuery) -> list[Candidate]:
        candidates = [
            Candidate(each.name, f"/{each.name}", each.description, each.group, each.arguments)
            for each in self._commands()
        ]
        if not query.text:
            return candidates
        ranked = rank(query.text, candidates, lambda each: each.name, LIMIT)
        for each in ranked:
            each.item.positions = each.match.positions
        return [each.item for each in ranked]

    def follow(self, query: CompletionQuery | None) -> None:
        listed, self._listed = self._listed, query is not None
        if self._listed and not listed:
            self._wanted()


class FileSource(CompletionSource):
    """The word after an `@` that does not follow a word. `files` returns the paths found for the word, in the form to
    insert, directories ending in a slash."""

    def __init__(self, files: Callable[[], Sequence[str]]) -> None:
        self._files = files

    def find(self, text: str, cursor: int) -> CompletionQuery | None:
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
        return CompletionQuery("file", mark, word_end(text, cursor), text[mark + 1 : cursor])

    def candidates(self, query: CompletionQuery) -> list[Candidate]:
        files = self._files()
        below = files if not query.text else [path for path in files if path.startswith(query.text)]
        if below and query.text[-1:] in ("", "/"):
            return [_file(path, []) for path in below[:LIMIT]]
        return [_file(each.item, each.match.positions) for each in rank(query.text, files, str, LIMIT)]

    def above(self, query: CompletionQuery) -> str | None:
        folder = query.text
        if not folder.endswith("/") or not folder.strip("/"):
            return None
        above = folder.rstrip("/").rpartition("/")
        return _mention(above[0] + above[1])


def word_end(text: str, cursor: int) -> int:
    word = _WORD_END.match(text, cursor)
    return word.end() if word else cursor


def _file(path: str, positions: list[int]) -> Candidate:
    folder = path.endswith("/")
    return Candidate(path, _mention(path), more=folder, positions=positions, inside=folder)


def _mention(path: str) -> str:
    """Return the word for a path, in quotes if it has white space; a directory's quotes stay open."""
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
