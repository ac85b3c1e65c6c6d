"""The system prompt: the agent's identity, added instructions, the date and the working directory."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from zot_provider.record import Record

_IDENTITY = os.path.join(os.path.dirname(__file__), "identity.md")


class PromptPart(Record):
    """A part of the system prompt that the machine decides, such as the date: it may differ when a session is
    continued. The name is unique in a prompt."""

    name: str
    text: str


@cache
def identity() -> str:
    """Return the default instructions at the start of the system prompt."""
    with open(_IDENTITY, encoding="utf-8") as file:
        return file.read().strip()


def system_prompt(
    cwd: str,
    *,
    replace: str | None = None,
    append: Sequence[str | PromptPart] = (),
    sent: Mapping[str, str] | None = None,
) -> str:
    """Build the system prompt for work in `cwd`: the identity or `replace`, then `append`, then date and directory.

    A part by a name in `sent` has that text: what does not change stays in the provider's cache.
    """
    parts = [identity() if replace is None else replace, *append, _footer(cwd)]
    texts = (part if isinstance(part, str) else (sent or {}).get(part.name, part.text) for part in parts)
    return "\n\n".join(text.strip() for text in texts if text.strip())


def machine_parts(cwd: str, append: Iterable[str | PromptPart]) -> dict[str, str]:
    """Return the parts of such a prompt that the machine decides, as they are now, by name."""
    return {part.name: part.text for part in (*append, _footer(cwd)) if isinstance(part, PromptPart)}


def _footer(cwd: str) -> PromptPart:
    return PromptPart("date", f"Current date: {time.strftime('%Y-%m-%d')}\nCurrent working directory: {cwd}")
