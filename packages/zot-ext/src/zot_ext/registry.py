"""`Registry`: everything an extension has registered, in order."""

from __future__ import annotations

from zot_ext.protocol.from_extension import RegisterCommand, RegisterTool, Subscribe
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from zot_ext.interception import Interceptor
    from zot_ext.panel import Panel
    from zot_ext.protocol.from_extension import FromExtension
    from zot_ext.protocol.raw import RawObject


class Command(Record):
    """A slash command."""

    name: str
    description: str
    handler: Callable[..., object]
    """Takes the text after the name."""

    def frame(self) -> RegisterCommand:
        return RegisterCommand(self.name, self.description)


class Tool(Record):
    """A tool of the model."""

    name: str
    description: str
    schema: RawObject
    handler: Callable[..., object]
    """Takes the parsed arguments as one dictionary."""

    def frame(self) -> RegisterTool:
        return RegisterTool(self.name, self.description, self.schema)


class Registry:
    """What an extension can do. A name that is registered again replaces the earlier registration."""

    def __init__(self) -> None:
        self.commands: dict[str, Command] = {}
        self.tools: dict[str, Tool] = {}
        self.events: dict[str, list[Callable[..., object]]] = {}
        self.interceptors: dict[str, list[Interceptor]] = {}
        self.hello: list[Callable[..., object]] = []
        self.panels: dict[str, Panel] = {}

    def capabilities(self) -> Iterator[str]:
        """The groups of the protocol that are in use."""
        if self.commands:
            yield "commands"
        if self.tools:
            yield "tools"
        if self.events or self.interceptors:
            yield "events"
        if self.panels:
            yield "panels"

    def frames(self) -> Iterator[FromExtension]:
        """The registrations, in the order in which hosts like them: commands, tools, one subscription."""
        for command in self.commands.values():
            yield command.frame()
        for tool in self.tools.values():
            yield tool.frame()
        if self.events or self.interceptors:
            yield Subscribe(tuple(self.events), tuple(self.interceptors))


def tool_name(name: str) -> str:
    """Check the name of a tool: 1 to 64 of `A-Z a-z 0-9 _ -`, or every request to the provider fails."""
    if not _plain(name) or len(name) > 64:
        raise ValueError(f"{name!r} is no name of a tool: 1 to 64 letters, digits, '_' and '-'")
    return name


def command_name(name: str) -> str:
    """Check the name of a command, without its slash: letters, digits, `_` and `-`."""
    if not _plain(name.removeprefix("/")):
        raise ValueError(f"{name!r} is no name of a command: letters, digits, '_' and '-'")
    return name.removeprefix("/")


def _plain(name: str) -> bool:
    return name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
