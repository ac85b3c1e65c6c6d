"""`fitted`: the schema of a tool in a form that all providers take.

Schemas come from servers and extensions. A schema that a provider refuses would make every request fail, whatever
tool is called. The tool's own schema still checks the call, so what is loosened here is not lost.

Sources of the rules: OpenAI's guide "Structured model outputs" and its errors for functions (an object without
`oneOf`, `anyOf`, `allOf`, `enum` and `not` at the top, no empty `enum`, arrays with `items`); Anthropic's errors (the
same at the top, names of properties, JSON Schema 2020-12); Gemini's documentation of `parametersJsonSchema`.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

DEPTH = 12
"""How deep schemas may be within each other; what is deeper allows anything."""
NODES = 2000
"""The most schemas that one may become when its references are replaced by what they refer to."""
KEPT = 1000
_FITTED: dict[int, tuple[dict[str, Any], dict[str, Any]]] = {}  # by the identity of the schema, which is kept with it
_TYPES = frozenset(("object", "array", "string", "number", "integer", "boolean", "null"))
_NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_SINGLE = ("items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else")
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems")
_NUMBERS = (
    *("minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties"),
    "maxProperties",
)
_TEXTS = ("title", "description", "format", "pattern", "$schema", "$id", "$comment")
_TOP = ("anyOf", "oneOf", "allOf", "enum", "const", "not", "if", "then", "else", "dependentSchemas")
"""Keywords that the top of a schema of arguments must not have."""
_PROPERTY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""A name of a property that Anthropic takes."""


def fitted(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema of an object that allows what `schema` allows, and at times more. It is kept: the tools of a
    conversation are sent with every request."""
    known = _FITTED.get(id(schema))
    if known is None or known[0] is not schema:
        if len(_FITTED) >= KEPT:
            _FITTED.clear()
        known = _FITTED[id(schema)] = schema, _fit(schema)
    return known[1]


def _fit(schema: dict[str, Any]) -> dict[str, Any]:
    definitions = {
        f"#/{field}/{name}": each
        for field in ("$defs", "definitions")
        if isinstance(schema.get(field), dict)
        for name, each in schema[field].items()
    }
    fitting = _Fitting(definitions, inline=not _resolves(schema, definitions))
    top = fitting.top(schema)
    return schema if top == schema else top


def _resolves(schema: Any, definitions: Mapping[str, Any]) -> bool:
    """Whether each reference is to a definition, and none leads back to itself."""
    needs = {name: _references(each) for name, each in definitions.items()}
    if not _references(schema) <= needs.keys():
        return False
    known: set[str] = set()
    while ready := {name for name, each in needs.items() if name not in known and each <= known}:
        known |= ready
    return known == needs.keys()


def _references(schema: Any, depth: int = 0) -> set[str]:
    found: set[str] = set()
    if depth > 50:
        return {""}  # nothing refers to it
    for each in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        found |= _references(each, depth + 1)
    if isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
        found.add(schema["$ref"])
    return found


class _Fitting:
    """The work on one schema: its definitions, and whether they replace the references to them."""

    def __init__(self, definitions: Mapping[str, Any], *, inline: bool) -> None:
        self._definitions, self._inline, self._left = definitions, inline, NODES

    def top(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema of all arguments, in which the parts of `anyOf`, `oneOf` and `allOf` are one."""
        schema = self._target(schema) if "$ref" in schema else schema
        properties: dict[str, Any] = {}
        required: list[str] = []
        notes: list[str] = []
        for field in ("allOf", "anyOf", "oneOf"):
            parts = [self._target(each) for each in _list(schema.get(field)) if isinstance(each, dict)]
            for each in parts:
                properties |= _dict(each.get("properties"))
            wanted = [[name for name in _list(each.get("required")) if isinstance(name, str)] for each in parts]
            if field == "allOf":
                required += [name for names in wanted for name in names]
            elif parts:
                required += [name for name in wanted[0] if all(name in names for names in wanted)]
                if alternatives := [", ".join(names) for names in wanted if names]:
                    count = "exactly one" if field == "oneOf" else "one"
                    notes.append(f"Needs {count} of these sets of arguments: {'; '.join(alternatives)}.")
        kept = {name: each for name, each in schema.items() if name not in _TOP and name != "$ref"}
        kept["type"] = "object"
        kept["properties"] = properties | _dict(kept.get("properties"))
        if required:
            kept["required"] = [*dict.fromkeys([*_list(kept.get("required")), *required])]
        hidden = [name for name in _dict(kept.get("properties")) if not _PROPERTY.fullmatch(name)]
        for name in hidden:
            notes.append(f"Also takes {json.dumps(name, ensure_ascii=False)}.")
        if notes:
            kept["description"] = " ".join([*filter(None, [_text(kept.get("description"))]), *notes])
        return self._schema(kept, 0, ())

    def _target(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return what a schema refers to, with its own fields; itself if it refers to nothing that is known."""
        seen: set[str] = set()
        while isinstance(name := schema.get("$ref"), str) and name not in seen:
            seen.add(name)
            schema = _dict(self._definitions.get(name)) | {key: each for key, each in schema.items() if key != "$ref"}
        return schema

    def _schema(self, schema: Any, depth: int, within: tuple[str, ...]) -> dict[str, Any]:
        """Return one schema. `within` are the references that led to it."""
        self._left -= 1
        if not isinstance(schema, dict) or depth > DEPTH or self._left < 0:
            return {}
        name = schema.get("$ref")
        if "$ref" in schema and (self._inline or not isinstance(name, str)):
            if not isinstance(name, str) or name in within or name not in self._definitions:
                description = _text(schema.get("description"))
                return {"description": description} if description else {}
            schema = _dict(self._definitions[name]) | {key: each for key, each in schema.items() if key != "$ref"}
            return self._schema(schema, depth, (*within, name))
        found: dict[str, Any] = {}
        for field, value in schema.items():
            if (kept := self._field(field, value, depth, within)) is not None:
                found[field] = kept
        return _consistent(found)

    def _field(self, field: str, value: Any, depth: int, within: tuple[str, ...]) -> Any:
        """Return the value of a field; None to leave it out."""
        if field in ("$defs", "definitions") and self._inline:
            return None
        if field in _NAMED:
            given = _dict(value).items()
            names = {name: each for name, each in given if field != "properties" or _PROPERTY.fullmatch(name)}
            return {name: self._schema(each, depth + 1, within) for name, each in names.items()}
        if field in _LISTED:
            return [self._schema(each, depth + 1, within) for each in _list(value)] or None
        if field in _SINGLE:
            if isinstance(value, bool) and field != "items":
                return value
            return self._schema(value, depth + 1, within) if isinstance(value, dict | bool) else None
        if field == "type":
            return _type(value)
        if field in ("enum", "required"):
            return value if isinstance(value, list) and (value or field == "required") else None
        if field in _NUMBERS or field in ("exclusiveMinimum", "exclusiveMaximum"):
            return value if isinstance(value, int | float) and not isinstance(value, bool) else None
        if field in _TEXTS:
            return value if isinstance(value, str) else None
        return value


def _consistent(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that requires only what it has, and whose lists say of what they are."""
    properties = schema.get("properties")
    if "required" in schema:
        schema["required"] = [
            each for each in schema["required"] if isinstance(each, str) and (properties is None or each in properties)
        ]
    if schema.get("type") == "array" and "items" not in schema:
        schema["items"] = {}
    return schema


def _type(value: Any) -> Any:
    """Return a type, or a list of types; None for a word that JSON Schema does not have, such as `any`."""
    if isinstance(value, list):
        known = [each for each in value if isinstance(each, str) and each in _TYPES]
        return known if len(known) == len(value) else None
    return value if isinstance(value, str) and value in _TYPES else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
