"""`fit_images`: scale images before they are part of a conversation, and refuse damaged ones.

A provider would refuse them, and with them every later request.
"""

import asyncio
from collections.abc import Sequence
from typing import TypeVar

from zot_core.agent.state import AgentState
from zot_core.events import Notice
from zot_core.hooks import ToolOutcome
from zot_provider.errors import ConfigError
from zot_provider.messages import Block, ImageBlock, Message, TextBlock

_B = TypeVar("_B", bound=Block)


def fit_images(agent: AgentState) -> None:
    """Fit the images of all prompts and tool results of `agent`. A damaged one becomes words, with a notice."""

    async def fit_prompt(message: Message) -> Message | None:
        content = await _fitted(agent, message.content)
        return None if content is None else message.replace(content=content)

    async def fit_result(outcome: ToolOutcome) -> ToolOutcome | None:
        content = await _fitted(agent, outcome.result.content)
        return None if content is None else outcome.replace(result=outcome.result.replace(content=content))

    agent.hooks.user_message.add(fit_prompt)
    agent.hooks.tool_result.add(fit_result)


async def _fitted(agent: AgentState, blocks: "Sequence[_B | ImageBlock]") -> "list[_B | ImageBlock | TextBlock] | None":
    """Return the blocks with images that fit; None without images."""
    if not any(isinstance(block, ImageBlock) for block in blocks):
        return None
    from zot_core.images import fit  # noqa: PLC0415  few messages have images

    content: list[_B | ImageBlock | TextBlock] = []
    for block in blocks:
        if not isinstance(block, ImageBlock):
            content.append(block)
            continue
        try:
            content.append(await asyncio.to_thread(fit, block))
        except ConfigError as error:
            content.append(TextBlock(f"(image omitted: {error})"))
            agent.emit(Notice("warn", f"{error}; the model reads words in place of it"))
    return content
