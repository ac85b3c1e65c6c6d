"""What was typed, as a message: chips stand for pasted text and files, pictures are attached."""

import base64
import os

from zot_core.pictures import LARGEST, picture_type
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock
from zot_tui.editor.paste import Pastes


def message(text: str, pastes: Pastes) -> tuple[str, list[ImageBlock]]:
    """The text with what its chips stand for, and the pictures among them. Raises `ConfigError` for one that is
    none."""
    pictures = [found.chip.content for found in pastes.find(text) if found.chip.kind == "image"]
    return pastes.expand(text).strip(), [picture(path) for path in pictures]


def picture(path: str) -> ImageBlock:
    """A picture of a file. Raises `ConfigError`."""
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise ConfigError(f"{path} is no file")  # a pipe would be waited for
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    kind = picture_type(data)
    if not kind:
        raise ConfigError(f"{path} is no png, jpeg, gif or webp picture")
    if len(data) > LARGEST:
        raise ConfigError(f"{path} is larger than {LARGEST / 1e6:g} MB; models take no larger pictures")
    return ImageBlock(kind, base64.b64encode(data).decode())
