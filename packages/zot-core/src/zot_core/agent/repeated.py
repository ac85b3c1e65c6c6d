"""`RepeatedFailures`: notices a call that fails again and again in the same way."""

import re

from zot_core.display import TerminalDisplay
from zot_core.events import ToolResultEvent
from zot_provider.messages import TextBlock, ToolCallBlock

_REPORTED = 3
"""The failure from which on the model reads how many there were."""
_ADVICE = (
    "it is not likely to do better unchanged: look at what is there now, try another way, or say what is in the way"
)
_MOST_CALLS = 200
"""Calls that are remembered."""
_TIMES = re.compile(r"\d+(?:[.:]\d+)+|\d+(?= ?m?s\b)")
"""Durations and times of day, in which two equal failures differ."""
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
    return _TIMES.sub("0", "\n".join(ended) or text)
