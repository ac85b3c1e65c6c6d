"""The prompt as a message: chips are expanded to pasted text and file paths, images and files are attached."""

import os
import re
import shlex

from zot_agent.attachments import attach, named_files
from zot_core.images import image_from_file
from zot_provider.messages import ImageBlock
from zot_provider.record import Record
from zot_tui.editor.paste import Pastes

PASTED = "pasted"
"""The folder in zot's home for images from the clipboard."""


class Prompt(Record):
    """A prompt for `Conversation.prompt`: its text, its images and the texts of attached files."""

    text: str
    images: list[ImageBlock]
    attached: list[str]


def message(text: str, pastes: Pastes, cwd: str) -> Prompt:
    """Return the prompt with its chips expanded, its images, and the files below `cwd` that it names as `@PATH`. Raises
    `ConfigError` for a file that cannot be attached."""
    images = [found.chip.content for found in pastes.find(text) if found.chip.kind == "image"]
    files = attach(named_files(text, cwd), cwd)
    blocks = [*map(image_from_file, images), *files.images]
    return Prompt(sent_text(text, pastes), blocks, files.texts)


def sent_text(text: str, pastes: Pastes) -> str:
    """Return `text` with its chips expanded, without blank lines around it; the first line keeps its indentation."""
    return re.sub(r"\A(?:[^\S\n]*\n)+", "", pastes.expand(text)).rstrip()


def has_attachments(text: str, pastes: Pastes, cwd: str) -> bool:
    """Whether `message` would attach something."""
    return any(found.chip.kind == "image" for found in pastes.find(text)) or bool(named_files(text, cwd))


def with_image_chips(text: str, folder: str, pastes: Pastes) -> str:
    """Return `text` with chips in place of the paths of pasted images in `folder`."""
    paths = re.compile(re.escape(folder + os.sep) + r"clipboard-[0-9a-f]{8}\.[a-z]{3,4}")
    return paths.sub(lambda found: pastes.collapse(shlex.quote(found[0])).rstrip(" "), text)
