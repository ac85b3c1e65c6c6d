"""`ShortenedTexts`: both ends in the place of texts that are too long for the model's context window."""

from collections.abc import Callable, Iterable, Sequence

from zot_core.agent.sent_history import SentHistory
from zot_core.compaction.render import shorten
from zot_core.compaction.size import estimate
from zot_core.compaction.tokens import text_tokens
from zot_core.tools.text.capture import Capture
from zot_core.tools.text.truncate import TextLimits
from zot_provider.messages import Message, TextBlock, ToolResultBlock

SHORTEST = 1000
"""Characters of a text that is never shortened."""
LARGEST = 64 * 1024 * 1024
"""Bytes of a file with a text."""


class ShortenedTexts:
    """Shortens the tool results and prompts of one agent's conversation, as they are sent. The history keeps them, and
    a file has each of them for the model."""

    def __init__(self, sent: SentHistory, temporary: Callable[[], str]) -> None:
        """`temporary` returns the folder for the files, see `ToolContext`."""
        self._sent, self._temporary = sent, temporary
        self._files: dict[int, tuple[TextBlock, str]] = {}  # by `id` of the block

    def fit(self, messages: Sequence[Message], tokens: int) -> int:
        """Shorten the longest texts of these messages until all of them have about `tokens`: first the texts of tool
        results, then the user's. Return how many texts got shorter."""
        count = 0
        for texts in (_results(messages), _prompts(messages)):
            current = [self._current(each) for _, each in texts]
            counted = sum(map(text_tokens, current)) or 1.0
            excess = int((estimate(self._sent.view(messages)) - tokens) * sum(map(len, current)) / counted)
            if excess > (0 if not count else SHORTEST):  # the line about what is missing takes room, too
                count += self._shorten(texts, excess)
        return count

    def _shorten(self, texts: list[tuple[Message, TextBlock]], excess: int) -> int:
        """Shorten the longest of these texts to one length, so that they have `excess` characters less in total."""
        sizes = {id(each): len(self._current(each)) for _, each in texts}
        limit = max(_level(sorted(sizes.values()), sum(sizes.values()) - excess), SHORTEST)
        long = [(message, each) for message, each in texts if sizes[id(each)] > limit]
        for message, each in long:
            file = self._file(each)
            where = f" to fit the context window; all of it: {file}" if file else ""
            self._sent.cut(message, each, shorten(each.text, limit, where), file)
        return len(long)

    def _file(self, block: TextBlock) -> str:
        """Return the path of a file that has a text; empty if it cannot be kept."""
        if id(block) not in self._files:
            capture = Capture(TextLimits(0, 0), LARGEST, self._temporary())
            capture.feed(block.text.encode("utf-8", "replace"))
            capture.close()
            self._files[id(block)] = block, "" if capture.shortened else capture.path
        return self._files[id(block)][1]

    def _current(self, block: TextBlock) -> str:
        found = self._sent.current(block)
        return found.text if isinstance(found, TextBlock) else ""


def _level(sizes: list[int], total: int) -> int:
    """Return the length to which the longest of these texts, in ascending order, must be cut so that all of them have
    `total` characters."""
    left = max(total, 0)
    for position, size in enumerate(sizes):
        share = left // (len(sizes) - position)
        if size > share:
            return share
        left -= size
    return sizes[-1] if sizes else 0


def _results(messages: Iterable[Message]) -> list[tuple[Message, TextBlock]]:
    found = ((message, block) for message in messages for block in message.content)
    return [
        (message, text)
        for message, block in found
        if isinstance(block, ToolResultBlock)
        for text in block.content
        if isinstance(text, TextBlock)
    ]


def _prompts(messages: Iterable[Message]) -> list[tuple[Message, TextBlock]]:
    prompts = (message for message in messages if message.role == "user" and message.summarized_tokens is None)
    return [(message, block) for message in prompts for block in message.content if isinstance(block, TextBlock)]
