"""`HostMethod`: a method as data, and the check of its parameters."""

from __future__ import annotations

import json
import os

from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class CallParam(Record):
    """A parameter; `kind` is a key of `KINDS`."""

    name: str
    kind: str
    doc: str
    required: bool = False


IMAGES = CallParam("images", "list", "Objects: `data`, a PNG, JPEG, GIF or WebP in base64.")


class HostMethod(Record):
    """A method: its group and its parameters; its result is a class of `zot_ext.protocol.answers`. `in_command`: it can
    only be called by the handler of a slash command or a shortcut, with that request as `parent_id`. `needs` are the
    permissions that it needs besides `calls`. `alias` is a name that only clients of `zot rpc` may use for it."""

    name: str
    group: str
    doc: str
    params: tuple[CallParam, ...] = ()
    in_command: bool = False
    needs: tuple[str, ...] = ()
    alias: str = ""


def read_methods(name: str) -> Iterator[HostMethod]:
    """Yield the methods in a generated file beside this one, which has the fields of each and of its parameters."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        for method, group, doc, params, in_command, needs, alias in json.load(file):
            parsed = tuple(CallParam(*each) for each in params)
            yield HostMethod(method, group, doc, parsed, in_command, tuple(needs), alias)


KINDS: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "text": ("a string", str),
    "message": ("a string", str),
    "whole": ("a whole number", int),
    "flag": ("true or false", bool),
    "list": ("an array", list),
    "object": ("an object", dict),
    "any": ("any JSON value", object),
}
"""The kinds of parameters, with their name in errors. A `message` may be longer than another text."""


def params_problem(method: HostMethod, params: Mapping[str, object]) -> str:
    """Return what is wrong with the parameters of a call, one line; empty if nothing is. Unknown ones are ignored."""
    for param in method.params:
        value = params.get(param.name)
        words, types = KINDS[param.kind]
        if value is None:
            if param.required:
                return f"{param.name} is missing: it must be {words}"
        elif not isinstance(value, types) or (param.kind == "whole" and isinstance(value, bool)):
            return f"{param.name} must be {words}"
    return ""
