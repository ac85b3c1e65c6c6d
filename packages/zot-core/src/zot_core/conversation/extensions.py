"""What a conversation wants from extensions: two protocols, which a host of extensions fills."""

from collections.abc import Sequence
from typing import Protocol

from zot_core.conversation.commands import Command, CommandAnswer
from zot_core.conversation.events import ExtensionEvent
from zot_core.hooks import Observe


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
