"""`Method`: a command of the protocol as data: the source of its validation, its documentation and its schema."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from zot_agent.operations.fields import FieldKind, kind_of
from zot_core.errors import JobsRunning, SessionLocked
from zot_provider.errors import ZotError
from zot_provider.json_text import describe, read_strict
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_agent.rpc.context import CommandContext

A = TypeVar("A")


class Encoded(str, Generic[A]):
    """An answer as JSON text."""


Answer: TypeAlias = "Mapping[str, object] | Encoded[Any] | None"
"""The `data` of a response: a typed dictionary, the JSON text of one, or None for a response without `data`."""

MethodHandler: TypeAlias = "Callable[[CommandContext, dict[str, Any]], Answer | Awaitable[Answer]]"

KINDS: dict[str, FieldKind] = {
    "string": kind_of(str),
    "boolean": kind_of(bool),
    "number": kind_of(int),
    "value": kind_of(Any),
    "strings": kind_of(list[str]),
    "images": kind_of(list[dict[str, Any]]),
}
"""The kinds of fields."""


ERROR_CODES: dict[type[ZotError], str] = {SessionLocked: "session_locked", JobsRunning: "jobs_running"}
"""The `code` of a response for errors that a client may have an answer to."""


class InvalidCommand(ZotError):
    """A command has an invalid field, or cannot be carried out now. The text names the field, if one is at fault."""


class CommandField(Record):
    """A field of a command; `kind` is a key of `KINDS`. A field that is null counts as missing."""

    name: str
    kind: str
    doc: str
    required: bool = False


class Method(Record):
    """A command: its handler, whose annotation is the type of the `data` of the response, and its fields."""

    name: str
    handler: MethodHandler
    doc: str
    fields: tuple[CommandField, ...] = ()

    def check(self, command: dict[str, Any]) -> dict[str, Any]:
        """Return the fields that are set. Raises `InvalidCommand` for a field that is missing or of the wrong type."""
        given: dict[str, Any] = {}
        for field in self.fields:
            value = command.get(field.name)
            kind = KINDS[field.kind]
            if value is None:
                if field.required:
                    raise InvalidCommand(kind.problem(field.name, value))
            elif not kind.fits(value):
                raise InvalidCommand(kind.problem(field.name, value))
            else:
                given[field.name] = value
        return given


def json_kind(line: bytes) -> str:
    """Name the kind of a JSON value that is not an object; empty if the line is an object or not JSON."""
    try:
        value = read_strict(line)
    except ValueError:
        return ""
    return "" if isinstance(value, dict) else "an array" if isinstance(value, list) else describe(value)
