"""`ExtensionRegistry`: who owns which command and which tool, whatever the order in which registrations arrive.

Of two extensions with one name the one loaded earlier has it, for the description and for the calls alike; the other
one gets it when the first is gone. Built-in names cannot be had.
"""

import re
from collections.abc import Container
from typing import Any, Generic, TypeVar

from zot_core.conversation.commands import Command
from zot_ext.protocol.raw import RawObject
from zot_provider.record import Record, record

T = TypeVar("T", Command, "ToolOffer")

_COMMAND = re.compile(r"[A-Za-z0-9_-]+")
_TOOL = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What providers take; one odd name would make every request fail."""


@record
class ToolOffer(Record):
    """A tool that the extension `source` offers to the model."""

    source: str
    name: str
    description: str
    schema: dict[str, Any]


@record
class NameConflict(Record):
    """A name that cannot be had for now: the position of the extension that goes without it, and why, for its log."""

    position: int
    why: str


class RegistrationError(ValueError):
    """A registration that cannot be used; `str()` says why in one line, for the extension's log."""


class _Names(Generic[T]):
    """The candidates for each name, by the position of their extension in the load order."""

    def __init__(self, taken: Container[str]) -> None:
        self.taken = taken
        self._candidates: dict[str, dict[int, T]] = {}

    def add(self, key: str, position: int, value: T, what: str) -> NameConflict | None:
        candidates = self._candidates.setdefault(key, {})
        before = min(candidates, default=position)
        candidates[position] = value
        if key in self.taken:
            return NameConflict(position, f"{what} is shadowed by zot's own")
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
        if not candidates or key in self.taken:
            return None
        first = min(candidates)
        return first, candidates[first]

    def all(self) -> list[tuple[int, T]]:
        return [found for key in sorted(self._candidates) if (found := self.get(key)) is not None]


class ExtensionRegistry:
    """Names are asked for by extension position: its place in the load order, from 0."""

    def __init__(self, taken_commands: Container[str] = (), taken_tools: Container[str] = ()) -> None:
        """`taken_*`: names of zot's own, commands in lower case."""
        self._commands: _Names[Command] = _Names(taken_commands)
        self._tools: _Names[ToolOffer] = _Names(taken_tools)

    def reserve(self, commands: Container[str]) -> None:
        """Names of commands, in lower case, that cannot be had from now on."""
        self._commands.taken = commands

    def add_command(self, position: int, extension: str, name: str, description: str) -> NameConflict | None:
        """Register, or describe anew; who now goes without the name, if somebody does.

        Commands are found whatever the case of their letters. Raises `RegistrationError` for a name nobody can type.
        """
        name = name.removeprefix("/")
        if not _COMMAND.fullmatch(name):
            raise RegistrationError(f"a command cannot be called {name!r}: only letters, digits, _ and -")
        return self._commands.add(name.lower(), position, Command(extension, name, description), f"the command /{name}")

    def add_tool(
        self, position: int, extension: str, name: str, description: str, schema: RawObject
    ) -> NameConflict | None:
        """Register, or describe anew; who now goes without the name, if somebody does.

        Raises `RegistrationError` for a name or a schema that would make requests fail.
        """
        if not _TOOL.fullmatch(name):
            raise RegistrationError(f"a tool cannot be called {name!r}: 1 to 64 letters, digits, _ and -")
        offer = ToolOffer(extension, name, description, object_schema(name, schema.value))
        return self._tools.add(name, position, offer, f"the tool {name}")

    def drop(self, position: int) -> None:
        """Forget everything an extension registered."""
        self._commands.drop(position)
        self._tools.drop(position)

    def command(self, name: str) -> tuple[int, Command] | None:
        """The command called `name`, with or without its slash, and the position of its owner."""
        return self._commands.get(name.removeprefix("/").lower())

    def commands(self) -> list[Command]:
        """The commands there are, by name."""
        return [command for _, command in self._commands.all()]

    def tools(self) -> list[tuple[int, ToolOffer]]:
        """The tools there are and the positions of their owners, by name."""
        return self._tools.all()


def object_schema(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """`schema` as providers take it: of type "object", which it may have left out. Raises `RegistrationError`."""
    kind = schema.get("type", "object")
    if kind != "object":
        raise RegistrationError(f'the schema of the tool {name} must be of type "object", not {kind!r}')
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        raise RegistrationError(f"the schema of the tool {name} has properties that are no object")
    return {"type": "object", "properties": properties} | schema
