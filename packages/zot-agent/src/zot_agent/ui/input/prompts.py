"""What was typed, as a message: chips stand for pasted text and files, images are attached."""

from zot_core.images import image_from_file
from zot_provider.messages import ImageBlock
from zot_tui.editor.paste import Pastes


def message(text: str, pastes: Pastes) -> tuple[str, list[ImageBlock]]:
    """The text with what its chips stand for, and the images among them. Raises `ConfigError` for one that is
    none."""
    images = [found.chip.content for found in pastes.find(text) if found.chip.kind == "image"]
    return pastes.expand(text).strip(), [image_from_file(path) for path in images]
