"""Slash commands: how they are written, what is known of one, what comes of it."""

import re
from typing import Literal, TypeAlias

from zot_provider.errors import ZotError
from zot_provider.record import Record, record

SKILL = "skill:"
"""What the slash command of a skill begins with."""

_COMMAND = re.compile(r"/(?P<name>[A-Za-z0-9_-]+(?::[A-Za-z0-9_.:-]+)?)(?:\s+(?P<args>.*))?", re.DOTALL)

Action: TypeAlias = Literal["prompt", "insert", "display", "open_panel", "noop"]


@record
class Command(Record):
    """A slash command, its name without the slash. `source` is the extension that runs it, or "skills"."""

    source: str
    name: str
    description: str

    @property
    def is_skill(self) -> bool:
        """Whether it sends a skill. The names of extensions' commands cannot begin with `skill:`."""
        return names_skill(self.name)


@record
class CommandAnswer(Record):
    """What a slash command of `extension` wants: send `text` as a prompt, insert or display it; an "open_panel" is open
    already."""

    extension: str
    action: Action
    text: str = ""


class CommandError(ZotError):
    """A slash command could not be run, or failed. `told`: an event has said so already."""

    reported = False


class CommandRefused(CommandError):
    """An extension answered a slash command with an error, which is the text."""


def read_command(text: str) -> tuple[str, str] | None:
    """The name and the arguments of a slash command; None for any other text. A path is not one."""
    found = _COMMAND.fullmatch(text.strip())
    return None if found is None else (found["name"], (found["args"] or "").strip())


def names_skill(name: str) -> bool:
    """Whether this is the name of a skill's slash command, known or not."""
    return name.lower().startswith(SKILL)
