"""What is loaded once the screen is there: what it will need, and what nobody has to wait for."""

import asyncio
import gc
from importlib import import_module

from zot_tui.highlight import highlight

LATER = (
    "zot_tui.markdown.inline",
    "zot_provider.transport.http",
    "zot_agent.ui.commands.conversation",
    "zot_agent.ui.commands.model",
    "zot_agent.ui.commands.screen",
    "zot_agent.ui.commands.sessions",
    "zot_agent.ui.commands.skills",
    "pygments.lexer",
    "pygments.lexers",
)
"""Modules that the first prompt, the first answer and the first command import, in the order they are likely to come.
Each is imported where it is needed as well: one that is not there yet is waited for."""


YOUNG = 4000
"""New objects after which the collector looks at them: it takes half a millisecond then, which no key is late for."""


async def load_rest() -> None:
    """Import them in a thread, one after the other; being cancelled ends it with the module at hand."""
    for module in LATER:
        await asyncio.to_thread(import_module, module)
    await asyncio.to_thread(highlight, "", "python")  # most of the time it takes is spent before the first line
    settle()


def settle() -> None:
    """Take what is there now out of the sight of the collector of garbage: modules and classes stay, and looking
    through them again and again would be felt as a key that comes late."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 20, 20)
