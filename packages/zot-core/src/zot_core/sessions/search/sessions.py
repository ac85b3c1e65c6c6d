"""Search the titles and the texts of stored sessions.

There is no index: the bytes of the files are searched, some 2 GB a second, and only the lines with a match are parsed.
What counts is what a person reads: titles, prompts and answers, without regard to case. Results and arguments of tools,
hidden messages and earlier branches do not count.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from io import FileIO

from zot_core.sessions import rows
from zot_core.sessions.listing import LINE_BYTES, SessionEntry, read_entry
from zot_core.sessions.raw import read_row
from zot_core.sessions.search.words import SearchedWord, excerpt, plain_text
from zot_core.sessions.store import SessionStore, files_by_use
from zot_provider.files.regular_file import open_regular
from zot_provider.record import Record

HITS = 100
"""Default number of sessions that a search finds."""
WORDS = 20
"""Maximum number of words that are searched for; further ones are ignored."""

_PIECE = 4 << 20  # bytes read at a time: searching them holds the interpreter for some 3 ms
_SAID = tuple(rows.MESSAGE_START + role for role in (b"user", b"assistant"))
_TITLES = (b'{"type":"meta"', b'{"type":"rename"')


class SessionHit(Record):
    """A session that has all words. `excerpt` is the text around the first match, in one line, empty if only the title
    matches; `role` is "user" or "assistant", whose text it is, else empty."""

    entry: SessionEntry
    excerpt: str = ""
    role: str = ""


def search_sessions(
    store: SessionStore,
    words: Sequence[str],
    cwd: str | None = None,
    limit: int = HITS,
    check: Callable[[], None] = lambda: None,
) -> list[SessionHit]:
    """Return the `limit` most recently used sessions that contain every one of `words`, newest first: of the directory
    `cwd`, or of all for None. A word may have blanks, which match any white space. Without words nothing is found.

    `check` is called often and may raise to end the search. This reads files: call it in a thread. A file that cannot
    be read is passed over. Raises `SessionError` if the sessions' folder cannot be read.
    """
    wanted = [SearchedWord(plain) for plain in dict.fromkeys(plain_text(word) for word in words) if plain][:WORDS]
    hits: dict[str, SessionHit] = {}
    if not wanted:
        return []
    for _, _, path in files_by_use(store.folders(cwd)):
        if len(hits) >= limit:
            break
        check()
        found = _search_file(path, wanted, check)
        entry = read_entry(path) if found is not None else None
        if found is None or entry is None:
            continue
        title = plain_text(entry.name)
        if all(word.text in title for word in found.missing):
            hits.setdefault(entry.id or path, SessionHit(entry, found.excerpt, found.role))
    return list(hits.values())


class _FileSearch:
    """The search of a file for `words`. `missing` are the words not found yet, and `titled` the words that may be in a
    title. `excerpt` and `role`: see `SessionHit`."""

    def __init__(self, words: Sequence[SearchedWord]) -> None:
        self.words = words
        self.missing = sorted(words, key=lambda word: -len(word.text))  # long ones are rare
        self.titled: set[SearchedWord] = set()
        self.excerpt = self.role = ""
        self._most = 0

    @property
    def may_match(self) -> bool:
        """Whether all words were found, if the missing ones are in the title."""
        return self.titled.issuperset(self.missing)

    def read(self, file: FileIO, check: Callable[[], None]) -> None:
        """Search the file until all words are found. Raises OSError."""
        whole = os.fstat(file.fileno()).st_size <= _PIECE
        for offset, lower in _pieces(file):
            check()
            for word in list(self.missing):
                for start, end in word.lines(lower):
                    if lower.startswith(_SAID, start):
                        file.seek(offset + start)
                        self._read_message(file.read(end - start))
                    elif lower.startswith(_TITLES, start):
                        self.titled.add(word)
                    if word not in self.missing:
                        break
                if whole and word in self.missing and word not in self.titled:
                    return  # the other words do not matter
            if not self.missing:
                break

    def _read_message(self, line: bytes) -> None:
        message = rows.read_message(read_row(line).get("message"))
        if message is None or message.hidden:
            return
        text = message.shown_text
        plain = plain_text(text)
        here = [each for each in self.words if each.text in plain]
        if len(here) > self._most:
            self._most, self.role, self.excerpt = len(here), message.role, excerpt(text, here[0].text)
        self.missing = [each for each in self.missing if each not in here]


def _search_file(path: str, words: Sequence[SearchedWord], check: Callable[[], None]) -> _FileSearch | None:
    """Search a file. Return None if it does not have the words, or cannot be read."""
    search = _FileSearch(words)
    try:
        with open(path, "rb", buffering=0, opener=open_regular) as file:
            search.read(file, check)
    except OSError:
        return None
    return search if search.may_match else None


def _pieces(file: FileIO) -> Iterator[tuple[int, bytes]]:
    """Yield pieces of whole lines, in lower case, each with its offset. A line of more than `LINE_BYTES` bytes is cut.

    Each read takes only what is there, and the bytes as they are in the file are not kept: the system clears memory
    before a program gets it, which takes longer than the search.
    """
    offset, length, size = 0, os.fstat(file.fileno()).st_size, _PIECE
    while offset < length:
        file.seek(offset)
        lower = file.read(min(length - offset, size)).lower()
        if not lower:
            return
        end = len(lower) if offset + len(lower) >= length else lower.rfind(b"\n") + 1
        if not end and size < LINE_BYTES:
            size *= 2
            continue
        end, size = end or len(lower), _PIECE
        yield offset, lower[:end] if end < len(lower) else lower
        offset += end


def query_words(text: str) -> list[str]:
    """Split what a person typed into words. Text in double quotes is one word."""
    return [word for pair in re.findall(r'"([^"]+)"|([^\s"]+)', text) if (word := "".join(pair).strip())]
