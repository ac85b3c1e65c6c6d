"""`arguments_schema`: the schema of the arguments of a tool, in a form that the protocol allows."""

from typing import Any


class NotForArguments(ValueError):
    """A schema can describe no arguments; `str()` says why."""


def arguments_schema(given: Any) -> dict[str, Any]:
    """Return a schema of an object. A schema without a type describes an object, because arguments are one. Raises
    `NotForArguments` for a schema of something else."""
    if given is None or given is True:
        return {"type": "object", "properties": {}}
    if not isinstance(given, dict):
        raise NotForArguments("its inputSchema is not an object")
    kind = given.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if kind is not None and not {"object", "any", ""} & {each for each in kinds if isinstance(each, str)}:
        raise NotForArguments(f"its inputSchema has the type {kind!r}; arguments are an object")
    found = {key: value for key, value in given.items() if value is not None} | {"type": "object"}
    if not isinstance(found.get("$schema", ""), str):
        del found["$schema"]
    properties = found.get("properties", {})
    found["properties"] = {
        name: each if isinstance(each, dict) else {}
        for name, each in (properties.items() if isinstance(properties, dict) else ())
    }
    if "required" in found:
        required = found["required"] if isinstance(found["required"], list) else []
        found["required"] = [each for each in required if isinstance(each, str)]
    return found
