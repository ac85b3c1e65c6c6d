"""Sample arguments for a JSON Schema, as a model might send them, to call a tool that is otherwise unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_TEXTS = {
    "date": "2026-01-31",
    "time": "12:00:00Z",
    "date-time": "2026-01-31T12:00:00Z",
    "email": "someone@example.com",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_DEPTH = 16


def sample(schema: object, root: Mapping[str, Any] | None = None, depth: int = 0) -> Any:
    """Make a value that matches `schema`, with every property, always the same for the same schema.

    Supported: `const`, `enum`, `default`, `examples`, `$ref` within the schema, `anyOf`, `oneOf`, `allOf`, `type`,
    bounds of numbers, strings and lists. Not supported: `pattern`, `not`, `if`. A recursive schema ends after 16
    levels.
    """
    if not isinstance(schema, dict) or depth > _DEPTH:
        return "text" if schema is True else {}
    root = schema if root is None else root
    if "$ref" in schema:
        return sample(_resolved(str(schema["$ref"]), root), root, depth + 1)
    if "const" in schema:
        return schema["const"]
    for given in ("enum", "examples"):
        if isinstance(schema.get(given), list) and schema[given]:
            return schema[given][0]
    if "default" in schema:
        return schema["default"]
    for choice in ("anyOf", "oneOf"):
        if isinstance(schema.get(choice), list) and schema[choice]:
            return sample({**_without(schema, choice), **_first(schema[choice])}, root, depth + 1)
    if isinstance(schema.get("allOf"), list):
        return sample(_merged(schema, root), root, depth + 1)
    return _typed(schema, root, depth)


def _typed(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Any:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), "null")
    if kind is None:
        kind = "object" if "properties" in schema else "array" if "items" in schema else "string"
    if kind == "object":
        return _object(schema, root, depth)
    if kind == "array":
        count = max(_whole(schema.get("minItems"), 0), min(1, _whole(schema.get("maxItems"), 1)))
        return [sample(schema.get("items", True), root, depth + 1) for _ in range(min(count, 100))]
    if kind in ("integer", "number"):
        return _number(schema, whole=kind == "integer")
    return {"boolean": False, "null": None}.get(kind, _text(schema))


def _object(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> dict[str, Any]:
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    needed = [name for name in schema.get("required", ()) if isinstance(name, str)]
    # Only required properties at depth: a recursive schema would otherwise give a large tree.
    names = [*properties, *(name for name in needed if name not in properties)] if depth < _DEPTH // 4 else needed
    return {name: sample(properties.get(name, True), root, depth + 1) for name in names}


def _text(schema: Mapping[str, Any]) -> str:
    text = _TEXTS.get(str(schema.get("format")), "text")
    text = text.ljust(min(_whole(schema.get("minLength"), 0), 100_000), "t")
    return text[: _whole(schema.get("maxLength"), len(text))]


def _number(schema: Mapping[str, Any], *, whole: bool) -> float:
    given: Any = schema.get("multipleOf")
    step: Any = given if _is_number(given) and given > 0 else 1 if whole else None
    low, over, high, under = (
        schema[name] if _is_number(schema.get(name)) else None
        for name in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
    )
    bottom: Any = max((each for each in (low, over) if each is not None), default=None)
    top: Any = min((each for each in (high, under) if each is not None), default=None)
    if step is None:
        if bottom is not None and top is not None:
            return float(bottom + top) / 2
        return float(bottom + 1 if bottom is not None else top - 1 if top is not None else 1)
    value: float = step
    if bottom is not None and (value < bottom or value == over):
        value = -(-bottom // step) * step
        value += step if value == over else 0
    if top is not None and (value > top or value == under):
        value = top // step * step
        value -= step if value == under else 0
    return int(value) if whole else value


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else otherwise


def _without(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != name}


def _first(choices: list[Any]) -> dict[str, Any]:
    kept = [each for each in choices if isinstance(each, dict) and each.get("type") != "null"]
    return kept[0] if kept else {"type": "null"}


def _merged(schema: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, Any]:
    merged = _without(schema, "allOf")
    for part in schema["allOf"]:
        part = _resolved(str(part["$ref"]), root) if isinstance(part, dict) and "$ref" in part else part
        if isinstance(part, dict):
            both = {"properties": {**merged.get("properties", {}), **part.get("properties", {})}}
            required = [*merged.get("required", []), *part.get("required", [])]
            merged = {**merged, **_without(part, "allOf"), **both, "required": required}
    return merged


def _resolved(reference: str, root: Mapping[str, Any]) -> Any:
    found: Any = root
    for name in reference.removeprefix("#").split("/")[1:]:
        name = name.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, dict) else None
    return {} if found is None else found
