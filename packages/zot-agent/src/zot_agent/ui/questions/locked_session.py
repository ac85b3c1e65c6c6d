"""The question whether a session that another zot has open is continued in a copy."""

import asyncio

from zot_core.aio import spawn
from zot_tui.app import App
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice
from zot_tui.widgets.dialogs.stack import Stack


def copy_question() -> Confirm[bool]:
    """Return the question; its answer is None if it was closed."""
    text = "Two programs cannot write to one session. A copy is a new session with the same conversation."
    choices = [
        ConfirmChoice("y", "continue in a copy", value=True),
        ConfirmChoice("n", "leave it", value=False),
    ]
    return Confirm("Another zot has this session open. Continue in a copy?", choices, text)


async def ask_to_copy(app: App, stack: Stack) -> bool:
    """Ask over what `stack` shows, which gets the keys that are not for the question. Returns False if the app ends."""
    stack.changed.connect(app.redraw)

    async def ask() -> bool:
        return await stack.ask(copy_question(), behind=True) is True

    asking = spawn(ask(), "question about a session")
    ended = spawn(app.wait(), "end of the app")
    await asyncio.wait((asking, ended), return_when=asyncio.FIRST_COMPLETED)
    if ended.done():
        asking.cancel()
        await ended  # raises what ended the app
        return False
    ended.cancel()
    return await asking
