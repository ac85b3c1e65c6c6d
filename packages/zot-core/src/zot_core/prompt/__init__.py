"""The system prompt: the agent's identity, added instructions, the date and the working directory."""

import os
import time
from collections.abc import Sequence

_IDENTITY = os.path.join(os.path.dirname(__file__), "identity.md")


def identity() -> str:
    """Return the default instructions at the start of the system prompt."""
    with open(_IDENTITY, encoding="utf-8") as file:
        return file.read().strip()


def system_prompt(cwd: str, *, replace: str | None = None, append: Sequence[str] = ()) -> str:
    """Build the system prompt for work in `cwd`: the identity or `replace`, then `append`, then date and directory.

    The date has no time of day: a prompt that does not change during a day stays in the provider's cache.
    """
    parts = [identity() if replace is None else replace, *append]
    footer = f"Current date: {time.strftime('%Y-%m-%d')}\nCurrent working directory: {cwd}"
    return "\n\n".join([part.strip() for part in parts if part.strip()] + [footer])
