"""`Method`: a command of the protocol as data, from which its check, its documentation and its schema are read."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from zot_provider.errors import ZotError
from zot_provider.json_text import describe, read_strict
from zot_provider.record import Record, record

if TYPE_CHECKING:
    from zot_agent.rpc.service import Service

Answer: TypeAlias = "dict[str, Any] | str | None"
"""The `data` of a response: an object, the JSON text of one, or None for a response without."""

Handler: TypeAlias = "Callable[[Service, dict[str, Any]], Answer | Awaitable[Answer]]"

KINDS: dict[str, tuple[str, Callable[[Any], bool], dict[str, Any]]] = {
    "string": ("a string", lambda value: isinstance(value, str), {"type": "string"}),
    "boolean": ("true or false", lambda value: isinstance(value, bool), {"type": "boolean"}),
    "strings": (
        "an array of strings",
        lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value),
        {"type": "array", "items": {"type": "string"}},
    ),
    "images": (
        "an array of objects",
        lambda value: isinstance(value, list) and all(isinstance(each, dict) for each in value),
        {"type": "array", "items": {"$ref": "#/$defs/InputImage"}},
    ),
}
"""The kinds of fields: in words, as a check, as JSON Schema."""


class CommandRefused(ZotError):
    """A command cannot be done as it was asked for; the text names the field that is to blame, if one is."""


@record
class Field(Record):
    """A field of a command, of one of `KINDS`. A field that is null counts as missing."""

    name: str
    kind: str
    doc: str
    required: bool = False


@record
class Method(Record):
    """A command: what it does, its fields, and an example of the `data` of its response, empty if it has none."""

    name: str
    handler: Handler
    doc: str
    fields: tuple[Field, ...] = ()
    data: str = ""

    def check(self, command: dict[str, Any]) -> dict[str, Any]:
        """The fields that were given. Raises `CommandRefused` for one that is missing or of the wrong type."""
        given: dict[str, Any] = {}
        for field in self.fields:
            value = command.get(field.name)
            words, fits, _ = KINDS[field.kind]
            if value is None:
                if field.required:
                    raise CommandRefused(f"{field.name} is missing: it must be {words}")
            elif not fits(value):
                found = "an array of something else" if isinstance(value, list) else describe(value)
                raise CommandRefused(f"{field.name} must be {words}, not {found}")
            else:
                given[field.name] = value
        return given


def other_json(line: bytes) -> str:
    """What a line is that is JSON and no object; empty for other lines."""
    try:
        value = read_strict(line)
    except ValueError:
        return ""
    return "" if isinstance(value, dict) else "an array" if isinstance(value, list) else describe(value)
