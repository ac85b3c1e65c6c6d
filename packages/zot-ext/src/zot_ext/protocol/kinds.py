"""Reading and writing of fields, chosen by the text of the annotation: one `Kind` per annotation.

The codec knows no other types. A new frame needs a change here only for a new annotation.
"""

from __future__ import annotations

from json.encoder import encode_basestring as _dump_text  # what `dump` does for a string

from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.raw import RawList, RawObject, dump
from zot_ext.protocol.values import ImageBlock, PanelSpec, TextBlock, UnknownBlock
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from zot_ext.protocol.values import Block

    R = TypeVar("R", bound=Record)

REST = "Mapping[str, object]"
"""The annotation of a field that collects all members of the object without their own field."""


class Kind(Record):
    """Reading (`read(parsed, text, path)`), writing (`write(value, path)`) and the zero value of a field."""

    read: Callable[[object, str, str], object]
    """Converts a parsed JSON value, with its source text, into the value of the field."""
    write: Callable[[object, str], str]
    """Converts the value of the field into JSON text."""
    zero: object


def _wrong(value: object, expected: str, path: str) -> FrameError:
    return FrameError(f"must be {expected}, not {_json_name(value)}", field=path)


def _json_name(value: object) -> str:
    """Name the type of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, (list, tuple)):
        return "a list"
    return "an object" if isinstance(value, dict) else f"a Python {type(value).__name__}"


def _text(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise _wrong(value, "a string", path)
    return value


def _whole(value: object, path: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(value, "a whole number", path)
    return value


def _truth(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(value, "a boolean", path)
    return value


def _texts(value: object, path: str) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise _wrong(value, "a list of strings", path)
    return tuple(_text(item, f"{path}[{index}]") for index, item in enumerate(value))


def _lines(value: object, path: str) -> tuple[object, ...]:
    if not isinstance(value, (list, tuple)):
        raise _wrong(value, "a list of lines", path)
    for index, item in enumerate(value):
        if not isinstance(item, (str, list, tuple)):
            raise _wrong(item, "a string or a list of spans", f"{path}[{index}]")
    return tuple(value)


def _choice(value: object, path: str) -> bool | tuple[str, ...]:
    return _truth(value, path) if isinstance(value, bool) else _texts(value, path)


def _read_permissions(value: object, text: str, path: str) -> object:
    from zot_ext.protocol.permissions import ExtensionPermissions  # noqa: PLC0415  extensions do not read manifests

    if not isinstance(value, dict):
        raise _wrong(value, "an object", path)
    known = ExtensionPermissions.__fields__
    if unknown := [name for name in value if name not in known]:
        raise FrameError(f"is not a permission; there are {', '.join(known)}", field=f"{path}.{unknown[0][:80]}")
    return read_record(ExtensionPermissions, value, {}, f"{path}.")


def _write_permissions(value: object, path: str) -> str:
    if not isinstance(value, Record):
        raise _wrong(value, "permissions", path)
    return "{" + ",".join(write_members(value, f"{path}.")) + "}"


def _flag_value(value: object, path: str) -> object:
    if not isinstance(value, (bool, int, str)):
        raise _wrong(value, "true or false, a whole number or a string", path)
    return value


def _read_flags(value: object, text: str, path: str) -> object:
    from zot_ext.protocol.flags import ExtensionFlag  # noqa: PLC0415  as above

    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise _wrong(value, "a list of objects", path)
    return tuple(read_record(ExtensionFlag, each, {}, f"{path}[{index}].") for index, each in enumerate(value))


def _write_flags(value: object, path: str) -> str:
    if not isinstance(value, (list, tuple)):
        raise _wrong(value, "a list of flags", path)
    return "[" + ",".join("{" + ",".join(write_members(each, f"{path}.")) + "}" for each in value) + "]"


def _read_raw(value: object, text: str, path: str) -> RawObject:
    if not isinstance(value, dict):
        raise _wrong(value, "an object", path)
    return RawObject.from_parsed(text, value)


def _write_raw(value: object, path: str) -> str:
    if not isinstance(value, RawObject):
        raise _wrong(value, "a RawObject", path)
    return value.text


def _read_list(value: object, text: str, path: str) -> RawList:
    if not isinstance(value, list):
        raise _wrong(value, "a list", path)
    return RawList.from_parsed(text, value)


def _write_list(value: object, path: str) -> str:
    if not isinstance(value, RawList):
        raise _wrong(value, "a RawList", path)
    return value.text


def _read_blocks(value: object, text: str, path: str) -> tuple[Block, ...]:
    if not isinstance(value, list):
        raise _wrong(value, "a list of content blocks", path)
    return tuple(_read_block(item, f"{path}[{index}]") for index, item in enumerate(value))


def _read_block(value: object, path: str) -> Block:
    if not isinstance(value, dict):
        raise _wrong(value, "an object", path)
    kind = value.get("type")
    if kind == "text":
        return read_record(TextBlock, value, {}, f"{path}.")
    if kind == "image":
        return read_record(ImageBlock, value, {}, f"{path}.")
    return UnknownBlock(_text("" if kind is None else kind, f"{path}.type"), value)


def _write_blocks(value: object, path: str) -> str:
    if not isinstance(value, (list, tuple)):
        raise _wrong(value, "a list of content blocks", path)
    return "[" + ",".join(_write_block(item, f"{path}[{index}]") for index, item in enumerate(value)) + "]"


def _write_block(block: object, path: str) -> str:
    if isinstance(block, UnknownBlock):
        return dump(dict(block.raw))
    if not isinstance(block, (TextBlock, ImageBlock)):
        raise _wrong(block, "a content block", path)
    members = [f'"type":{dump(block.type)}', *write_members(block, f"{path}.")]
    return "{" + ",".join(members) + "}"


def _read_panel(value: object, text: str, path: str) -> PanelSpec:
    if not isinstance(value, dict):
        raise _wrong(value, "an object", path)
    return read_record(PanelSpec, value, {}, f"{path}.")


def _write_panel(value: object, path: str) -> str:
    if not isinstance(value, PanelSpec):
        raise _wrong(value, "a PanelSpec", path)
    return "{" + ",".join(write_members(value, f"{path}.")) + "}"


def _plain(check: Callable[[object, str], object], zero: object) -> Kind:
    return Kind(
        read=lambda value, text, path: check(value, path), write=lambda value, path: dump(check(value, path)), zero=zero
    )


_RAW = Kind(_read_raw, _write_raw, zero=RawObject("{}"))
_PANEL = Kind(_read_panel, _write_panel, zero=PanelSpec(""))
_STRING = Kind(
    lambda value, text, path: _text(value, path), lambda value, path: _dump_text(_text(value, path)), zero=""
)

KINDS: dict[str, Kind] = {
    "str": _STRING,
    "str | None": _STRING,
    "int": _plain(_whole, zero=0),
    "bool": _plain(_truth, zero=False),
    "tuple[str, ...]": _plain(_texts, zero=()),
    "tuple[Line, ...]": _plain(_lines, zero=()),
    "bool | tuple[str, ...]": _plain(_choice, zero=()),
    "ExtensionPermissions | None": Kind(_read_permissions, _write_permissions, zero=None),
    "tuple[ExtensionFlag, ...]": Kind(_read_flags, _write_flags, zero=()),
    "bool | int | str | None": _plain(_flag_value, zero=None),
    "tuple[Block, ...]": Kind(_read_blocks, _write_blocks, zero=()),
    "RawObject": _RAW,
    "RawObject | None": _RAW,
    "RawList | None": Kind(_read_list, _write_list, zero=None),
    "PanelSpec": _PANEL,
    "PanelSpec | None": _PANEL,
}


def read_record(cls: type[R], values: Mapping[str, object], texts: Mapping[str, str], path: str) -> R:
    """Build a record from parsed members (`values`) and their source texts, where kinds need them.

    A missing or `null` member takes the default of its field, or the zero value of its kind; a member
    without a field is ignored unless a `REST` field collects it. `path` is a prefix for the names in errors.
    Raises `FrameError` for a value of the wrong type.
    """
    made, defaults = cls.__new__(cls), cls.__defaults__
    for field, annotation in cls.__fields__.items():
        value = values.get(field)
        if annotation == REST:
            value = {name: value for name, value in values.items() if name not in cls.__fields__ and name != "type"}
        elif value is not None:
            value = KINDS[annotation].read(value, texts.get(field, ""), path + field)
        elif field in defaults:
            value = defaults[field]
        else:
            value = KINDS[annotation].zero
        setattr(made, field, value)
    return made


def write_members(record: Record, path: str = "", lists: list[str] | None = None) -> list[str]:
    """Write the fields of a record as `"name":value` texts, without the fields that have their default. With `lists`
    a `RawList`, which may be large, is added there in pieces, with a comma before it.

    Raises `FrameError` for a value of the wrong type, for a value without a JSON form, and for a `REST` field
    that repeats the name of a field.
    """
    members: list[str] = []
    for field, annotation, default in _plan(type(record)):
        value = getattr(record, field)
        if value is default or (default is not None and value == default):
            continue
        try:
            if annotation == REST:
                members += _write_rest(record, value, path + field)
            elif lists is not None and isinstance(value, RawList):
                lists += (f',"{field}":[', *value.pieces(), "]")
            else:
                members.append(f'"{field}":{KINDS[annotation].write(value, path + field)}')
        except FrameError as error:
            raise FrameError(error.reason, field=error.field or path + field) from None
    return members


_PLANS: dict[type[Record], list[tuple[str, str, object]]] = {}


def _plan(cls: type[Record]) -> list[tuple[str, str, object]]:
    """Return the fields of a class, each with its annotation and its default, or what no value is equal to."""
    found = _PLANS.get(cls)
    if found is None:
        nothing = object()
        found = [
            (field, annotation, cls.__defaults__.get(field, nothing)) for field, annotation in cls.__fields__.items()
        ]
        _PLANS[cls] = found
    return found


def _write_rest(record: Record, value: Mapping[str, object], path: str) -> list[str]:
    members: list[str] = []
    for name, member in value.items():
        if not isinstance(name, str):
            raise FrameError("must have strings as names", field=path)
        if name in record.__fields__ or name == "type":
            raise FrameError(f"must not repeat the field {name!r}", field=path)
        members.append(f"{dump(name)}:{dump(member)}")
    return members
