"""The operations as calls of the SDK. Their types are in `operations.pyi`, which `make generate` writes."""

from __future__ import annotations

from zot_ext.calls.caller import Calls
from zot_ext.protocol.calls.method import HostMethod, read_methods

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


def given_fields(
    operation: str, names: Sequence[str], values: Sequence[object], fields: Mapping[str, object]
) -> dict[str, object]:
    """Return the fields of a call by name; `names` are the fields of the operation. Raises TypeError."""
    given = {**dict(zip(names, values, strict=False)), **fields}
    if len(given) < len(values) + len(fields) or not given.keys() <= set(names):
        shown = ", ".join([*map(repr, values), *fields])
        raise TypeError(f"{operation} takes {', '.join(names) or 'no fields'}; got {shown}")
    return given


def _method(row: HostMethod) -> Callable[..., Any]:
    names = [param.name for param in row.params]

    def call(self: Calls, *values: object, **fields: object) -> Any:
        # Every answer has a field: an empty one means that the operation has no answer.
        return self._call(row.name, **given_fields(row.name, names, values, fields)) or None

    call.__doc__ = row.doc
    return call


_METHODS = {row.name: _method(row) for row in read_methods("operations.json")}


def _group(name: str) -> type[Calls]:
    """Return the class of the calls of a group that only pass on fields."""
    own = {each.partition(".")[2]: method for each, method in _METHODS.items() if each.startswith(f"{name}.")}
    return type(f"{name.capitalize()}Operations", (Calls,), own)


AgentsOperations = _group("agents")
ControlOperations = _group("control")
JobsOperations = _group("jobs")
ModelOperations = _group("model")
PromptsOperations = _group("prompts")
SessionOperations = _group("session")
ToolsOperations = _group("tools")
