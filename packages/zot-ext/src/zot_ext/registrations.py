"""`Registrations`: everything that an extension has registered, in order."""

from __future__ import annotations

from zot_ext.protocol.from_extension import RegisterCommand, RegisterTool, Subscribe
from zot_ext.protocol.raw import RawObject
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from zot_ext.interception import Interceptor
    from zot_ext.panel import Panel
    from zot_ext.protocol.from_extension import FromExtension


class RegisteredCommand(Record):
    """A slash command with its handler."""

    name: str
    description: str
    handler: Callable[..., object]
    """Takes the text after the name."""

    def frame(self) -> RegisterCommand:
        return RegisterCommand(self.name, self.description)


class RegisteredTool(Record):
    """A tool for the model with its handler."""

    name: str
    description: str
    schema: RawObject
    handler: Callable[..., object]
    """Takes the parsed arguments as one dictionary."""

    def frame(self) -> RegisterTool:
        return RegisterTool(self.name, self.description, self.schema)


class Registrations:
    """Commands, tools, event handlers and panels. Registering a name again replaces the earlier registration."""

    def __init__(self) -> None:
        self.commands: dict[str, RegisteredCommand] = {}
        self.tools: dict[str, RegisteredTool] = {}
        self.events: dict[str, list[Callable[..., object]]] = {}
        self.interceptors: dict[str, list[Interceptor]] = {}
        self.options: dict[str, dict[str, object]] = {}
        """The options of intercepted events that differ from the defaults."""
        self.hello: list[Callable[..., object]] = []
        self.panels: dict[str, Panel] = {}

    def capabilities(self) -> Iterator[str]:
        """Yield the groups of the protocol that are in use."""
        if self.commands:
            yield "commands"
        if self.tools:
            yield "tools"
        if self.events or self.interceptors:
            yield "events"
        if self.panels:
            yield "panels"

    def frames(self) -> Iterator[FromExtension]:
        """Yield the registrations in the order that hosts prefer: commands, tools, one subscription."""
        for command in self.commands.values():
            yield command.frame()
        for tool in self.tools.values():
            yield tool.frame()
        if self.events or self.interceptors:
            yield self.subscription(tuple(self.events), tuple(self.interceptors))

    def add_options(self, event: str, options: Mapping[str, object]) -> bool:
        """Add the options of an interceptor for the host; return whether they differ from the defaults. Of several
        interceptors each option is the strictest; the last priority counts."""
        known = self.options.setdefault(event, {})
        named = {name: value for name, value in options.items() if value not in ("allow", "session", 0)}
        known.update(named)
        return bool(named)

    def subscription(self, events: tuple[str, ...] = (), intercept: tuple[str, ...] = ()) -> Subscribe:
        """Return the frame for these observed and intercepted events."""
        options = {event: self.options[event] for event in intercept if self.options.get(event)}
        return Subscribe(events, intercept, RawObject.from_value(options) if options else None)


def tool_name(name: str) -> str:
    """Check the name of a tool: 1 to 64 of `A-Z a-z 0-9 _ -`; with any other, every request to the provider fails."""
    if not _is_plain(name) or len(name) > 64:
        raise ValueError(f"{name!r} is not a tool name: 1 to 64 letters, digits, '_' and '-'")
    return name


def command_name(name: str) -> str:
    """Check the name of a command, without its slash: letters, digits, `_` and `-`."""
    if not _is_plain(name.removeprefix("/")):
        raise ValueError(f"{name!r} is not a command name: letters, digits, '_' and '-'")
    return name.removeprefix("/")


def _is_plain(name: str) -> bool:
    return name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()
