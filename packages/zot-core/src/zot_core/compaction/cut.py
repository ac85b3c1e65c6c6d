"""Where a conversation may be cut in two."""

from collections.abc import Sequence

from zot_provider.messages import Message


def cut_point(messages: Sequence[Message], keep: int) -> int:
    """How many messages stand before the last `keep` of them, or before a few more.

    A call and its results stay together: where the cut would part them it moves back to the message that calls.
    """
    cut = max(len(messages) - keep, 0)
    while cut and _begins_with_results(messages, cut):
        cut -= 1
    return cut


def _begins_with_results(messages: Sequence[Message], start: int) -> bool:
    """Whether there are results from here on that belong to an answer before it."""
    for position in range(start, len(messages)):
        if messages[position].role != "user":
            return messages[position].role == "tool"
    return False
