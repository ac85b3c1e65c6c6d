"""Files for the prompt: `@PATH`, `--prompt-file` and `--json-schema`."""

import os
from collections.abc import Sequence
from typing import Any

from zot_core.images import LARGEST, SUFFIXES, image_block, image_type
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_start
from zot_provider.json_text import describe, read_strict
from zot_provider.messages import ImageBlock
from zot_provider.record import Record, field, record

TEXT_LIMIT = 1 << 20
"""The most bytes of one text file; the model can read longer files in parts, with its tools."""

STDIN = "-"
"""The value of `--prompt-file` for piped text, which goes before the prompt anyway."""


@record
class Attachments(Record):
    """Attached texts and images, in the order of the command line."""

    texts: list[str] = field(default_factory=list)
    images: list[ImageBlock] = field(default_factory=list)


def is_file_word(word: str) -> bool:
    """Whether a word of the command line names a file to attach: `@PATH`, but neither `@` alone nor a text with spaces,
    unless a file has that name."""
    if len(word) < 2 or not word.startswith("@"):
        return False
    return word.split() == [word] or os.path.exists(_expanded(word[1:]))


def attach(words: Sequence[str]) -> Attachments:
    """Read the files named by `@PATH` words. Raises `ConfigError` for a file that cannot be attached."""
    attached = Attachments()
    for word in words:
        path = word[1:]
        data = _read(path, LARGEST, " (put a prompt that begins with @ after --)")
        mime_type = image_type(data)
        if mime_type:
            attached.images.append(image_block(mime_type, data))
            attached.texts.append(f"[image {path}]")
        else:
            attached.texts.append(f'<file path="{path}">\n{_text(path, data)}\n</file>')
    return attached


def read_prompt_file(path: str) -> str:
    """Read the text of `--prompt-file`; empty for `STDIN`. Raises `ConfigError`."""
    return "" if path == STDIN else _text(path, _read(path, TEXT_LIMIT))


def read_schema(path: str) -> dict[str, Any]:
    """Read the JSON object in the file of `--json-schema`. Raises `ConfigError`."""
    text = _text(path, _read(path, TEXT_LIMIT))
    try:
        value = read_strict(text)
    except ValueError as error:
        raise ConfigError(f"{path} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ConfigError(f"{path} is not a JSON Schema: expected an object, got {describe(value)}")
    return value


def _text(path: str, data: bytes) -> str:
    if path.lower().endswith(tuple(SUFFIXES)):
        raise ConfigError(f"{path} is not a valid image of its type; attach a PNG, JPEG, GIF or WebP file")
    if b"\0" in data[:8192]:
        raise ConfigError(f"{path} looks binary; only text and images (PNG, JPEG, GIF, WebP) can be attached")
    _check_size(path, data, TEXT_LIMIT)
    return data.decode("utf-8-sig", "replace").strip("\r\n")


def _read(path: str, limit: int, hint: str = "") -> bytes:
    try:
        if path.startswith("/dev/fd/"):  # `<(COMMAND)` in a shell is a pipe that zot inherits
            with open(path, "rb") as file:
                data = file.read(limit + 1)
        else:
            data = read_start(_expanded(path), limit + 1)
    except FileNotFoundError:
        raise ConfigError(f"no such file: {path}{hint}") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a directory; mention its path in the prompt and zot will look into it") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {path}: {getattr(error, 'strerror', error)}") from error
    _check_size(path, data, limit)
    return data


def _check_size(path: str, data: bytes, limit: int) -> None:
    if len(data) > limit:
        size = f"{limit / 1_000_000:.1f} MB"
        raise ConfigError(f"{path} is larger than {size}; mention its path in the prompt and zot will read it in parts")


def _expanded(path: str) -> str:
    return os.path.expanduser(path)
