"""`HostMethod`: a method as data."""

from __future__ import annotations

import json
import os

from zot_ext.protocol.fields import CallField, OnlyIf, param
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

IMAGES = param("images", "objects", "Objects: `data`, a PNG, JPEG, GIF or WebP in base64.")


class HostMethod(Record):
    """A method: its group and its parameters; its result is a class of `zot_ext.protocol.answers`. `in_command`: it can
    only be called by the handler of a slash command or a shortcut, with that request as `parent_id`. `needs` are the
    permissions that it needs besides `calls`. `alias` is a name that only clients of `zot rpc` may use for it.
    `signature` are the names of the parameters of an operation, with a star before those given by name alone."""

    name: str
    group: str
    doc: str
    params: tuple[CallField, ...] = ()
    in_command: bool = False
    needs: tuple[str, ...] = ()
    alias: str = ""
    signature: tuple[str, ...] = ()


def read_methods(name: str) -> Iterator[HostMethod]:
    """Yield the methods in a generated file beside this one, which has the fields of each and of its parameters."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        for method, group, doc, params, in_command, needs, alias, names in json.load(file):
            fields = tuple(_field(*each) for each in params)
            yield HostMethod(method, group, doc, fields, in_command, tuple(needs), alias, tuple(names))


def _field(
    name: str,
    schema: dict[str, Any],
    doc: str,
    required: bool,  # noqa: FBT001 - a column of the file
    default: object = None,
    other: str = "",
    *values: str | bool,
) -> CallField:
    return CallField(name, schema, doc, required, default, OnlyIf(other, values) if other else None)
