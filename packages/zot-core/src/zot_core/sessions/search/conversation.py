"""Search a conversation: what a person sees of its messages, folded or not.

A long conversation is in its file. The bytes of its messages are searched, and only messages that may have the text
are parsed, for a moment. Nothing is kept.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from zot_core.display import Recaller, main_argument, recalled_display, received
from zot_core.sessions.search.words import SearchedWord, excerpt
from zot_core.sessions.stored import StoredMessage, UnreadRows, unread_rows
from zot_provider.json_text import dump
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.record import Record

MOST = 1000
"""The most characters of a text that is searched for."""

_PIECE = 1 << 20  # bytes searched at a time: it holds the interpreter for less than a millisecond
_AROUND = 200  # characters before and after a match from which its excerpt is made
_MARKS = r"[*`~]+|(?<!\w)_+|_+(?!\w)"
"""Characters of Markdown around words, which a screen does not show."""
_MARKS_IN_BYTES = re.compile(_MARKS.encode())

PartKind: TypeAlias = Literal["prompt", "answer", "thought", "call", "result", "summary"]


class Phrase:
    """The text that is searched for: `words` with any white space between them. Their case counts if there is an
    upper-case letter among them (`exact`). It is false without words."""

    __slots__ = ("_find", "_forms", "_marked", "_parts", "_word", "exact", "rare", "words")

    def __init__(self, text: str) -> None:
        self.exact = any(each.isupper() for each in text[:MOST])
        self.words = (text[:MOST] if self.exact else text[:MOST].lower()).split()
        # Texts are searched as bytes: `lower` of a text with one letter beyond ASCII takes ten times as long.
        forms = [each.encode("utf-8", "replace") for each in self.words]
        self._word = forms[0] if len(forms) == 1 else b""
        self._find = re.compile(rb"\s+".join(map(re.escape, forms)))
        letters = {each for word in self.words for each in word if not each.isascii()}
        self._forms = () if self.exact else tuple(map(_forms, sorted(letters)))
        self._marked = any(re.search(_MARKS, each) for each in self.words)
        whole = " ".join(self.words).lower()
        self.rare = SearchedWord(" ".join(re.findall(r"\w+", whole)) or whole)
        self._parts = [part.decode() for part in self.rare.parts]

    def __bool__(self) -> bool:
        return bool(self.words)

    def count(self, text: str, *, markdown: bool = False) -> int:
        """Return how often a text has the phrase. What Markdown puts around words does not count."""
        data = self._comparable(self._bytes(text, markdown=markdown))
        return data.count(self._word) if self._word else len(self._find.findall(data))

    def excerpt(self, text: str, *, markdown: bool = False) -> str:
        """Return the text around the first match, in one line."""
        data = self._bytes(text, markdown=markdown)
        found = self._find.search(self._comparable(data))
        first, last = (0, 0) if found is None else found.span()
        around = data[max(first - _AROUND, 0) : last + _AROUND].decode("utf-8", "ignore")
        return excerpt(around, " ".join(self.words).lower())

    def may_be_in(self, *texts: str) -> bool:
        """Return whether what is made of these texts may have the phrase."""
        if all(any(part in text for text in texts) for part in self._parts):  # of most texts only the beginning is read
            return True
        found = [text.encode("utf-8", "replace").lower() for text in texts]
        return all(any(part in each for each in found) for part in self.rare.parts)

    def _bytes(self, text: str, *, markdown: bool) -> bytes:
        data = text.encode("utf-8", "replace")
        return _MARKS_IN_BYTES.sub(b"", data) if markdown and not self._marked else data

    def _comparable(self, data: bytes) -> bytes:
        if self.exact:
            return data
        data = data.lower()
        for upper, lower in self._forms:
            data = data.replace(upper, lower)
        return data


def _forms(letter: str) -> tuple[bytes, bytes]:
    """Return the upper case of a letter beyond ASCII, as `bytes.lower` leaves it, and its lower case."""
    return letter.upper().encode("utf-8", "replace").lower(), letter.encode("utf-8", "replace")


class FoundPart(Record):
    """A part of a message that has the phrase: the number of the message, the kind of the part, its text, the id of its
    call, if it has one, and how often it has the phrase."""

    number: int
    kind: PartKind
    text: str
    call: str = ""
    count: int = 0

    @property
    def markdown(self) -> bool:
        """Whether the text is Markdown."""
        return self.kind in ("answer", "thought", "summary")


def search_messages(
    messages: Sequence[Message], phrase: Phrase, tools: Mapping[str, Recaller], check: Callable[[], None] = lambda: None
) -> Iterator[FoundPart]:
    """Yield the parts of messages that have the phrase, from the last to the first. `tools` make the displays of stored
    calls again. `check` is called often and may raise to end the search.

    This reads files: call it in a thread. Raises `SessionError` if one cannot be read."""
    before = len(messages)  # the number of the message that was looked at last
    for number, known in _candidates(messages, phrase, check) if phrase else ():
        head = number - (messages[number].role == "tool" and number > 0)  # results are shown with their calls
        if head >= before:
            continue
        before = head
        check()
        for part in reversed(list(_parts(messages, head, phrase, tools, known, answers=number > head))):
            part.count = phrase.count(part.text, markdown=part.markdown)
            if part.count:
                yield part


def _candidates(
    messages: Sequence[Message], phrase: Phrase, check: Callable[[], None]
) -> Iterator[tuple[int, UnreadRows | None]]:
    """Yield the numbers of the messages that may have the phrase, from the last to the first. Rows that were read to
    find that out come with the number."""
    end = len(messages)
    while end > 0:
        check()
        rows = unread_rows(messages, end, _PIECE)
        if rows is None:
            end -= 1
            yield end, None
            continue
        lines = phrase.rare.lines(rows.data.lower())
        found = dict.fromkeys(bisect_right(rows.starts, start) - 1 for start, _ in lines)
        yield from ((rows.first + at, rows) for at in reversed(found) if at >= 0)
        end = rows.first


def _parts(
    messages: Sequence[Message],
    number: int,
    phrase: Phrase,
    tools: Mapping[str, Recaller],
    known: UnreadRows | None,
    *,
    answers: bool,
) -> Iterator[FoundPart]:
    """Yield the parts of a message, in the order in which they are shown; results that may have the phrase follow their
    calls. `answers`: the message with the results may have it. Rows that are `known` are not read again."""
    message = _glimpse(messages[number], known)
    if message.role == "user":
        yield from _user_parts(message, number)
        return
    if message.hidden:
        yield FoundPart(number, "prompt", message.hidden)
    answered: dict[str, ToolResultBlock] | None = None
    for block in message.shown:
        if isinstance(block, TextBlock):
            yield FoundPart(number, "answer", block.text)
        elif isinstance(block, ReasoningBlock):
            yield FoundPart(number, "thought", block.summary)
        elif isinstance(block, ToolCallBlock):
            arguments = received(block, tools)
            yield FoundPart(number, "call", f"{block.name} {main_argument(arguments)}", block.id)
            if answered is None and (answers or phrase.may_be_in(block.arguments)):  # most results are not even read
                answered = _results(messages, number, known)
            result = (answered or {}).get(block.id)
            if result is not None and phrase.may_be_in(block.arguments, *_texts(result)):
                shown = recalled_display(block, result, tools, arguments)
                yield FoundPart(number + 1, "result", "\n".join(each.words for each in shown), block.id)


def _user_parts(message: Message, number: int) -> Iterator[FoundPart]:
    if message.summarized_tokens is not None:
        yield FoundPart(number, "summary", message.text)
        return
    shown = message.hidden or message.shown_text
    yield FoundPart(number, "prompt", shown)
    if not message.hidden and not message.commands and not message.files and shown != message.text:
        yield FoundPart(number, "prompt", message.text)


def _results(messages: Sequence[Message], number: int, known: UnreadRows | None) -> dict[str, ToolResultBlock]:
    """Return the results after a message, by the ids of their calls."""
    after = _glimpse(messages[number + 1], known) if number + 1 < len(messages) else None
    if after is None or after.role != "tool":
        return {}
    return {block.call_id: block for block in after.content if isinstance(block, ToolResultBlock)}


def _texts(result: ToolResultBlock) -> list[str]:
    """Return the texts of which the display of a result is made."""
    kept = [] if result.details is None else [dump(result.details)]
    return [*kept, *(each.text for each in result.content if isinstance(each, TextBlock))]


def _glimpse(message: Message, known: UnreadRows | None) -> Message:
    return message.glimpse(known) if isinstance(message, StoredMessage) else message
