"""Slash commands: their syntax, descriptions and results."""

from typing import Literal, TypeAlias

from zot_provider.errors import ZotError
from zot_provider.record import Record

SKILL = "skill:"
"""The prefix of the slash commands of skills."""

_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.")

Action: TypeAlias = Literal["prompt", "insert", "display", "open_panel", "noop"]

CommandKind: TypeAlias = Literal["extension", "skill", "template"]
"""The source of a command: an extension runs it; a skill or a prompt template is sent."""


class Command(Record):
    """A slash command, its name without the slash. `source` is the extension that runs it, "skills" or "prompts".
    `arguments` is a line that says which arguments it takes, empty if unknown. `path` is the file of a skill or of a
    prompt template. Lists leave out what is `hidden`."""

    source: str
    name: str
    description: str
    kind: CommandKind = "extension"
    arguments: str = ""
    path: str = ""
    hidden: bool = False


class CommandAnswer(Record):
    """The result of a slash command of `extension`: `text` is to be sent as a prompt, inserted or displayed. With
    "open_panel" the panel is already open."""

    extension: str
    action: Action
    text: str = ""


class CommandError(ZotError):
    """A slash command could not be run, or failed. `reported`: an event has already reported it."""

    reported = False


class UnknownCommand(CommandError):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no command /{name}")


class CommandSilent(CommandError):
    """An extension did not answer a slash command in time."""


class CommandRefused(CommandError):
    """An extension answered a slash command with an error; `str()` returns its text."""


def read_command(text: str) -> tuple[str, str] | None:
    """Parse a slash command into its name and arguments; None for any other text, such as a path."""
    text = text.strip()
    if not text.startswith("/") or text[1:2].isspace():
        return None
    name, *args = text[1:].split(maxsplit=1) or [""]
    return (name, "".join(args)) if is_command_name(name) else None


def is_command_name(name: str) -> bool:
    """Return whether a slash command can have this name: ASCII letters, digits, `_`, `-` and `.`, the first not a `.`.
    A `:` may follow, with one or more of the same or of `:` behind it."""
    first, colon, rest = name.partition(":")
    letters = _LETTERS.issuperset(first) and _LETTERS.issuperset(rest.replace(":", ""))
    return letters and not first.startswith(".") and bool(first) and bool(rest) == bool(colon)


def names_skill(name: str) -> bool:
    """Return whether `name` has the form of a skill's slash command; the skill need not exist."""
    return name.lower().startswith(SKILL)
