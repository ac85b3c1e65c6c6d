"""/context: what fills the context window."""

import asyncio

from zot_agent.ui.commands.base import Chat, SlashCommand
from zot_agent.ui.format.amounts import tokens
from zot_core.runtime.context import ContextPart, ContextSplit, context_split
from zot_core.sessions.tree import first_line
from zot_tui.widgets.dialogs.picker import Picker, PickerItem

_NAMES = {"system": "System prompt", "skills": "Skills", "tools": "Tools"}


async def context(chat: Chat, _: str) -> None:
    """Show the parts of the next request."""
    split = await asyncio.to_thread(context_split, chat.host.runtime)
    items = [PickerItem(part, _name(part), detail=_share(part, split)) for part in split.parts]
    await chat.ask(Picker("Context", items, note=_total(split), empty="nothing"))


def _name(part: ContextPart) -> str:
    if part.message is None:
        return _NAMES[part.kind]
    shortened = " (shortened)" if part.changed else ""
    return f"{part.message.role}: {first_line(part.message)}{shortened}"


def _share(part: ContextPart, split: ContextSplit) -> str:
    share = f" {100 * part.tokens // split.window:>3} %" if split.window else ""
    return f"{tokens(part.tokens)}{share}"


def _total(split: ContextSplit) -> str:
    guess = " (a guess)" if split.guessed else ""
    window = f" of {tokens(split.window)}{guess}" if split.window else ""
    usage = split.usage
    sent = usage.input + usage.cache_read + usage.cache_write
    cached = f"; {100 * usage.cache_read // sent} % of all input came from the cache" if sent else ""
    return f"about {tokens(split.tokens)}{window} tokens{cached}"


COMMANDS = (SlashCommand("context", "", "show what fills the context window", "now", context),)
