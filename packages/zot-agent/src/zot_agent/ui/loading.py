"""Modules that are loaded in the background once the screen is shown."""

import asyncio
import gc
from importlib import import_module

from zot_agent.ui.commands import MODULES
from zot_tui.highlight import find_lexer

LATER = (
    "zot_tui.markdown.inline",
    "zot_tui.markdown.rules",
    "zot_provider.transport.http",
    *MODULES,
    "pygments.lexer",
    "pygments.lexers",
    "filelock",
)
"""Modules that the first prompt, answer and command import, in the order in which they are likely to be needed.
Each is also imported where it is needed, in case that is earlier."""


YOUNG_THRESHOLD = 4000
"""New objects that trigger a collection: it then takes half a millisecond, too short to delay a key noticeably."""


async def load_rest() -> None:
    """Import the modules of `LATER` one by one in a thread; cancelling stops after the current module."""
    for module in LATER:
        await asyncio.to_thread(import_module, module)
    await asyncio.to_thread(find_lexer, "python")  # most of the time is spent on the set-up
    freeze_objects()


def freeze_objects() -> None:
    """Exclude the objects loaded so far from garbage collection.

    Modules and classes stay for good, and scanning them again and again would delay keys noticeably. So would a last
    collection, by 10 to 40 ms, for a thousand objects of garbage, which stay too.
    """
    gc.freeze()
    gc.set_threshold(YOUNG_THRESHOLD, 20, 20)
