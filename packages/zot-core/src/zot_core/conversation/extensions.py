"""Protocols that a host of extensions implements for a `Conversation`."""

from collections.abc import Sequence
from typing import Protocol

from zot_core.conversation.commands import Command, CommandAnswer
from zot_core.conversation.events import ExtensionEvent
from zot_core.hooks import Observe


class ExtensionCommands(Protocol):
    """The slash commands of extensions."""

    @property
    def commands(self) -> Sequence[Command]:
        """The commands known so far, sorted by name."""
        ...

    async def ready(self) -> None:
        """Wait until all commands are known."""
        ...

    async def run_command(self, name: str, args: str = "") -> CommandAnswer:
        """Run a command; the case of its name does not matter. Raises `CommandError`."""
        ...


class ExtensionEvents(Protocol):
    """The events of extensions."""

    events: Observe[ExtensionEvent]


class ExtensionHost(ExtensionCommands, ExtensionEvents, Protocol):
    """A host of extensions: their commands and their events."""
