"""Files named on the command line as `@PATH`, and `--prompt-file`: text and pictures that go before the prompt."""

import base64
import os
from collections.abc import Sequence

from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock
from zot_provider.record import Record, field, record

TEXT_LIMIT = 1 << 20
"""Bytes of one text file; a model reads longer ones piece by piece, with its own tools."""

IMAGE_LIMIT = 3_750_000
"""Bytes of one picture: 5 MB of base64, what the vendors take."""

_IMAGES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}


@record
class Attachments(Record):
    """What was attached, in the order of the command line."""

    texts: list[str] = field(default_factory=list)
    images: list[ImageBlock] = field(default_factory=list)


def is_file_word(word: str) -> bool:
    """Whether a word of the command line names a file to attach: `@PATH`, and not `@` alone or a sentence."""
    return len(word) > 1 and word.startswith("@") and word.split() == [word]


def attach(words: Sequence[str]) -> Attachments:
    """The files that these `@PATH` words name. Raises `ConfigError` for one that cannot be attached."""
    attached = Attachments()
    for word in words:
        path = os.path.expanduser(word[1:])
        mime_type = _IMAGES.get(os.path.splitext(path)[1].lower())
        if mime_type:
            data = _read(path, IMAGE_LIMIT)
            attached.images.append(ImageBlock(mime_type, base64.b64encode(data).decode("ascii")))
            attached.texts.append(f"[image {word[1:]}]")
        else:
            attached.texts.append(f'<file path="{word[1:]}">\n{_text(path)}\n</file>')
    return attached


def read_prompt_file(path: str) -> str:
    """The text of `--prompt-file`. Raises `ConfigError`."""
    return _text(os.path.expanduser(path))


def _text(path: str) -> str:
    data = _read(path, TEXT_LIMIT)
    if b"\0" in data[:8192]:
        raise ConfigError(f"{path} looks binary; only text and pictures ({', '.join(_IMAGES)}) can be attached")
    return data.decode("utf-8-sig", "replace").strip("\n")


def _read(path: str, limit: int) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(limit + 1)
    except FileNotFoundError:
        raise ConfigError(f"no such file: {path} (a prompt that begins with @ goes after --)") from None
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    if len(data) > limit:
        size = f"{limit / 1_000_000:.1f} MB"
        raise ConfigError(f"{path} is larger than {size}; name it in the prompt, and zot reads it in parts")
    return data
