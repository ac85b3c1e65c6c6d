"""Write `zot_ext/frames.schema.json`: the extension protocol as JSON Schema, for languages other than Python; and
`zot_ext/manifest.schema.json`, the same for `extension.json`.

Types come from the annotations of the frame classes, descriptions from their docstrings. Run `make generate`
after changing either.
"""

import ast
import inspect
import re
from pathlib import Path
from typing import Any

from json_lines import in_lines

import zot_ext
from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.manifest import Manifest
from zot_ext.protocol import (
    FROM_EXTENSION,
    FROM_HOST,
    PROTOCOL_VERSION,
    flags,
    from_extension,
    from_host,
)
from zot_ext.protocol.flags import DESCRIPTION_LENGTH, FLAG_TYPES, FLAGS, NAME_LENGTH, ExtensionFlag
from zot_ext.protocol.groups import providers, tool_ops
from zot_ext.protocol.kinds import REST
from zot_ext.protocol.permissions import ENTRIES, LENGTH, ExtensionPermissions
from zot_ext.protocol.values import ImageBlock, PanelSpec, TextBlock
from zot_ext.record import Record

FILE = Path(zot_ext.__file__).parent / "frames.schema.json"
MANIFEST_FILE = FILE.with_name("manifest.schema.json")

TEXT = {"type": "string"}
TYPES: dict[str, dict[str, Any]] = {
    "str": TEXT,
    "str | None": TEXT,
    "int": {"type": "integer"},
    "bool": {"type": "boolean"},
    "tuple[str, ...]": {"type": "array", "items": TEXT},
    "tuple[Line, ...]": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
    "tuple[Block, ...]": {"type": "array", "items": {"$ref": "#/$defs/Block"}},
    "bool | tuple[str, ...]": {
        "anyOf": [
            {"type": "boolean"},
            {"type": "array", "items": {**TEXT, "minLength": 1, "maxLength": LENGTH}, "maxItems": ENTRIES},
        ]
    },
    "bool | int | str | None": {"anyOf": [{"type": name} for name in FLAG_TYPES]},
    "tuple[ExtensionFlag, ...]": {"type": "array", "items": {"$ref": "#/$defs/ExtensionFlag"}, "maxItems": FLAGS},
    "ExtensionPermissions | None": {"$ref": "#/$defs/ExtensionPermissions"},
    "RawObject": {"type": "object"},
    "RawObject | None": {"type": "object"},
    "RawList | None": {"type": "array"},
    "PanelSpec": {"$ref": "#/$defs/PanelSpec"},
    "PanelSpec | None": {"$ref": "#/$defs/PanelSpec"},
}
"""The annotation of a field to the schema of what is written for it."""

CONSTANTS = {
    name: value
    for module in (from_extension, from_host, flags, providers, tool_ops)
    for name, value in vars(module).items()
    if name.isupper()
}


def field_docs(cls: type[Record]) -> dict[str, str]:
    """The docstring below each field of a record."""
    (definition,) = ast.parse(inspect.getsource(cls)).body
    assert isinstance(definition, ast.ClassDef)
    found = {}
    for field, doc in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant):
            assert isinstance(field.target, ast.Name)
            found[field.target.id] = plain(str(doc.value.value))
    return found


def described(text: str) -> dict[str, Any]:
    """A description; where it points to a constant of known values, these in its place and as examples."""
    pointer = re.search(r"[Ss]ee `(?:[\w.]+\.)?([A-Z_]+)`\.?", text)
    if pointer is None:
        return {"description": text} if text else {}
    values = CONSTANTS[pointer[1]]
    known = f"{', '.join(f'`{value}`' for value in values)}."
    return {"description": text.replace(pointer[0], known), "examples": list(values)}


def plain(doc: str | None) -> str:
    """A docstring on one line, with the default of each limit in the place of its name."""

    def said(name: re.Match[str]) -> str:
        unit = name[1].rpartition("_")[2]
        return f"{getattr(DEFAULT_LIMITS, name[1]):,}".removesuffix(".0") + f" {'s' if unit == 'seconds' else unit}"

    return re.sub(r"`ExtensionLimits\.(\w+)`", said, " ".join((doc or "").split()))


def record_schema(cls: type[Record], discriminator: str = "") -> dict[str, Any]:
    """The schema of a record as it is written. Fields that are not named are allowed, and ignored by readers."""
    docs = field_docs(cls)
    properties: dict[str, Any] = {"type": {"const": discriminator}} if discriminator else {}
    for field, annotation in cls.__fields__.items():
        if annotation == REST:
            continue  # the members that have no name here
        schema = {**TYPES[annotation], **described(docs.get(field, ""))}
        if "array" in TYPES[annotation].values() and "examples" in schema:
            schema["examples"] = [[value] for value in schema["examples"]]
        default = cls.__defaults__.get(field)
        if default is not None:
            schema["default"] = list(default) if isinstance(default, tuple) else default
        properties[field] = schema
    required = [name for name in properties if name == "type" or name not in cls.__defaults__]
    return {"description": plain(cls.__doc__), "type": "object", "properties": properties, "required": required}


def schema() -> dict[str, Any]:
    """The whole schema. Each frame is `#/$defs/<direction>.<type>`."""
    frames: dict[str, Any] = {}
    unions: dict[str, Any] = {}
    for name, direction, classes, words in (
        ("FromExtension", "from_extension", FROM_EXTENSION, "What an extension writes to its standard output."),
        ("FromHost", "from_host", FROM_HOST, "What an extension reads from its standard input."),
    ):
        frames |= {f"{direction}.{each.type}": record_schema(each, each.type) for each in classes}
        unions[name] = {
            "description": words,
            "oneOf": [{"$ref": f"#/$defs/{direction}.{each.type}"} for each in classes],
        }
    other = {"type": "object", "properties": {"type": {"not": {"enum": [TextBlock.type, ImageBlock.type]}}}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:zot:extension-frames:{PROTOCOL_VERSION}",
        "title": f"Frames of the zot extension protocol, version {PROTOCOL_VERSION}",
        "description": "One JSON object per line of UTF-8, in both directions. This is what to write; a reader also "
        "takes a missing or null field for its default, and ignores unknown fields and frames of unknown types.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in unions],
        "$defs": {
            **unions,
            **frames,
            "Block": {
                "description": "A content block of a tool result. Hosts show blocks of other types as text.",
                "oneOf": [{"$ref": "#/$defs/TextBlock"}, {"$ref": "#/$defs/ImageBlock"}, other],
            },
            "TextBlock": record_schema(TextBlock, TextBlock.type),
            "ImageBlock": record_schema(ImageBlock, ImageBlock.type),
            "PanelSpec": record_schema(PanelSpec),
            "Line": {
                "description": "Text, which may have colours (SGR), or spans: see `widgets.set`.",
                "anyOf": [TEXT, {"type": "array", "items": {"type": "object", "required": ["text"]}}],
            },
        },
    }


def manifest_schema() -> dict[str, Any]:
    """The schema of `extension.json`; the host also checks what the texts mean."""
    permissions, flag = record_schema(ExtensionPermissions), record_schema(ExtensionFlag)
    limits = {
        "name": {"pattern": "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", "maxLength": NAME_LENGTH},
        "type": {"enum": list(FLAG_TYPES)},
        "description": {"maxLength": DESCRIPTION_LENGTH},
    }
    limited = {name: {**flag["properties"][name], **more} for name, more in limits.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:zot:extension-manifest:1",
        "title": "extension.json of a zot extension",
        **record_schema(Manifest),
        "$defs": {
            "ExtensionPermissions": {**permissions, "additionalProperties": False},
            "ExtensionFlag": {**flag, "properties": {**flag["properties"], **limited}},
        },
    }


if __name__ == "__main__":
    FILE.write_text(in_lines(schema(), 2), "utf-8")
    MANIFEST_FILE.write_text(in_lines(manifest_schema(), 2), "utf-8")
