"""Operations as data: their fields from the signature, their checks, and who may use them."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import FailureCode, Line, OperationFailed, schema_of
from zot_agent.operations.names import ALIASES, FIELDS, MODULES, WAITS
from zot_agent.operations.operation import Group, operation
from zot_agent.operations.registry import all_operations, find
from zot_ext.protocol.calls import METHODS as CALLS
from zot_ext.protocol.calls import RENAMED
from zot_ext.protocol.calls.old_names import OLD_NAMES
from zot_ext.protocol.fields import LARGEST, OnlyIf
from zot_ext.protocol.from_extension import CALL_GROUPS
from zot_ext.protocol.from_host import CODES
from zot_provider.json_text import describe

OPERATIONS = all_operations()
FIRST = {
    *("prompt", "abort", "compact", "get_state", "get_messages", "clear", "set_model", "get_models", "set_reasoning"),
}
"""What the first versions of the protocol fixed, besides `hello` and `ping`."""
SCREEN = {
    *("ext_field_claim", "ext_field_response", "ext_panel_close", "ext_panel_key", "ext_panel_mouse"),
    *("ext_panel_paste", "ext_panel_size", "ext_ui_response", "get_completions", "get_display", "get_image"),
    *("get_rendering", "get_shown", "hello", "ping", "use_field"),
}
"""What clients ask about themselves and their screens."""
OWNERS = {
    *("session.delete", "session.export", "session.import"),
    *("settings.list", "settings.set", "permissions.mode", "runs.list", "runs.answer"),
}
"""What deletes sessions, reads or writes files anywhere, or changes what is allowed."""
READING = ["diff", "entries", "entry", "find", "list", "navigate", "read", "redo", "search", "show", "tree", "undo"]
PERSONS = {
    *("permissions.answer", "prompts.send", "prompts.steer", "prompts.follow_up"),
    *("control.clear", "control.run", "tools.set"),
}
"""What is said in the name of the person, or what extensions do with calls of their own."""


class Leaf(TypedDict):
    """A leaf."""

    colour: Annotated[str, 4]
    dry: NotRequired[bool]
    size: NotRequired[int]


@operation("tree.grow", group="control", scope="drive")
async def grow(
    caller: OperationCaller,
    name: str,
    *,
    side: Literal["left", "right"] = "left",
    by: Annotated[int, 1, 9] = 1,
    names: list[str] = [],  # noqa: B006  it is not changed
    short: Annotated[str, 4] = "",
    few: Annotated[list[Annotated[str, 2]], 3] = [],  # noqa: B006  as above
    leaves: list[Leaf] = [],  # noqa: B006  as above
    title: Line = "",
    again: Annotated[Any, OnlyIf("side", ("right",))] = None,
    note: Annotated[Line, OnlyIf("side", ("left",))] = "",
) -> None:
    """Grow.

    name: The name of the branch,
        in two lines.
    side: The side.
    by: How much.
    names: Others.
    short: A word.
    few: Words.
    leaves: Its leaves.
    title: Its name.
    again: What to do then.
    note: About it.
    """


def test_the_fields_are_those_of_the_signature_with_their_words() -> None:
    assert [(each.name, each.required, each.kind.words, each.doc) for each in grow.fields] == [
        ("name", True, "a string", "The name of the branch, in two lines."),
        ("side", False, "one of left, right", "The side."),
        ("by", False, "a whole number from 1 to 9", "How much."),
        ("names", False, "an array of strings", "Others."),
        ("short", False, "a string", "A word."),
        ("few", False, "an array of strings", "Words."),
        ("leaves", False, "an array of objects", "Its leaves."),
        ("title", False, "one line of text", "Its name."),
        ("again", False, "any JSON value", "What to do then. Only if `side` is `right`."),
        ("note", False, "one line of text", "About it. Only if `side` is `left`."),
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
        (
            {"name": "x", "names": ["y"] * (LARGEST + 1)},
            "too_large",
            f"names has {LARGEST + 1} members; at most {LARGEST}",
        ),
        ({"name": [7] * (LARGEST + 1)}, "invalid", "name must be a string, not an array"),
        (
            {"name": "x", "names": "y" * (LARGEST + 1)},
            "invalid",
            f"names must be an array of strings, not {describe('y' * (LARGEST + 1))}",
        ),
        (
            {"name": "x", "names": ["y" * (LARGEST + 1)]},
            "too_large",
            f"names[0] has {LARGEST + 1} characters; at most {LARGEST}",
        ),
        ({"name": "x", "short": "12345"}, "too_large", "short has 5 characters; at most 4"),
        ({"name": "x", "few": ["a"] * 4}, "too_large", "few has 4 members; at most 3"),
        ({"name": "x", "names": ["y", ["z"]]}, "invalid", "names[1] must be a string, not an array"),
        ({"name": "x", "names": [None]}, "invalid", "names[0] must be a string, not null"),
        ({"name": "x", "leaves": ["red"]}, "invalid", 'leaves[0] must be an object, not "red"'),
        ({"name": "x", "title": "a\u2028b"}, "invalid", 'title must be one line of text, not "a\\u2028b"'),
        ({"name": "x", "title": "a\n"}, "invalid", 'title must be one line of text, not "a\\n"'),
        ({"name": "x", "title": "t" * 201}, "too_large", "title has 201 characters; at most 200"),
        ({"name": "x", "few": ["a", "abc"]}, "too_large", "few[1] has 3 characters; at most 2"),
        ({"name": "x", "leaves": [{}]}, "invalid", "leaves[0].colour is missing: it must be a string"),
        (
            {"name": "x", "leaves": [{"colour": "red"}, {"colour": 1}]},
            "invalid",
            "leaves[1].colour must be a string, not 1",
        ),
        ({"name": "x", "leaves": [{"colour": "mauve"}]}, "too_large", "leaves[0].colour has 5 characters; at most 4"),
        (
            {"name": "x", "leaves": [{"colour": "red", "dry": "no"}]},
            "invalid",
            'leaves[0].dry must be true or false, not "no"',
        ),
        ({"name": "x", "again": False}, "invalid", "again needs side to be right"),
        ({"name": "x", "side": "right", "note": "n"}, "invalid", "note needs side to be left"),
        ({"name": "x" * (LARGEST + 1)}, "too_large", f"name has {LARGEST + 1} characters; at most {LARGEST}"),
    ],
)
def test_a_field_that_is_wrong_is_named(fields: dict[str, Any], code: str, problem: str) -> None:
    with pytest.raises(OperationFailed) as failed:
        grow.check(fields)
    assert (failed.value.code, str(failed.value)) == (code, problem)


def test_a_schema_has_the_limits_that_are_checked() -> None:
    schemas = {each.name: each.schema for each in grow.fields}
    line = {"type": "string", "pattern": r"^[^\n\v\f\r\x1c-\x1e\x85\u2028\u2029]*$", "maxLength": 200}
    assert schemas == {
        "name": {"type": "string", "maxLength": LARGEST},
        "side": {"enum": ["left", "right"]},
        "by": {"type": "integer", "minimum": 1, "maximum": 9},
        "names": {"type": "array", "items": {"type": "string", "maxLength": LARGEST}, "maxItems": LARGEST},
        "short": {"type": "string", "maxLength": 4},
        "few": {"type": "array", "items": {"type": "string", "maxLength": 2}, "maxItems": 3},
        "leaves": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"colour": {"type": "string", "maxLength": 4}, "dry": {"type": ["boolean", "null"]}}
                | {"size": {"type": ["integer", "null"]}},
                "required": ["colour"],
            },
            "maxItems": LARGEST,
        },
        "title": line,
        "again": {"not": {"type": "null"}},
        "note": line,
    }


def test_a_field_that_another_makes_meaningless_may_have_its_default() -> None:
    assert grow.check({"name": "x", "side": "right", "note": "", "again": 0})["again"] == 0
    assert grow.check({"name": "x", "note": "n"}) == {"name": "x", "note": "n"}


def test_the_fields_that_another_makes_meaningless_say_where_they_mean_something() -> None:
    limited = {(name, field.name): field.only for name, each in OPERATIONS.items() for field in each.fields}
    assert {place: only for place, only in limited.items() if only} == {
        ("session.navigate", "force"): OnlyIf("restore", ("files", "both")),
        ("session.navigate", "stop_jobs"): OnlyIf("restore", ("files", "both")),
        ("session.navigate", "summarise"): OnlyIf("restore", ("conversation", "both")),
        ("session.navigate", "label"): OnlyIf("restore", ("conversation", "both")),
        ("session.navigate", "instructions"): OnlyIf("summarise", (True,)),
        ("session.entries", "to"): OnlyIf("whole_tree", (False,)),
        ("permissions.answer", "message"): OnlyIf("answer", ("no",)),
        ("runs.answer", "message"): OnlyIf("answer", ("no",)),
        ("ext_ui_response", "value"): OnlyIf("closed", (False,)),
        ("get_rendering", "text"): OnlyIf("kind", ("markdown",)),
    }


def test_a_whole_number_may_be_written_as_a_fraction_of_one() -> None:
    read = grow.check({"name": "x", "by": 2.0, "leaves": [{"colour": "red", "size": 3.0}]})
    assert (repr(read["by"]), repr(read["leaves"][0]["size"])) == ("2", "3")


def test_fields_that_are_null_or_unknown_are_left_out() -> None:
    leaf = {"colour": "red", "dry": None, "height": 7}
    assert grow.check({"name": "x", "leaves": [leaf]})["leaves"] == [leaf]
    assert grow.check({"name": "x", "side": None, "more": 1}) == {"name": "x"}


@pytest.mark.parametrize("name", ["permission_mode", "permissionMode", "sandbox", "deny", "disallowed_tools"])
def test_an_unknown_field_that_asks_that_less_may_run_is_refused(name: str) -> None:
    with pytest.raises(OperationFailed, match=f"has no field '{name}'; it would hold nothing back"):
        grow.check({"name": "x", name: ["y"]})
    assert grow.check({"name": "x", name: False}) == {"name": "x"}


@pytest.mark.parametrize("annotation", [int | None, float, tuple[int, ...], list[float]])
def test_a_field_of_another_kind_is_refused_when_it_is_written(annotation: object) -> None:
    with pytest.raises(TypeError, match="a field cannot be"):
        schema_of(annotation)


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
    assert {name: each.handler.__module__.partition(".")[2] for name, each in OPERATIONS.items()} == MODULES
    assert find("session.fork") is OPERATIONS["session.fork"]
    assert find("session.grow") is None


def test_the_names_of_the_first_protocol_are_the_only_second_names() -> None:
    assert {each.alias for each in OPERATIONS.values() if each.alias} == {*ALIASES} == FIRST
    assert all(find(alias) is OPERATIONS[name] for alias, name in ALIASES.items())
    assert {name for name in OPERATIONS if "." not in name} == SCREEN
    assert not {*OLD_NAMES} & {*OPERATIONS, *ALIASES}
    assert {alias for alias in RENAMED if alias in ALIASES} == {
        alias for alias, name in ALIASES.items() if OPERATIONS[name].group
    }
    assert {*RENAMED.values()} <= {*OPERATIONS}


def test_the_codes_of_failures_and_the_groups_are_those_of_calls() -> None:
    assert get_args(FailureCode) == CODES
    assert {*get_args(Group)[1:]} == {each.group for each in OPERATIONS.values() if each.group}
    assert {*CALL_GROUPS} >= {*get_args(Group)[1:]}


def test_a_group_that_no_table_has_is_refused_where_it_is_written() -> None:
    wrong: Any = "trees"
    with pytest.raises(TypeError, match=r"tree\.fell: there is no group 'trees' of extensions"):
        operation("tree.fell", group=wrong, scope="drive")(grow.handler)


def test_what_an_extension_alone_may_do_is_not_listed_for_clients() -> None:
    alone = {name for name, each in OPERATIONS.items() if each.scope == "extension"}
    assert not alone & {*FIELDS}
    assert {*OPERATIONS} - {*FIELDS} == alone


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_an_operation_is_documented_and_has_one_name(name: str) -> None:
    each = OPERATIONS[name]
    assert each.doc.endswith(".")
    assert all(field.doc.endswith((".", "`.")) for field in each.fields)
    assert (name in CALLS) == bool(each.group)
    if each.group:
        assert CALLS[name].in_command == (each.when != "any")


def test_what_an_owner_alone_may_do_is_offered_to_no_extension() -> None:
    assert {name for name, each in OPERATIONS.items() if not each.group} == OWNERS | PERSONS | SCREEN
    scopes = {
        scope: {name for name, each in OPERATIONS.items() if each.scope == scope and name not in SCREEN}
        for scope in ("watch", "answer", "own", "extension")
    }
    assert scopes["extension"] == {"session.append", "tools.set_active"}
    assert scopes["watch"] == {
        *("session.info", "session.tree", "session.entries", "session.entry", "session.diff"),
        *("control.state", "control.context", "control.system_prompt", "control.wait_idle", "control.commands"),
        *("control.skills", "model.list", "model.get", "tools.list", "tools.active", "prompts.messages"),
        *("agents.list", "agents.messages", "jobs.list", "session.find", "session.totals"),
    }
    assert scopes["answer"] == {"permissions.answer"}
    assert scopes["own"] == OWNERS | {
        *("session.list", "session.search", "session.show", "session.read", "session.open", "session.rename"),
        "control.shutdown",
    }


def test_what_asks_an_extension_first_or_runs_its_code_or_a_model_may_take_as_long_as_a_person() -> None:
    waits = {name for name, each in OPERATIONS.items() if each.waits}
    assert waits == {
        *(name for name, each in OPERATIONS.items() if each.when == "idle"),
        *("control.clear", "control.compact", "control.run", "control.wait_idle"),
    }
    assert waits == WAITS


def test_what_can_name_another_session_is_for_owners() -> None:
    named = {name for name, each in OPERATIONS.items() if "session" in [field.name for field in each.fields]}
    assert named
    assert {OPERATIONS[name].scope for name in named} == {"own"}


def test_an_extension_needs_permissions_for_what_it_reads_says_and_brings_back() -> None:
    needs = {name: {*each.needs} for name, each in OPERATIONS.items() if each.needs}
    assert needs == {
        **{f"session.{verb}": {"conversation"} for verb in READING},
        **{name: {"conversation"} for name in ("agents.list", "agents.messages", "agents.stop", "jobs.list")},
        **{name: {"conversation"} for name in ("control.system_prompt", "prompts.messages")},
        "agents.steer": {"conversation", "submit"},
        "jobs.stop": {"conversation", "restore"},
        "session.new": {"submit"},
    }
    assert {name: {*CALLS[name].needs} for name in needs} == needs
