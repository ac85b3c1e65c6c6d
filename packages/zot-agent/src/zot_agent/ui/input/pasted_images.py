"""Images from the clipboard, as files that a prompt can name: `$ZOT_HOME/pasted/clipboard-<random>.png`.

A file is there until the prompt is sent, and some days longer: it can be sent again from the history.
"""

import os
import re
import shlex
import time
from collections.abc import Mapping
from contextlib import suppress

from zot_agent.ui.input.prompt_input import PASTED
from zot_core.images import LARGEST, SUFFIXES, check_image
from zot_provider.errors import ConfigError
from zot_tui.editor.paste import Pastes
from zot_tui.terminal.clipboard import read

DAYS = 14
"""After which a file is removed when the next one is pasted."""


async def from_clipboard(home: str, environment: Mapping[str, str]) -> str:
    """What to paste: the path of an image, as a terminal drops it, or a text. Raises `ConfigError` for neither."""
    held = await read(environment, largest=LARGEST)
    if held.problem:
        raise ConfigError(held.problem)
    if not held.data:
        return held.text
    kind = check_image(held.data, "what is on the clipboard")
    folder = os.path.join(home, PASTED)
    try:
        path = keep(folder, held.data, kind)
    except OSError as error:
        raise ConfigError(f"cannot keep the image in {folder}: {error.strerror}") from error
    sweep(folder)
    return shlex.quote(path)


def keep(folder: str, data: bytes, mime_type: str) -> str:
    """Write an image into the folder, for this person's eyes alone; its path. Raises OSError."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    suffix = next(suffix for suffix, known in SUFFIXES.items() if known == mime_type)
    path = os.path.join(folder, f"clipboard-{os.urandom(4).hex()}{suffix}")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
    return path


def sweep(folder: str, days: float = DAYS) -> None:
    """Remove the files that are older."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            with suppress(OSError):
                if entry.is_file(follow_symlinks=False) and time.time() - entry.stat().st_mtime > days * 86400:
                    os.unlink(entry.path)


def with_chips(text: str, folder: str, pastes: Pastes) -> str:
    """`text` with chips for the paths of files in the folder."""
    paths = re.compile(re.escape(folder + os.sep) + r"clipboard-[0-9a-f]{8}\.[a-z]{3,4}")
    return paths.sub(lambda found: pastes.collapse(shlex.quote(found[0])).rstrip(" "), text)
