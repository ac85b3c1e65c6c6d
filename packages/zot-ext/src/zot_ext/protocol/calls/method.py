"""`HostMethod`: a method as data, and the check of its parameters by a host."""

from __future__ import annotations

import json
import os

from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Literal, TypeAlias

    ParamFault: TypeAlias = tuple[Literal["invalid", "too_large"], str]
    """A code and one line."""

LARGEST, LONGEST = 1 << 20, 16 << 20
"""The most characters of a text and of a message, as `zot_agent.operations.fields` has them."""
LATEST = (1 << 31) - 1
"""The longest time in milliseconds, as timers of JavaScript have it."""


class ParamKind(Record):
    """A kind of parameters: its name in errors, its type, the most characters or members, 0 without a limit, and the
    kind of its members."""

    words: str
    type: type
    most: int = 0
    each: str = ""
    one_line: bool = False

    def fits(self, value: object) -> bool:
        """Whether a value has its type."""
        if self.one_line and isinstance(value, str) and value.splitlines() not in ([], [value]):
            return False
        return isinstance(value, self.type) and not (self.type is int and isinstance(value, bool))


KINDS: dict[str, ParamKind] = {
    "text": ParamKind("a string", str, LARGEST),
    "message": ParamKind("a string", str, LONGEST),
    "line": ParamKind("one line of text", str, 200, one_line=True),
    "whole": ParamKind("a whole number", int),
    "flag": ParamKind("true or false", bool),
    "list": ParamKind("an array", list, LARGEST),
    "texts": ParamKind("an array of strings", list, LARGEST, "text"),
    "objects": ParamKind("an array of objects", list, LARGEST, "object"),
    "object": ParamKind("an object", dict),
    "any": ParamKind("any JSON value", object),
}


class CallParam(Record):
    """A parameter; `kind` is a key of `KINDS`. A number is from `least` to `most`. A text or an array has at least
    `least` and at most `most` characters or members; 0 is the limit of its kind. `choices` are the only texts."""

    name: str
    kind: str
    doc: str
    required: bool = False
    least: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Its possible values, in errors."""
        if self.choices:
            return ("an array of " if KINDS[self.kind].each else "one of ") + ", ".join(self.choices)
        bounds = f" from {self.least} to {self.most}" if self.kind == "whole" and self.most else ""
        return KINDS[self.kind].words + bounds

    def fault(self, value: object) -> ParamFault | None:
        """Return what is wrong with a value; None if nothing is. Null counts as missing."""
        kind = KINDS[self.kind]
        if value is None:
            words = f"{self.words} but null" if self.kind == "any" else self.words
            return ("invalid", f"{self.name} is missing: it must be {words}") if self.required else None
        if not kind.fits(value) or not (kind.each or self._allows(value)):
            return "invalid", f"{self.name} must be {self.words}, not {_describe(value)}"
        if (most := self.most or kind.most) and isinstance(value, str | list):
            what = "characters" if isinstance(value, str) else "members"
            if len(value) > most:
                return "too_large", f"{self.name} has {len(value)} {what}; at most {most}"
            if len(value) < self.least:
                return "invalid", f"{self.name} is empty"
        return self._member_fault(kind.each, value) if kind.each and isinstance(value, list) else None

    def _allows(self, value: object) -> bool:
        """Whether a number is within the bounds, and a text is one of the choices."""
        if isinstance(value, int) and self.kind == "whole":
            return not self.most or self.least <= value <= self.most
        return not self.choices or value in self.choices

    def _member_fault(self, kind: str, members: list[object]) -> ParamFault | None:
        for at, member in enumerate(members):
            if not KINDS[kind].fits(member) or not self._allows(member):
                words = "one of " + ", ".join(self.choices) if self.choices else KINDS[kind].words
                return "invalid", f"{self.name}[{at}] must be {words}, not {_describe(member)}"
            if isinstance(member, str) and len(member) > LARGEST:
                return "too_large", f"{self.name}[{at}] has {len(member)} characters; at most {LARGEST}"
        return None


def _describe(value: object) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    return json.dumps(value)[:40]


IMAGES = CallParam("images", "objects", "Objects: `data`, a PNG, JPEG, GIF or WebP in base64.")


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


def _param(
    name: str,
    kind: str,
    doc: str,
    required: bool,  # noqa: FBT001 - a column of the file
    least: int = 0,
    most: int = 0,
    choices: Iterable[str] = (),
) -> CallParam:
    return CallParam(name, kind, doc, required, least, most, tuple(choices))


def read_methods(name: str) -> Iterator[HostMethod]:
    """Yield the methods in a generated file beside this one, which has the fields of each and of its parameters."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        for method, group, doc, params, in_command, needs, alias in json.load(file):
            parsed = tuple(_param(*each) for each in params)
            yield HostMethod(method, group, doc, parsed, in_command, tuple(needs), alias)


def params_fault(params: Iterable[CallParam], given: Mapping[str, object]) -> ParamFault | None:
    """Return what is wrong with the parameters of a call, None if nothing is. Unknown ones are ignored."""
    return next((fault for each in params if (fault := each.fault(given.get(each.name))) is not None), None)


def params_problem(params: Iterable[CallParam], given: Mapping[str, object]) -> str:
    """Return that in words, one line; empty if nothing is wrong."""
    fault = params_fault(params, given)
    return "" if fault is None else fault[1]
