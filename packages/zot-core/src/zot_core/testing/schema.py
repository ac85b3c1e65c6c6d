"""`Schema`: checks the JSON output of a program against its JSON Schema."""

import json
import os
from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}


KEYWORDS = {
    "$schema", "$id", "$defs", "$ref", "title", "description", "examples", "anyOf", "oneOf", "type", "const", "enum",
    "properties", "required", "items", "minimum", "maximum", "contentEncoding",
}  # fmt: skip


class Schema:
    """A JSON Schema (2020-12) from a file. Supports the keywords in `KEYWORDS`; others raise ValueError."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        with open(path, encoding="utf-8") as file:
            self.root: dict[str, Any] = json.load(file)

    def faults(self, value: object, name: str = "") -> list[str]:
        """Return the violations of the schema, or of the definition `name` in it, by a value."""
        return self._faults(self.root["$defs"][name] if name else self.root, value, "$")

    def _faults(self, schema: dict[str, Any], value: object, path: str) -> list[str]:
        if not schema.keys() <= KEYWORDS:
            raise ValueError(f"{path}: keywords {sorted(schema.keys() - KEYWORDS)} are not known here")
        found: list[str] = []
        if "$ref" in schema:
            found += self._faults(self.root["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, path)
        matching = [not self._faults(each, value, path) for each in schema.get("anyOf", schema.get("oneOf", ()))]
        if matching and not (any(matching) if "anyOf" in schema else sum(matching) == 1):
            found.append(f"{path}: {sum(matching)} alternatives fit")
        if "const" in schema and value != schema["const"]:
            found.append(f"{path}: not {schema['const']!r}")
        if "enum" in schema and value not in schema["enum"]:
            found.append(f"{path}: none of {schema['enum']!r}")
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        fits = [isinstance(value, TYPES[kind]) and (kind == "boolean") >= isinstance(value, bool) for kind in kinds]
        if kinds and not any(fits):
            return [*found, f"{path}: no {kinds}"]
        if isinstance(value, int) and value < schema.get("minimum", value):
            found.append(f"{path}: too small")
        if isinstance(value, int) and value > schema.get("maximum", value):
            found.append(f"{path}: too large")
        if isinstance(value, dict):
            found += [f"{path}.{name}: missing" for name in schema.get("required", ()) if name not in value]
            for name, inner in schema.get("properties", {}).items():
                if name in value:
                    found += self._faults(inner, value[name], f"{path}.{name}")
        if isinstance(value, list) and "items" in schema:
            found += [each for item in value for each in self._faults(schema["items"], item, f"{path}[]")]
        return found
