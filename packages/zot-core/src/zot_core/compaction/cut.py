"""Find where a history can be split for compaction."""

from collections.abc import Sequence

from zot_core.compaction.size import estimate
from zot_provider.messages import Message


def bounded_cut(messages: Sequence[Message], cut: int, tokens: int) -> int:
    """Return the first point from `cut` on behind which the messages have at most `tokens`, or else the last possible
    one. A call and its results stay together."""
    points = [point for point in range(cut, len(messages)) if not _begins_with_results(messages, point)]
    return next((point for point in points if estimate(messages[point:]) <= tokens), points[-1] if points else cut)


def cut_point(messages: Sequence[Message], keep: int) -> int:
    """Return how many messages come before the kept ones: the last `keep`, or a few more.

    A call and its results stay together: a cut that would separate them moves back to the message with the call.
    """
    cut = max(len(messages) - keep, 0)
    while cut and _begins_with_results(messages, cut):
        cut -= 1
    return cut


def _begins_with_results(messages: Sequence[Message], start: int) -> bool:
    """Return whether the messages from `start` on contain results of calls before it."""
    for position in range(start, len(messages)):
        if messages[position].role != "user":
            return messages[position].role == "tool"
    return False
