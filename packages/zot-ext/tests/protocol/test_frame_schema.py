"""`frames.schema.json`: it is what the generator makes of the frame classes, and what is written keeps to it."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import zot_ext
from zot_ext import ImageBlock, PanelSpec, TextBlock, UnknownBlock
from zot_ext.protocol import FROM_EXTENSION, FROM_HOST, FromExtension, FromHost
from zot_ext.protocol.codec import encode
from zot_ext.protocol.frame import Frame
from zot_ext.protocol.kinds import KINDS, REST
from zot_ext.protocol.raw import RawList, RawObject

GENERATOR = Path(__file__).parents[4] / "scripts" / "generate_frames.py"
SCHEMA: dict[str, Any] = json.loads((Path(zot_ext.__file__).parent / "frames.schema.json").read_text("utf-8"))
MANIFEST: dict[str, Any] = json.loads((Path(zot_ext.__file__).parent / "manifest.schema.json").read_text("utf-8"))
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
}


def faults(schema: dict[str, Any], value: object, path: str = "$") -> list[str]:
    """What keeps `value` from fitting `schema`: the keywords that `frames.schema.json` uses, and no others."""
    known = {
        "$schema", "$id", "$defs", "$ref", "title", "description", "examples", "default", "anyOf", "oneOf", "not",
        "type", "const", "enum", "properties", "required", "items",
    }  # fmt: skip
    assert schema.keys() <= known, schema.keys() - known
    found = []
    if "$ref" in schema:
        found += faults(SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")], value, path)
    fitting = [not faults(each, value, path) for each in schema.get("anyOf", schema.get("oneOf", ()))]
    if fitting and not (any(fitting) if "anyOf" in schema else sum(fitting) == 1):
        found.append(f"{path}: {sum(fitting)} alternatives fit")
    if "not" in schema and not faults(schema["not"], value, path):
        found.append(f"{path}: fits what it must not fit")
    if "const" in schema and value != schema["const"]:
        found.append(f"{path}: not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{path}: none of {schema['enum']!r}")
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (kind == "integer" and isinstance(value, bool))):
        return [*found, f"{path}: no {kind}"]
    if isinstance(value, dict):
        found += [f"{path}.{name}: missing" for name in schema.get("required", ()) if name not in value]
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                found += faults(inner, value[name], f"{path}.{name}")
    if isinstance(value, list) and "items" in schema:
        found += [fault for at, item in enumerate(value) for fault in faults(schema["items"], item, f"{path}[{at}]")]
    return found


TEXTS = st.text(max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
RAW = st.dictionaries(TEXTS, JSON, max_size=3).map(RawObject.from_value)
BLOCKS = st.one_of(
    st.builds(TextBlock, TEXTS),
    st.builds(ImageBlock, TEXTS, TEXTS),
    st.dictionaries(TEXTS, JSON, max_size=2).map(lambda fields: UnknownBlock("video", {**fields, "type": "video"})),
)
PANELS = st.builds(PanelSpec, TEXTS, TEXTS, st.lists(TEXTS, max_size=3).map(tuple), TEXTS)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "str": TEXTS,
    "str | None": st.none() | TEXTS,
    "int": st.integers(),
    "bool": st.booleans(),
    "tuple[Line, ...]": st.lists(TEXTS | st.just([{"text": "a", "style": "error"}]), max_size=3).map(tuple),
    "tuple[str, ...]": st.lists(TEXTS, max_size=3).map(tuple),
    "tuple[Block, ...]": st.lists(BLOCKS, max_size=3).map(tuple),
    "RawObject": RAW,
    "RawObject | None": st.none() | RAW,
    "RawList | None": st.none() | st.lists(JSON, max_size=3).map(RawList.from_values),
    "PanelSpec": PANELS,
    "PanelSpec | None": st.none() | PANELS,
    "bool | int | str | None": st.none() | st.booleans() | st.integers() | st.text(),
    REST: st.dictionaries(TEXTS.map(lambda name: f"x_{name}"), JSON, max_size=3),
}


def frames(classes: tuple[type[Any], ...]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(cls, **{name: VALUES[annotation] for name, annotation in cls.__fields__.items()}) for cls in classes
    )


def generator() -> Any:
    sys.path.insert(0, str(GENERATOR.parent))
    try:
        return import_module(GENERATOR.stem)
    finally:
        sys.path.remove(str(GENERATOR.parent))


def test_the_files_are_what_the_generator_gives_now() -> None:
    assert generator().schema() == SCHEMA
    assert generator().manifest_schema() == MANIFEST


def test_the_generator_knows_every_kind_of_field() -> None:
    assert set(generator().TYPES) == set(KINDS)


@given(frames(FROM_EXTENSION))
def test_whatever_an_extension_writes_fits_the_schema(frame: FromExtension) -> None:
    written = json.loads(encode(frame))
    assert faults(SCHEMA["$defs"]["FromExtension"], written) == []
    assert faults(SCHEMA["$defs"][f"from_extension.{frame.type}"], written) == []


@given(frames(FROM_HOST))
def test_whatever_a_host_writes_fits_the_schema(frame: FromHost) -> None:
    written = json.loads(encode(frame))
    assert faults(SCHEMA["$defs"]["FromHost"], written) == []
    assert faults(SCHEMA, written) == []


@pytest.mark.parametrize("cls", [*FROM_EXTENSION, *FROM_HOST])
def test_every_frame_and_field_is_described(cls: type[Frame]) -> None:
    direction = "from_extension" if cls in FROM_EXTENSION else "from_host"
    definition = SCHEMA["$defs"][f"{direction}.{cls.type}"]
    assert definition["description"]
    assert list(definition["properties"]) == [
        "type",
        *(name for name in cls.__fields__ if cls.__fields__[name] != REST),
    ]


@pytest.mark.parametrize(
    ("frame", "fault"),
    [
        ({"type": "hello"}, "$.name: missing"),
        ({"type": "register_tool", "name": "t", "description": "", "schema": "{}"}, "$.schema: no object"),
        ({"type": "tool_result", "id": "1", "content": [{"type": "text"}]}, "$.content[0]: 0 alternatives fit"),
        ({"type": "command_response", "id": 1}, "$.id: no string"),
        ({"type": "event_intercept_response", "id": "1", "block": 1}, "$.block: no boolean"),
    ],
)
def test_a_wrong_frame_does_not_fit(frame: dict[str, Any], fault: str) -> None:
    assert faults(SCHEMA["$defs"][f"from_extension.{frame['type']}"], frame) == [fault]
    assert faults(SCHEMA, frame) != []


def test_known_values_are_given_as_examples() -> None:
    properties = SCHEMA["$defs"]["from_extension.notify"]["properties"]
    assert properties["level"]["examples"] == ["info", "success", "warn", "error"]
    assert "30 s" in SCHEMA["$defs"]["from_extension.command_response"]["description"]
