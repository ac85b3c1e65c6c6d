"""Operations as data: their fields from the signature, their checks, and who may use them."""

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed, kind_of
from zot_agent.operations.names import MODULES
from zot_agent.operations.operation import LARGEST, operation
from zot_agent.operations.registry import all_operations, find
from zot_agent.rpc import METHODS
from zot_ext.protocol.calls import METHODS as CALLS

OPERATIONS = all_operations()
OWNERS = {"session.delete", "session.export", "session.import"}
"""What extensions are not offered: it deletes sessions, and reads or writes files anywhere."""


@operation("tree.grow", group="tree", scope="drive")
async def grow(
    caller: OperationCaller, name: str, *, side: Literal["left", "right"] = "left", by: Annotated[int, 1, 9] = 1
) -> None:
    """Grow.

    name: The name of the branch,
        in two lines.
    side: The side.
    by: How much.
    """


def test_the_fields_are_those_of_the_signature_with_their_words() -> None:
    assert [(each.name, each.required, each.kind.words, each.doc) for each in grow.fields] == [
        ("name", True, "a string", "The name of the branch, in two lines."),
        ("side", False, "one of left, right", "The side."),
        ("by", False, "a whole number from 1 to 9", "How much."),
    ]
    assert grow.doc == "Grow."


@pytest.mark.parametrize(
    ("fields", "code", "problem"),
    [
        ({}, "invalid", "name is missing: it must be a string"),
        ({"name": None}, "invalid", "name is missing: it must be a string"),
        ({"name": 7}, "invalid", "name must be a string, not 7"),
        ({"name": [7]}, "invalid", "name must be a string, not an array"),
        ({"name": "x", "side": "up"}, "invalid", 'side must be one of left, right, not "up"'),
        ({"name": "x", "by": 10}, "invalid", "by must be a whole number from 1 to 9, not 10"),
        ({"name": "x", "by": True}, "invalid", "by must be a whole number from 1 to 9, not true"),
        ({"name": "x" * (LARGEST + 1)}, "too_large", f"name has {LARGEST + 1} characters; at most {LARGEST}"),
    ],
)
def test_a_field_that_is_wrong_is_named(fields: dict[str, Any], code: str, problem: str) -> None:
    with pytest.raises(OperationFailed) as failed:
        grow.check(fields)
    assert (failed.value.code, str(failed.value)) == (code, problem)


def test_fields_that_are_null_or_unknown_are_left_out() -> None:
    assert grow.check({"name": "x", "side": None, "more": 1}) == {"name": "x"}


@pytest.mark.parametrize("annotation", [int | None, float, tuple[int, ...], list[float]])
def test_a_field_of_another_kind_is_refused_when_it_is_written(annotation: object) -> None:
    with pytest.raises(TypeError, match="a field cannot be"):
        kind_of(annotation)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(given=st.dictionaries(st.sampled_from(["name", "side", "by", "other"]), values))
def test_whatever_is_sent_is_checked_or_refused_by_name(given: dict[str, Any]) -> None:
    problem, fields = "", None
    try:
        fields = grow.check(given)
    except OperationFailed as error:
        problem = str(error)
    if fields is None:
        assert problem.split(" ")[0] in ("name", "side", "by")
    else:
        assert isinstance(fields["name"], str)
        assert fields.get("side", "left") in ("left", "right")
        assert type(fields.get("by", 1)) is int


def test_the_table_of_names_is_that_of_the_functions() -> None:
    assert {name: each.handler.__module__.rpartition(".")[2] for name, each in OPERATIONS.items()} == MODULES
    assert find("session.fork") is OPERATIONS["session.fork"]
    assert find("session.grow") is None


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_an_operation_is_documented_and_has_one_name(name: str) -> None:
    each = OPERATIONS[name]
    assert each.doc.endswith(".")
    assert all(field.doc.endswith((".", "`.")) for field in each.fields)
    assert name not in METHODS
    assert (name in CALLS) == bool(each.group)
    if each.group:
        assert CALLS[name].in_command == (each.when == "idle")


def test_what_an_owner_alone_may_do_is_offered_to_no_extension() -> None:
    assert {name for name, each in OPERATIONS.items() if not each.group} == OWNERS
    scopes = {scope: {name for name, each in OPERATIONS.items() if each.scope == scope} for scope in ("watch", "own")}
    assert scopes["watch"] == {
        *("session.info", "session.tree", "session.entries", "session.entry", "session.diff"),
    }
    assert scopes["own"] == OWNERS | {
        *("session.list", "session.search", "session.show", "session.read", "session.open"),
    }
