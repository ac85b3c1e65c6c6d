"""The prompt as a message: chips are expanded to pasted text and file paths, images are attached."""

import os
import re
import shlex

from zot_core.images import image_from_file
from zot_provider.messages import ImageBlock
from zot_tui.editor.paste import Pastes

PASTED = "pasted"
"""The folder in zot's home for images from the clipboard."""


def message(text: str, pastes: Pastes) -> tuple[str, list[ImageBlock]]:
    """Return the text with its chips expanded, and its images. Raises `ConfigError` for a file that is not an image."""
    images = [found.chip.content for found in pastes.find(text) if found.chip.kind == "image"]
    return pastes.expand(text).strip(), [image_from_file(path) for path in images]


def with_image_chips(text: str, folder: str, pastes: Pastes) -> str:
    """Return `text` with chips in place of the paths of pasted images in `folder`."""
    paths = re.compile(re.escape(folder + os.sep) + r"clipboard-[0-9a-f]{8}\.[a-z]{3,4}")
    return paths.sub(lambda found: pastes.collapse(shlex.quote(found[0])).rstrip(" "), text)
