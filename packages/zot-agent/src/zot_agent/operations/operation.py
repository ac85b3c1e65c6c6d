"""`Operation`: a verb of zot, as a typed function that clients and extensions call by its name.

The signature is the fields, the annotation of the result the answer, the docstring the documentation: its first
paragraph says what the verb does, and a line `NAME: ...` what a field is. Names and fields only grow.

A plain function is carried out at once, in the order of the commands of a client; a coroutine as a task beside others.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeAlias, TypeVar, cast, get_args

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed, checked, condition_of, schema_of
from zot_core.aio import is_async
from zot_ext.protocol.fields import CallField, FieldReader

A = TypeVar("A")


class Encoded(str, Generic[A]):
    """An answer as JSON text."""


Answer: TypeAlias = Mapping[str, object] | Encoded[Any] | None
"""A typed dictionary, the JSON text of one, or None for an answer without data."""

P = ParamSpec("P")
R = TypeVar("R", bound=Answer | Awaitable[Answer], covariant=True)

When: TypeAlias = Literal["any", "command", "idle"]
"""`command`: an extension may do it only in the handler of a slash command or a shortcut. `idle`: so it is, and it is
refused while the agent works, because it changes which conversation is open. Such coroutines wait for each other, and
later prompts for them."""

Scope: TypeAlias = Literal["watch", "answer", "drive", "own", "extension"]
"""Who may: a person who watches the conversation, answers its questions, drives it, or owns the machine; or an
extension alone, with what is its own."""

Group: TypeAlias = Literal["", "session", "control", "model", "tools2"]
"""The groups of `hello.capabilities` that have operations."""

Need: TypeAlias = Literal["conversation", "restore", "submit"]
"""A permission of `zot_ext.protocol.permissions` that an extension needs besides `calls`."""


class Operation(Generic[P, R]):
    """A verb. `group` is that of extensions that may use it, empty if none may; `needs` are permissions that they need
    for it. `alias` is its name in the first versions of the protocol, which clients may use for ever. `waits`: its
    answer may wait for a model, or for a person whom an extension asks first."""

    def __init__(
        self,
        name: str,
        handler: Callable[Concatenate[OperationCaller, P], R],
        *,
        when: When,
        group: Group,
        scope: Scope,
        alias: str,
        needs: Sequence[Need],
        waits: bool,
    ) -> None:
        if group not in get_args(Group):
            raise TypeError(f"{name}: there is no group {group!r} of extensions; {get_args(Group)[1:]} have operations")
        self.name, self.handler, self.when, self.group, self.scope = name, handler, when, group, scope
        self.alias, self.needs, self.waits = alias, needs, waits

    def __call__(self, caller: OperationCaller, *args: P.args, **fields: P.kwargs) -> R:
        """Carry it out. Raises `OperationFailed` and any `ZotError`; nothing has changed then."""
        if self.when == "idle":
            if why := caller.conversation.actions.fixed_session:
                mode = f"the mode {caller.conversation.front_end or 'of this program'}"
                raise OperationFailed("unavailable", f"the session cannot change in {mode}: {why}")
            if is_async(self.handler):
                change: Callable[..., Any] = self.handler
                return cast("R", caller.conversation.changes.make(lambda: change(caller, *args, **fields)))
        return self.handler(caller, *args, **fields)

    @cached_property
    def doc(self) -> str:
        """A description, in words."""
        words = " ".join((inspect.getdoc(self.handler) or "").partition("\n\n")[0].split())
        words += " Refused while busy." if self.when == "idle" else ""
        return f"{words} It may take as long as a model or a person does." if self.waits else words

    @cached_property
    def _parameters(self) -> list[inspect.Parameter]:
        return [*inspect.signature(self.handler).parameters.values()][1:]

    @property
    def places(self) -> int:
        """How many of its fields the methods of clients take by their place."""
        return sum(each.kind is not each.KEYWORD_ONLY for each in self._parameters)

    @cached_property
    def fields(self) -> tuple[CallField, ...]:
        """Its fields, in the order of the signature."""
        lines = (inspect.getdoc(self.handler) or "").partition("\n\n")[2]
        docs = {name: " ".join(doc.split()) for name, doc in re.findall(r"^(\w+): (.*(?:\n +.*)*)", lines, re.M)}
        found = []
        for each in self._parameters:
            annotation, only = condition_of(each.annotation)
            doc = docs[each.name] + (f" Only if `{only.other}` is {only.words('`')}." if only else "")
            needed = each.default is each.empty
            default = None if needed else each.default
            found.append(CallField(each.name, schema_of(annotation), doc, needed, default, only))
        return tuple(found)

    @cached_property
    def _reader(self) -> FieldReader:
        return FieldReader(self.name, self.fields)

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields that are set, as `FieldReader.read` does. Raises `OperationFailed`, which names the
        field."""
        return checked(self._reader.read, given)

    def answer(self, caller: OperationCaller, given: Mapping[str, Any]) -> R:
        """Check the fields that a program has sent, and carry it out. Raises as a call does."""
        call: Callable[..., R] = self  # the fields are those of its signature
        return call(caller, **self.check(given))


AnyOperation: TypeAlias = Operation[..., Answer | Awaitable[Answer]]
"""An operation whose fields are not known."""


def operation(
    name: str,
    *,
    when: When = "any",
    group: Group = "",
    scope: Scope,
    alias: str = "",
    needs: Sequence[Need] = (),
    waits: bool = False,
) -> Callable[[Callable[Concatenate[OperationCaller, P], R]], Operation[P, R]]:
    """Make a function an operation."""
    return lambda handler: Operation(
        name, handler, when=when, group=group, scope=scope, alias=alias, needs=needs, waits=waits
    )
