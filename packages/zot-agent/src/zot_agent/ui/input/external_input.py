"""Text that is not typed here: written in the person's own editor, or taken from the clipboard."""

import os
from collections.abc import Callable

from zot_agent.ui.commands.base import Chat
from zot_agent.ui.input import editor_program
from zot_agent.ui.input import pasted_images as pasted


async def edit(chat: Chat, touch: Callable[[], None]) -> None:
    """Have what stands in the editor edited in `$VISUAL`, `$EDITOR` or what is found. `touch` is called before the
    screen comes back: keys were pressed until now. Raises `ZotError`."""
    typed, app = chat.typed, chat.app
    argv = editor_program.command(os.environ)

    async def run(command: list[str]) -> int:
        with app.suspended():
            code = await editor_program.run_program(command)
            touch()
            return code

    edited = await editor_program.edit(typed.editor.pastes.expand(typed.text), argv, run)
    if edited.problem:
        chat.note(edited.problem, "warning")
    typed.set(edited.text)


async def take(chat: Chat, paste: Callable[[str], None]) -> None:
    """Paste the image or the text that is on the clipboard, which terminals cannot. Raises `ZotError`."""
    paste(await pasted.from_clipboard(chat.home, chat.app.environment))
