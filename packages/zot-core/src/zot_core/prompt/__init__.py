"""The system prompt: who the agent is, what was added, and where and when it works."""

import os
import time
from collections.abc import Sequence

_IDENTITY = os.path.join(os.path.dirname(__file__), "identity.md")


def identity() -> str:
    """The words zot introduces itself with to a model."""
    with open(_IDENTITY, encoding="utf-8") as file:
        return file.read().strip()


def system_prompt(cwd: str, *, replace: str | None = None, append: Sequence[str] = ()) -> str:
    """The system prompt for work in `cwd`: `replace` in place of the identity, then `append`, then date and place.

    The date has no time of day: a prompt that stays the same over a day stays in the provider's cache.
    """
    parts = [identity() if replace is None else replace, *append]
    footer = f"Current date: {time.strftime('%Y-%m-%d')}\nCurrent working directory: {cwd}"
    return "\n\n".join([part.strip() for part in parts if part.strip()] + [footer])
