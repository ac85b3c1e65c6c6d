"""Files for the prompt on the command line: `@PATH`, `--prompt-file` and `--json-schema`."""

import os
from collections.abc import Sequence
from typing import Any

from zot_agent import attachments
from zot_agent.attachments import Attachments, as_text, expanded, read_limited
from zot_core.tools.definition.attached_files import TEXT_LIMIT
from zot_provider.errors import ConfigError
from zot_provider.json_text import describe, read_strict

STDIN = "-"
"""The value of `--prompt-file` for piped text, which goes before the prompt anyway."""


def is_file_word(word: str) -> bool:
    """Whether a word of the command line names a file to attach: `@PATH`, but neither `@` alone nor a text with spaces,
    unless a file has that name."""
    if len(word) < 2 or not word.startswith("@"):
        return False
    return word.split() == [word] or os.path.exists(expanded(word[1:]))


def attach(words: Sequence[str]) -> Attachments:
    """Read the files named by `@PATH` words. Raises `ConfigError` for a file that cannot be attached."""
    return attachments.attach((word[1:] for word in words), hint=" (put a prompt that begins with @ after --)")


def read_prompt_file(path: str) -> str:
    """Read the text of `--prompt-file`; empty for `STDIN`. Raises `ConfigError`."""
    return "" if path == STDIN else as_text(path, read_limited(path, TEXT_LIMIT))[0]


def read_schema(path: str) -> dict[str, Any]:
    """Read the JSON object in the file of `--json-schema`. Raises `ConfigError`."""
    text, _ = as_text(path, read_limited(path, TEXT_LIMIT))
    try:
        value = read_strict(text)
    except ValueError as error:
        raise ConfigError(f"{path} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ConfigError(f"{path} is not a JSON Schema: expected an object, got {describe(value)}")
    return value
