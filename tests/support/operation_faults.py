"""What is wrong with the fields of operations: the same words over each transport."""

from collections.abc import Iterator
from typing import Any

import pytest

from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.operation import AnyOperation
from zot_agent.operations.registry import all_operations
from zot_ext.protocol.calls.old_names import OLD_NAMES
from zot_ext.protocol.fields import LARGEST, FieldKind

OPERATIONS = all_operations()
REQUIRED = {name: [field.name for field in each.fields if field.required] for name, each in OPERATIONS.items()}
EXAMPLES: dict[str, Any] = {"string": "x", "boolean": True, "integer": 1, "object": {}, "array": [], "": 1}
WRONG: dict[str, Any] = {"string": 7, "boolean": "x", "integer": True, "object": [], "array": {}}
"""What a field of each type can be, and cannot be."""


def example(kind: FieldKind) -> Any:
    """A value of a kind."""
    if kind.choices:
        return kind.choices[0]
    if kind.parts:
        return {name: example(kind.parts[name]) for name in kind.needed}
    return [example(kind.each)] if kind.each and kind.least else EXAMPLES[kind.type]


def examples(operation: AnyOperation) -> dict[str, Any]:
    """A value of each field, none of which makes another one meaningless."""
    found = {each.name: example(each.kind) for each in operation.fields}
    for other in {each.only.other for each in operation.fields if each.only}:
        allowed = [{*each.only.values} for each in operation.fields if each.only and each.only.other == other]
        (found[other],) = set.intersection(*allowed)
    return found


def meaningless(operation: AnyOperation, full: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A field of an operation with each value of another one that makes it meaningless."""
    for field in operation.fields:
        if field.only is not None:
            (kind,) = (each.kind for each in operation.fields if each.name == field.only.other)
            for value in {*(kind.choices or (True, False))} - {*field.only.values}:
                alone = {name: given for name, given in full.items() if name in (field.name, *REQUIRED[operation.name])}
                yield {**alone, field.only.other: value}


def largest(kind: FieldKind, more: int = 0) -> list[Any]:
    """Values of the most characters or members, or of `more`. Not those that no line of a client holds, nor a million
    members."""
    if kind.type == "string":
        return ["x" * (kind.most + more)] if 0 < kind.most <= LARGEST else []
    if kind.each is None:
        return []
    found = [[each] for each in largest(kind.each, more)]
    return [*found, *([[example(kind.each)] * (kind.most + more)] if kind.most < LARGEST else [])]


def wrong_members(kind: FieldKind) -> list[Any]:
    """What a list of a kind cannot have."""
    return [] if kind.each is None else [WRONG[kind.each.type], None]


def faults() -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """Each operation with each field missing, wrong, too large, and of no use: the fields, the code and the words."""
    for name, operation in OPERATIONS.items():
        full = examples(operation)
        cases = [*meaningless(operation, full)]
        for field in operation.fields:
            cases += [{**full, field.name: None}] if field.required else []
            cases += [{**full, field.name: WRONG[field.kind.type]}] if field.kind.type else []
            cases += [{**full, field.name: "one\ntwo"}] if "pattern" in field.schema else []
            cases += [{**full, field.name: [wrong]} for wrong in wrong_members(field.kind)]
            cases += [{**full, field.name: value} for value in largest(field.kind, 1)]
        for fields in cases:
            with pytest.raises(OperationFailed) as failed:
                operation.check(fields)
            yield name, fields, failed.value.code, str(failed.value)


FAULTS = tuple(faults())

REFUSALS = (
    ("session.entry", {"entry": "none"}, "not_found", "the session has no entry 'none'"),
    ("session.label", {"entry": "none", "label": "x"}, "not_found", "the session has no entry 'none'"),
    ("session.show", {"session": "none"}, "not_found", "no session 'none'"),
    ("session.read", {"session": "none"}, "not_found", "no session 'none'"),
    ("session.list", {"after": "none"}, "invalid", "'none' is not a place in a list of sessions"),
    ("agents.messages", {"agent": "none"}, "not_found", "there is no agent 'none'"),
    ("agents.steer", {"agent": "none", "message": "x"}, "not_found", "there is no agent 'none'"),
    ("agents.stop", {"agent": "none"}, "not_found", "there is no agent 'none'"),
    ("jobs.stop", {"job": "none"}, "not_found", "there is no job 'none'"),
    ("prompts.steer", {"message": "x"}, "unavailable", "no prompt is being answered"),
    ("session.new", {"messages": [{}]}, "invalid", "messages[0].text is missing: it must be a string"),
    (
        "session.new",
        {"messages": [{"text": "x", "hidden": "yes"}]},
        "invalid",
        "messages[0].hidden must be true or false",
    ),
    (
        "session.new",
        {"messages": [{"text": "x", "role": "tool"}]},
        "invalid",
        "messages[0].role must be one of user, ass",
    ),
    ("prompts.send", {"message": "", "images": [{"data": 7}]}, "invalid", "images[0].data must be a string, not 7"),
    ("prompts.follow_up", {"message": " "}, "invalid", "message is empty"),
    ("session.import", {"path": "none.zotsession"}, "not_found", "no file at "),
    ("settings.set", {"key": "none", "value": 1}, "not_found", "unknown setting 'none'"),
    ("settings.set", {"key": "provider", "value": "none"}, "not_found", "unknown provider 'none'"),
    ("model.set", {"model": "x", "provider": "none"}, "not_found", "unknown provider 'none'"),
    ("tools.set", {"tools": ["none"]}, "not_found", "unknown tool 'none'"),
    ("control.run", {"name": "none"}, "not_found", "there is no command /none"),
    ("control.run", {"name": "skill:none"}, "not_found", "unknown skill 'none'"),
    ("runs.answer", {"run": "none", "answer": "yes"}, "not_found", "unknown run 'none'"),
    ("session.grow", {}, "unsupported", "unknown operation 'session.grow'"),
    *((old, {}, "unsupported", f"{old} is called {new} now") for old, new in OLD_NAMES.items()),
)
"""What cannot be done although each field is right: the code, and the first words of the reason."""
