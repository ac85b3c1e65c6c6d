"""Ask the model for the summary of a conversation."""

import os
from collections.abc import Sequence

from zot_core.agent import Agent
from zot_core.agent.stream import read_stream
from zot_core.agent.turn import build_request
from zot_core.compaction.render import render, shorten
from zot_provider.errors import ProviderError
from zot_provider.json_text import without_surrogates
from zot_provider.messages import Message, TextBlock
from zot_provider.request import Request

HEADING = "## Context Summary (compacted)"
"""The first line of a message with a summary."""

BRANCH_HEADING = "## Summary of another branch"
"""The first line of a message with the summary of a branch."""

NOTES_HEADING = "## Notes"
"""The first line of the notes of the model, where what was computed precedes them."""

_NOTES = "notes.md"
_ATTEMPTS = 3


async def summarise(
    agent: Agent, messages: Sequence[Message], *, window: int, max_tokens: int, result_characters: int,
    instructions: str = "", prompt: str = "summary.md",
) -> str:  # fmt: skip
    """Return a summary of `messages` by the agent's model, without heading; empty if the answer has no text. `prompt`
    is the name of the file with the system prompt.

    `window` is the model's context window, 0 if nobody knows it, `max_tokens` limits the summary, and
    `result_characters` each tool result in the request. If the conversation is still
    too long, its middle is left out. The tokens are added to the agent's usage and reported as `usage` events.

    Raises what the client raises.
    """
    system = _text(prompt)
    max_tokens = min([max_tokens, *filter(None, (agent.model.max_output, window // 4))])
    earlier, messages = _split_summary(messages)
    conversation = render(messages, result_characters)
    available = min(_available_characters(window, max_tokens, len(system + earlier + instructions)), len(conversation))
    for attempt in range(1, _ATTEMPTS + 1):
        asked = _request_message(earlier, shorten(conversation, available), instructions)
        try:
            return await _ask(agent, Request(agent.model, [asked], system=system, max_tokens=max_tokens))
        except ProviderError as error:
            if attempt == _ATTEMPTS or not error.context_overflow:
                raise
        available //= 2
    raise AssertionError("unreachable")


async def summarise_in_place(agent: "Agent", kept: int, instructions: str = "") -> str:
    """Return a summary of the conversation but for its last `kept` messages, like `summarise`, asked for as its next
    message: all that precedes is what the last request was, which the server reads from its cache. Other options of the
    request would lose the cache, so the length is only asked for. Empty also if the model has called tools instead.

    Raises what the client and the hooks of requests raise.
    """
    request = await build_request(agent)
    # The calls of the last answer have not run yet, and would have to have results.
    messages = request.messages[:-1] if request.messages[-1].tool_calls else request.messages
    question = _with_wish(_text("in_place.md").format(kept=kept), instructions)
    return await _ask(agent, request.replace(messages=[*messages, Message("user", [TextBlock(question)])]))


def _text(name: str) -> str:
    """Return the text of a file of this folder; in place of the line `NOTES` it has that of `notes.md`."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        text = file.read().strip()
    return text if name == _NOTES else text.replace("NOTES", _text(_NOTES))


def _split_summary(messages: Sequence[Message]) -> tuple[str, Sequence[Message]]:
    """Return the summary at the start of the conversation, or an empty string, and the messages after it."""
    if messages and messages[0].summarized_tokens is not None:
        texts = [block.text for block in messages[0].content if isinstance(block, TextBlock)]
        return without_heading(texts[-1] if texts else ""), messages[1:]  # facts before it are kept anyway
    return "", messages


def _available_characters(window: int, max_tokens: int, others: int) -> int:
    """Return how many characters of the conversation fit into the request, at a cautious three to a token."""
    return max((window - max_tokens) * 3 - others, window) if window else 1 << 62


def _request_message(earlier: str, conversation: str, instructions: str) -> Message:
    parts = [f"<earlier_notes>\n{earlier}\n</earlier_notes>"] if earlier else []
    parts.append(f"<conversation>\n{conversation}\n</conversation>")
    parts.append("Write the notes now.")
    return Message("user", [TextBlock(_with_wish("\n\n".join(parts), instructions))])


def _with_wish(text: str, instructions: str) -> str:
    wish = instructions.strip()
    return f"{text}\n\nThe user also asks for this: {wish}" if wish else text


async def _ask(agent: Agent, request: Request) -> str:
    end = await read_stream(agent, request, lambda event: None, lambda: None)
    text = without_surrogates(Message("assistant", end.content).text)
    return without_heading(text)


def without_heading(text: str) -> str:
    """Return the text of a summary without its first line."""
    return text.strip().removeprefix(HEADING).removeprefix(BRANCH_HEADING).removeprefix(NOTES_HEADING).strip()
