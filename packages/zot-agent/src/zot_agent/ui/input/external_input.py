"""Text that is not typed here: edited in the user's own editor, or pasted from the clipboard."""

import os
from collections.abc import Callable

from zot_agent.config.paths import zot_home
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.input import editor_program, pasted_images


async def edit_in_program(chat: Chat, touch: Callable[[], None]) -> None:
    """Have the user edit the prompt in `$VISUAL`, `$EDITOR` or an editor found on the PATH.

    `touch` is called before the screen comes back, since keys were pressed until then. Raises `ZotError`.
    """
    prompt, app = chat.prompt_input, chat.app
    argv = editor_program.command(os.environ)

    async def run(command: list[str]) -> int:
        with app.suspended():
            code = await editor_program.run_program(command)
            touch()
            return code

    edited = await editor_program.edit(prompt.editor.pastes.expand(prompt.text), argv, run)
    if edited.problem:
        chat.note(edited.problem, "warning")
    prompt.set(edited.text)


async def paste_from_clipboard(chat: Chat, paste: Callable[[str], None]) -> None:
    """Paste the image or text on the clipboard. Raises `ZotError`."""
    paste(await pasted_images.from_clipboard(zot_home(), chat.app.environment))
