"""`ExtensionRegistry`: who owns which command and tool, independent of the order of registrations.

If two extensions register one name, the extension loaded earlier owns it; the other one gets it when the owner ends.
Names of zot itself are reserved.
"""

import re
from collections.abc import Container
from typing import Any, Generic, TypeVar

from zot_core.conversation.commands import Command
from zot_ext.protocol.raw import RawObject
from zot_provider.record import Record

T = TypeVar("T", Command, "ToolOffer")

_COMMAND = re.compile(r"[A-Za-z0-9_-]+")
_TOOL = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The names that providers accept. One invalid name would make every request fail."""


class ToolOffer(Record):
    """A tool that the extension `source` offers to the model."""

    source: str
    name: str
    description: str
    schema: dict[str, Any]


class NameConflict(Record):
    """A name that an extension does not get for now: the position of the extension, and the reason, for its log.

    `own`: the name is zot's own, so that the screen need not warn of it.
    """

    position: int
    why: str
    own: bool = False


class RegistrationError(ValueError):
    """An invalid registration; `str()` is one line for the extension's log."""


class _Names(Generic[T]):
    """The candidates for each name, by the position of their extension in the load order."""

    def __init__(self, reserved: Container[str]) -> None:
        self.reserved = reserved
        self._candidates: dict[str, dict[int, T]] = {}

    def add(self, key: str, position: int, value: T, what: str) -> NameConflict | None:
        candidates = self._candidates.setdefault(key, {})
        before = min(candidates, default=position)
        candidates[position] = value
        if key in self.reserved:
            return NameConflict(position, f"{what} is shadowed by zot's own", own=True)
        first = min(candidates)
        if first == position == before:
            return None
        why = f"{what} is shadowed by that of extension {candidates[first].source}, which is loaded before"
        return NameConflict(position if first != position else before, why)

    def drop(self, position: int) -> None:
        for key in list(self._candidates):
            self._candidates[key].pop(position, None)
            if not self._candidates[key]:
                del self._candidates[key]

    def get(self, key: str) -> tuple[int, T] | None:
        candidates = self._candidates.get(key)
        if not candidates or key in self.reserved:
            return None
        first = min(candidates)
        return first, candidates[first]

    def all(self) -> list[tuple[int, T]]:
        return [found for key in sorted(self._candidates) if (found := self.get(key)) is not None]


class ExtensionRegistry:
    """The commands and tools of all extensions. An extension is identified by its position in the load order, from
    0."""

    def __init__(self, reserved_commands: Container[str] = (), reserved_tools: Container[str] = ()) -> None:
        """`reserved_*`: names of zot itself, commands in lower case."""
        self._commands: _Names[Command] = _Names(reserved_commands)
        self._tools: _Names[ToolOffer] = _Names(reserved_tools)

    def reserve(self, commands: Container[str]) -> None:
        """Reserve names of commands, in lower case, in place of the earlier ones."""
        self._commands.reserved = commands

    def add_command(self, position: int, extension: str, name: str, description: str) -> NameConflict | None:
        """Register a command, or update its description. Returns the conflict if an extension does not get the name.

        Names of commands are not case-sensitive. Raises `RegistrationError` for a name that cannot be typed.
        """
        name = name.removeprefix("/")
        if not _COMMAND.fullmatch(name):
            raise RegistrationError(f"a command cannot be called {name!r}: only letters, digits, _ and -")
        return self._commands.add(name.lower(), position, Command(extension, name, description), f"the command /{name}")

    def add_tool(
        self, position: int, extension: str, name: str, description: str, schema: RawObject
    ) -> NameConflict | None:
        """Register or update a tool. Returns the conflict if an extension does not get the name.

        Raises `RegistrationError` for a name or a schema that would make requests fail.
        """
        if not _TOOL.fullmatch(name):
            raise RegistrationError(f"a tool cannot be called {name!r}: 1 to 64 letters, digits, _ and -")
        offer = ToolOffer(extension, name, description, object_schema(name, schema.value))
        return self._tools.add(name, position, offer, f"the tool {name}")

    def drop(self, position: int) -> None:
        """Remove all registrations of an extension."""
        self._commands.drop(position)
        self._tools.drop(position)

    def command(self, name: str) -> tuple[int, Command] | None:
        """Return the command `name`, with or without its slash, and the position of its owner."""
        return self._commands.get(name.removeprefix("/").lower())

    def commands(self) -> list[Command]:
        """List the commands, by name."""
        return [command for _, command in self._commands.all()]

    def tools(self) -> list[tuple[int, ToolOffer]]:
        """List the tools and the positions of their owners, by name."""
        return self._tools.all()


def object_schema(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return `schema` as providers accept it, with `type` and `properties` filled in. Raises `RegistrationError`."""
    kind = schema.get("type", "object")
    if kind != "object":
        raise RegistrationError(f'the schema of the tool {name} must be of type "object", not {kind!r}')
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        raise RegistrationError(f"the schema of the tool {name} has properties that are not an object")
    return {"type": "object", "properties": properties} | schema
