"""Files named on the command line as `@PATH`, and `--prompt-file`: text and images that go before the prompt."""

import os
from collections.abc import Sequence
from typing import Any

from zot_core.images import LARGEST, SUFFIXES, image_block, image_type
from zot_provider.errors import ConfigError
from zot_provider.json_text import describe, read_strict
from zot_provider.messages import ImageBlock
from zot_provider.record import Record, field, record

TEXT_LIMIT = 1 << 20
"""Bytes of one text file; a model reads longer ones piece by piece, with its own tools."""

STDIN = "-"
"""As `--prompt-file`: what is piped in, which goes before the prompt anyway."""


@record
class Attachments(Record):
    """What was attached, in the order of the command line."""

    texts: list[str] = field(default_factory=list)
    images: list[ImageBlock] = field(default_factory=list)


def is_file_word(word: str) -> bool:
    """Whether a word of the command line names a file to attach: `@PATH`, and not `@` alone or a sentence, unless the
    sentence is a file's name."""
    if len(word) < 2 or not word.startswith("@"):
        return False
    return word.split() == [word] or os.path.exists(_expanded(word[1:]))


def attach(words: Sequence[str]) -> Attachments:
    """The files that these `@PATH` words name. Raises `ConfigError` for one that cannot be attached."""
    attached = Attachments()
    for word in words:
        path = word[1:]
        data = _read(path, LARGEST, " (a prompt that begins with @ goes after --)")
        mime_type = image_type(data)
        if mime_type:
            attached.images.append(image_block(mime_type, data))
            attached.texts.append(f"[image {path}]")
        else:
            attached.texts.append(f'<file path="{path}">\n{_text(path, data)}\n</file>')
    return attached


def read_prompt_file(path: str) -> str:
    """The text of `--prompt-file`, empty for `STDIN`. Raises `ConfigError`."""
    return "" if path == STDIN else _text(path, _read(path, TEXT_LIMIT))


def read_schema(path: str) -> dict[str, Any]:
    """The JSON object in the file of `--json-schema`. Raises `ConfigError`."""
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
        raise ConfigError(f"{path} does not hold an image of its kind; only PNG, JPEG, GIF and WebP can be attached")
    if b"\0" in data[:8192]:
        raise ConfigError(f"{path} looks binary; only text and images (PNG, JPEG, GIF, WebP) can be attached")
    _check_size(path, data, TEXT_LIMIT)
    return data.decode("utf-8-sig", "replace").strip("\r\n")


def _read(path: str, limit: int, hint: str = "") -> bytes:
    try:
        with open(_expanded(path), "rb") as file:
            data = file.read(limit + 1)
    except FileNotFoundError:
        raise ConfigError(f"no such file: {path}{hint}") from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is a directory; name it in the prompt, and zot looks around in it") from None
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    _check_size(path, data, limit)
    return data


def _check_size(path: str, data: bytes, limit: int) -> None:
    if len(data) > limit:
        size = f"{limit / 1_000_000:.1f} MB"
        raise ConfigError(f"{path} is larger than {size}; name it in the prompt, and zot reads it in parts")


def _expanded(path: str) -> str:
    return os.path.expanduser(path)
