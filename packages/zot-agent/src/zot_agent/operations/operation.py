"""`Operation`: a verb of zot, as a typed function that clients and extensions call by its name.

The signature is the fields, the annotation of the result the answer, the docstring the documentation: its first
paragraph says what the verb does, and a line `NAME: ...` what a field is. Names and fields only grow.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeAlias, TypeVar

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import FieldKind, OperationFailed, kind_of
from zot_provider.record import Record

P = ParamSpec("P")
R = TypeVar("R", bound="Mapping[str, object] | None")

When: TypeAlias = Literal["any", "idle"]
"""`idle`: it changes which conversation is open, so it is refused while the agent works, and an extension may do it
only in the handler of a slash command or a shortcut."""

Scope: TypeAlias = Literal["watch", "answer", "drive", "own"]
"""Who may: a person who watches the conversation, answers its questions, drives it, or owns the machine."""

LARGEST = 1 << 20
"""The most characters of a text, and the most members of a list."""


class OperationField(Record):
    """A field: its kind, and what it means. A field that is null counts as missing."""

    name: str
    kind: FieldKind
    doc: str
    required: bool
    default: Any


class Operation(Generic[P, R]):
    """A verb. `group` is that of extensions that may use it, empty if none may."""

    def __init__(
        self,
        name: str,
        handler: Callable[Concatenate[OperationCaller, P], Awaitable[R]],
        when: When,
        group: str,
        scope: Scope,
    ) -> None:
        self.name, self.handler, self.when, self.group, self.scope = name, handler, when, group, scope

    def __call__(self, caller: OperationCaller, *args: P.args, **fields: P.kwargs) -> Awaitable[R]:
        """Carry it out for a program in Python, which type checkers know the fields of. Raises as `answer` does."""
        return self.handler(caller, *args, **fields)

    @cached_property
    def doc(self) -> str:
        """What it does."""
        words = " ".join((inspect.getdoc(self.handler) or "").partition("\n\n")[0].split())
        return f"{words} Refused while busy." if self.when == "idle" else words

    @cached_property
    def fields(self) -> tuple[OperationField, ...]:
        """Its fields, in the order of the signature."""
        lines = (inspect.getdoc(self.handler) or "").partition("\n\n")[2]
        docs = {name: " ".join(doc.split()) for name, doc in re.findall(r"^(\w+): (.*(?:\n +.*)*)", lines, re.M)}
        return tuple(
            OperationField(
                each.name, kind_of(each.annotation), docs[each.name], each.default is each.empty, each.default
            )
            for each in [*inspect.signature(self.handler).parameters.values()][1:]
        )

    @cached_property
    def _checks(self) -> tuple[tuple[str, Callable[[Any], bool], bool, bool], ...]:
        sized = ({"type": "string"}, "list")
        return tuple(
            (each.name, each.kind.fits, each.required, each.kind.schema in sized or each.kind.call_kind in sized)
            for each in self.fields
        )

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields that are set; others are ignored. Raises `OperationFailed`, which names the field."""
        fields: dict[str, Any] = {}
        for name, fits, required, sized in self._checks:
            value = given.get(name)
            if value is None:
                if required:
                    self._refuse(name, value)
            elif not fits(value) or (sized and len(value) > LARGEST):
                self._refuse(name, value)
            else:
                fields[name] = value
        return fields

    def _refuse(self, name: str, value: Any) -> None:
        if isinstance(value, str | list) and len(value) > LARGEST:
            parts = "characters" if isinstance(value, str) else "members"
            raise OperationFailed("too_large", f"{name} has {len(value)} {parts}; at most {LARGEST}")
        kind = next(each.kind for each in self.fields if each.name == name)
        raise OperationFailed("invalid", kind.problem(name, value))

    async def answer(self, caller: OperationCaller, given: Mapping[str, Any]) -> R:
        """Check the fields that a program has sent, and carry it out. Raises `OperationFailed` and any `ZotError`;
        nothing has changed then."""
        fields = self.check(given)
        if self.when == "idle" and (why := caller.conversation.actions.fixed_session):
            mode = f"the mode {caller.conversation.front_end or 'of this program'}"
            raise OperationFailed("unavailable", f"the session cannot change in {mode}: {why}")
        handler: Callable[..., Awaitable[R]] = self.handler  # the fields are those of its signature
        return await handler(caller, **fields)


def operation(
    name: str, *, when: When = "any", group: str = "", scope: Scope
) -> Callable[[Callable[Concatenate[OperationCaller, P], Awaitable[R]]], Operation[P, R]]:
    """Make a function an operation."""
    return lambda handler: Operation(name, handler, when, group, scope)
