"""Ask the model for the summary of a branch that the conversation leaves."""

from collections.abc import Sequence

from zot_core.agent import Agent
from zot_core.clock import timestamp
from zot_core.compaction.compactor import CompactionError
from zot_core.compaction.size import estimate
from zot_core.compaction.summary import BRANCH_HEADING, summarise
from zot_provider.messages import Block, Message, TextBlock, new_entry_id

_TOKENS = 1024
"""Maximum length of the summary."""

_RESULT_CHARACTERS = 2000
"""Maximum length of a tool result in the request for it."""


async def branch_summary(agent: Agent, messages: Sequence[Message], instructions: str = "") -> Message:
    """Return a user message with a summary of these messages, which the conversation leaves. `instructions` say what it
    must keep.

    Raises `CompactionError` for an empty summary, and what the client raises.
    """
    text = await summarise(
        agent,
        messages,
        window=agent.model.context_window,
        max_tokens=_TOKENS,
        result_characters=_RESULT_CHARACTERS,
        instructions=instructions,
        prompt="branch.md",
    )
    if not text:
        raise CompactionError("empty summary from model")
    return summary_message(text, estimate(messages))


def summary_message(text: str, tokens: int) -> Message:
    """Return the user message with a summary of a branch that had about `tokens` tokens."""
    content: list[Block] = [TextBlock(f"{BRANCH_HEADING}\n\n{text}")]
    return Message("user", content, timestamp(), summarized_tokens=tokens, id=new_entry_id())
