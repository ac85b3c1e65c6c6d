"""Text that is not typed here: edited in the user's own editor, or pasted from the clipboard."""

import os
import shlex
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from zot_agent.config.paths import zot_home
from zot_agent.ui.commands.base import Chat
from zot_agent.ui.input import editor_program
from zot_agent.ui.input.prompts import PASTED
from zot_core.images import LARGEST, SUFFIXES, check_image
from zot_provider.errors import ConfigError
from zot_provider.files.private_folder import make_private
from zot_tui.terminal.clipboard import read


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
    paste(await from_clipboard(zot_home(), chat.app.environment))


DAYS = 14
"""Age at which a file is removed, when the next image is pasted."""


async def from_clipboard(home: str, environment: Mapping[str, str]) -> str:
    """Return the text to paste: the quoted path of the saved image, or the text on the clipboard.

    An image is saved as `$ZOT_HOME/pasted/clipboard-<random>.png` and kept for some days, so that a prompt in the
    history can be sent again. Raises `ConfigError` if the clipboard holds neither.
    """
    content = await read(environment, largest=LARGEST)
    if content.problem:
        raise ConfigError(content.problem)
    if not content.data:
        return content.text
    kind = check_image(content.data, "the clipboard")
    folder = os.path.join(home, PASTED)
    with ConfigError.of_system(f"cannot save the image in {folder}"):
        path = save(folder, content.data, kind)
    remove_old(folder)
    return shlex.quote(path)


def save(folder: str, data: bytes, mime_type: str) -> str:
    """Write an image into `folder`, readable only by this user, and return its path. Raises OSError."""
    make_private(folder)
    suffix = next(suffix for suffix, known in SUFFIXES.items() if known == mime_type)
    path = os.path.join(folder, f"clipboard-{os.urandom(4).hex()}{suffix}")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
    return path


def remove_old(folder: str, days: float = DAYS) -> None:
    with suppress(OSError):
        for entry in os.scandir(folder):
            with suppress(OSError):
                if entry.is_file(follow_symlinks=False) and time.time() - entry.stat().st_mtime > days * 86400:
                    os.unlink(entry.path)
