"""What a conversation wants from extensions: two protocols, which a host of extensions fills."""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from zot_core.conversation.events import ExtensionEvent
from zot_core.hooks import Observe
from zot_provider.errors import ZotError
from zot_provider.record import Record, record

Action: TypeAlias = Literal["prompt", "insert", "display", "open_panel", "noop"]


@record
class Command(Record):
    """A slash command, its name without the slash. `source` is the extension that runs it, or "skills"."""

    source: str
    name: str
    description: str


@record
class CommandAnswer(Record):
    """What a slash command of `extension` wants: send `text` as a prompt, insert or display it; an "open_panel" is open
    already."""

    extension: str
    action: Action
    text: str = ""


class CommandError(ZotError):
    """A slash command could not be run, or failed. `told`: an event has said so already."""

    told = False


class CommandRefused(CommandError):
    """An extension answered a slash command with an error, which is the text."""


class ExtensionCommands(Protocol):
    """Slash commands that others run."""

    @property
    def commands(self) -> Sequence[Command]:
        """The commands there are now, by name."""
        ...

    async def ready(self) -> None:
        """Return once all commands are known."""
        ...

    async def run_command(self, name: str, args: str = "") -> CommandAnswer:
        """Run a command, whatever the case of its name. Raises `CommandError`."""
        ...


class ExtensionEvents(Protocol):
    """What extensions want a person to see or say."""

    events: Observe[ExtensionEvent]


class ExtensionHost(ExtensionCommands, ExtensionEvents, Protocol):
    """Both."""
