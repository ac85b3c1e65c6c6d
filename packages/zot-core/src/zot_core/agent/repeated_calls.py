"""Calls that come again: `RepeatedFailures` notices a call that fails again and again in the same way, `unless_known` a
result that the model has."""

import re
from itertools import islice

from zot_core.agent.history import MessageHistory
from zot_core.display import SAME, TerminalDisplay, main_argument
from zot_core.events import ToolResultEvent
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock

_REPORTED = 3
"""The failure from which on the model reads how many there were."""
_ADVICE = (
    "it is not likely to do better unchanged: look at what is there now, try another way, or say what is in the way"
)
_MOST_CALLS = 200
"""Calls that are remembered."""
_TIMES = r"\d+(?:[.:]\d+)+|\d+(?= ?m?s\b)"
"""Durations and times of day, in which two equal failures differ."""
_SHORT = 500
"""Characters of a result that is not worth a line about it."""
_RECENT = 6
"""Messages, from the last, in which a line about a result has just been read."""
_ENDS = 500
"""Characters of an error that are repeated, of its beginning and of its end."""


class RepeatedFailures:
    """Counts for each call, with its arguments, how often it has failed with the same text since it last succeeded. Of
    a command its output and its exit code count, and not how long it took."""

    def __init__(self) -> None:
        self._failed: dict[tuple[str, str], tuple[str, int]] = {}

    def follow(self, call: ToolCallBlock, output: ToolResultEvent) -> ToolResultEvent:
        """Take note of a result. From the third failure on, return it with a sentence in place of the known error."""
        key = call.name, call.arguments
        before, count = self._failed.pop(key, ("", 0))
        text = "\n".join(block.text for block in output.content if isinstance(block, TextBlock))
        if not output.is_error or output.fate == "stopped":
            return output
        result = _result(output, text)
        count = count + 1 if result == before else 1
        self._failed[key] = result, count
        if len(self._failed) > _MOST_CALLS:
            del self._failed[next(iter(self._failed))]
        if count < _REPORTED:
            return output
        short = text if len(text) <= 2 * _ENDS else f"{text[:_ENDS]}\n...\n{text[-_ENDS:]}"
        words = f"this call has failed {count} times in the same way; {_ADVICE}"
        return output.replace(content=[TextBlock(f"{words}\n\n{short}")])

    def take_stuck(self, limit: int) -> tuple[str, str] | None:
        """Return the name and the arguments of a call that has failed `limit` times, and forget its failures;
        None without one."""
        key = next((key for key, (_, count) in self._failed.items() if count >= limit), None)
        if key is not None:
            del self._failed[key]
        return key

    def clear(self) -> None:
        self._failed.clear()


def _result(output: ToolResultEvent, text: str) -> str:
    """Return what is the same if a call fails in the same way."""
    ended = [f"{each.exit_code} {each.output}" for each in output.display if isinstance(each, TerminalDisplay)]
    return re.sub(_TIMES, "0", "\n".join(ended) or text)


def unless_known(output: ToolResultEvent, history: MessageHistory) -> ToolResultEvent:
    """Return the result of a call that changes nothing with one line in place of a text that is in the history as the
    result of another call: each later request would have it twice. A model that asks again, having read that line, gets
    the text."""
    first = output.content[0] if output.content else None
    if output.is_error or not isinstance(first, TextBlock) or len(first.text) < _SHORT:
        return output
    messages = history.messages
    found = next((each for message in reversed(messages) for each in _results(message) if _has(each, first)), None)
    if found is None or history.as_sent(found.content[0]) is not found.content[0]:
        return output
    calls = (call for message in messages for call in message.tool_calls if call.id == found.call_id)
    call = next(calls, None)
    what = "" if call is None else f" {call.name} {main_argument(call.arguments)}".rstrip()
    line = TextBlock(f"{SAME}the result of your call{what} above; to have it here, call again]")
    recent = (each for message in islice(reversed(messages), _RECENT) for each in _results(message))
    if any(_has(each, line) for each in recent):
        return output
    return output.replace(content=[line, *output.content[1:]], details={**output.details, "same_as": found.call_id})


def _results(message: Message) -> list[ToolResultBlock]:
    return [each for each in message.content if isinstance(each, ToolResultBlock)]


def _has(result: ToolResultBlock, text: TextBlock) -> bool:
    return bool(result.content) and result.content[0] == text
