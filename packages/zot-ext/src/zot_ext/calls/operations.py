"""The operations as calls of the SDK. Their types are in `operations.pyi`, which `make generate` writes."""

from __future__ import annotations

from zot_ext.calls.caller import Calls
from zot_ext.protocol.calls.method import HostMethod, read_methods

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


def given_fields(
    operation: str, signature: Sequence[str], values: Sequence[object], fields: Mapping[str, object]
) -> dict[str, object]:
    """Return the fields of a call by name. `signature` has them in order, with a star before those given by name alone.
    Raises TypeError."""
    names = [each for each in signature if each != "*"]
    places = signature[: len(names)] if "*" not in signature else signature[: signature.index("*")]
    given = {**dict(zip(places, values, strict=False)), **fields}
    if len(given) < len(values) + len(fields) or not given.keys() <= set(names):
        shown = ", ".join([*map(repr, values), *fields])
        raise TypeError(f"{operation} takes {', '.join(signature) or 'no fields'}; got {shown}")
    return given


def _method(row: HostMethod) -> Callable[..., Any]:
    def call(self: Calls, *values: object, **fields: object) -> Any:
        # Every answer has a field: an empty one means that the operation has no answer.
        return self._call(row.name, **given_fields(row.name, row.signature, values, fields)) or None

    call.__doc__ = row.doc
    return call


_classes: dict[str, dict[str, Any]] = {}
for _row in read_methods("operations.json"):
    _word, _, _short = _row.name.partition(".")
    _classes.setdefault(f"{_word.capitalize()}Operations", {})[_short] = _method(_row)

globals().update({name: type(name, (Calls,), own) for name, own in _classes.items()})
