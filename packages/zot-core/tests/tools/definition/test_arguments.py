from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.errors import ToolError
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.definition.arguments import Arguments
from zot_core.tools.definition.bounds import AtLeast
from zot_core.tools.definition.context import ToolContext
from zot_provider.record import Record, field

CONTEXT = ToolContext("/", MemoryFiles(), FakeShell())


class Edit(Record):
    """One edit."""

    title: str = field(metadata={"description": "its name"})
    tries: int = 1


class Tree(Record):
    name: str
    below: "list[Tree]" = field(default_factory=list)


class Grove(Record):
    plots: "list[Plot]"


class Plot(Record):
    edit: Edit
    groves: list[Grove] = field(default_factory=list)


def everything(
    path: Annotated[str, "where"],
    edits: Annotated[list[Edit], "what"],
    limit: Annotated[int | None, "how many", AtLeast(1)] = None,
    mode: Literal["a", "b"] = "a",
    anything=None,  # type: ignore[no-untyped-def]
) -> None: ...


def checked(function: Callable[..., object], **arguments: object) -> dict[str, Any]:
    return Arguments(function, "some").values(arguments, CONTEXT)


def complaint(function: Callable[..., object], **arguments: object) -> str:
    with pytest.raises(ToolError) as caught:
        checked(function, **arguments)
    return str(caught.value)


def test_a_schema_has_words_bounds_and_defaults_and_neither_titles_nor_references() -> None:
    assert Arguments(everything, "some").schema() == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "where"},
            "edits": {
                "type": "array",
                "description": "what",
                "items": {
                    "type": "object",
                    "description": "One edit.",
                    "properties": {
                        "title": {"type": "string", "description": "its name"},
                        "tries": {"type": "integer", "default": 1},
                    },
                    "required": ["title"],
                },
            },
            "limit": {"type": "integer", "minimum": 1, "description": "how many"},
            "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "anything": {},
        },
        "required": ["path", "edits"],
    }


def test_a_type_that_holds_itself_keeps_its_reference() -> None:
    def plant(tree: Tree) -> None: ...

    schema = Arguments(plant, "plant").schema()
    assert schema["properties"] == {"tree": {"$ref": "#/$defs/Tree"}}
    assert schema["$defs"]["Tree"]["properties"]["below"] == {"type": "array", "items": {"$ref": "#/$defs/Tree"}}


def test_types_that_hold_each_other_keep_their_references_and_others_are_written_out() -> None:
    def plant(grove: Grove) -> None: ...

    schema = Arguments(plant, "plant").schema()
    assert sorted(schema["$defs"]) == ["Grove", "Plot"]
    assert schema["$defs"]["Plot"]["properties"]["edit"]["required"] == ["title"]


def test_a_default_without_json_form_is_left_out() -> None:
    def plant(tree: Any = object) -> None: ...

    assert Arguments(plant, "plant").schema()["properties"] == {"tree": {}}


def test_a_choice_of_types_stays_one() -> None:
    def plant(tree: int | str | None = None) -> None: ...

    choices = [{"type": "integer"}, {"type": "string"}, {"type": "null"}]
    assert Arguments(plant, "plant").schema()["properties"] == {"tree": {"anyOf": choices}}


def test_parameters_may_have_names_that_pydantic_claims() -> None:
    def odd(schema: str, copy: int, model_config: bool, title: str, default: Edit, _private: float = 1.5) -> None: ...

    names = {"schema": "s", "copy": 1, "model_config": True, "title": "t", "default": {"title": "x"}}
    assert checked(odd, **names) == names | {"default": Edit("x")}
    properties = Arguments(odd, "odd").schema()["properties"]
    assert properties["title"] == {"type": "string"}
    assert properties["default"]["properties"]["title"] == {"type": "string", "description": "its name"}
    assert properties["_private"] == {"type": "number", "default": 1.5}


def test_the_function_gets_real_types() -> None:
    values = checked(everything, path="x", edits=[{"title": "t", "tries": "2"}], limit="3")
    assert values == {"path": "x", "edits": [Edit("t", 2)], "limit": 3}


def test_numbers_do_for_text() -> None:
    assert checked(everything, path=8080, edits=[]) == {"path": "8080", "edits": []}


def test_null_does_for_a_parameter_that_may_be_none() -> None:
    assert checked(everything, path="x", edits=[], limit=None)["limit"] is None


def test_unknown_fields_are_ignored_when_all_else_is_well() -> None:
    assert checked(everything, path="x", edits=[], colour="red") == {"path": "x", "edits": []}


def test_every_problem_is_named_and_unknown_fields_with_them() -> None:
    assert complaint(everything, file_path="x", edits=[{"title": None}], limit=0, mode="c") == (
        "invalid arguments for some: path: field required; "
        "edits[0].title: input should be a valid string, got null; "
        "limit: input should be greater than or equal to 1, got 0; "
        "mode: input should be 'a' or 'b', got \"c\"; "
        "unknown: file_path (known: path, edits, limit, mode, anything)"
    )


def test_a_wrong_object_is_called_one_and_long_values_are_cut() -> None:
    words = complaint(everything, path="x", edits=["e" * 100])
    assert words == f'invalid arguments for some: edits[0]: input should be an object, got "{"e" * 59}...'


def test_a_context_is_found_under_any_name() -> None:
    def ask(world: ToolContext) -> None: ...

    assert checked(ask) == {"world": CONTEXT}


def test_parameters_a_model_cannot_pass_are_a_type_error() -> None:
    def many(*paths: str) -> None: ...

    def first(path: str, /) -> None: ...

    for function, name in ((many, r"\*paths: str"), (first, "path: str")):
        with pytest.raises(TypeError, match=f"a model cannot pass '{name}'"):
            Arguments(function, "some")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
EVERYTHING = Arguments(everything, "some")


@given(st.dictionaries(st.sampled_from(["path", "edits", "limit", "mode", "anything", "x"]), JSON))
def test_any_json_is_accepted_or_refused_with_words(arguments: dict[str, object]) -> None:
    try:
        values = EVERYTHING.values(arguments, CONTEXT)
    except ToolError:
        return
    assert isinstance(values["path"], str)
    assert all(isinstance(edit, Edit) for edit in values["edits"])
