from typing import Annotated, Any, Literal, NotRequired, Optional, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_ext.schema import BadArguments, Signature, bind, check, read_signature


class Point(TypedDict):
    """A place.

    Args:
        x: to the right
    """

    x: int
    label: NotRequired[str]


def properties(signature: Signature) -> dict[str, Any]:
    found: dict[str, Any] = signature.schema["properties"]
    return found


def test_plain_annotations_become_types_and_defaults() -> None:
    def book(title: str, pages: int = 3, price: float = 1.5, used: bool = False, tags: list = [], more: dict = {}):  # type: ignore[no-untyped-def,type-arg]  # noqa: B006
        """Book it."""

    signature = read_signature(book)

    assert (signature.name, signature.description) == ("book", "Book it.")
    assert signature.schema == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "pages": {"type": "integer", "default": 3},
            "price": {"type": "number", "default": 1.5},
            "used": {"type": "boolean", "default": False},
            "tags": {"type": "array"},
            "more": {"type": "object"},
        },
        "required": ["title"],
    }


def test_composed_annotations() -> None:
    def find(
        kind: Literal["a", "b"],
        mixed: Literal[1, "x"],
        many: list[int],
        table: dict[str, list[str]],
        either: int | str,
        told: Annotated[str, "a word"],
        anything: Any,
        free,  # type: ignore[no-untyped-def]
        holes: list[int | None],
    ) -> None: ...

    assert properties(read_signature(find)) == {
        "kind": {"type": "string", "enum": ["a", "b"]},
        "mixed": {"enum": [1, "x"]},
        "many": {"type": "array", "items": {"type": "integer"}},
        "table": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "told": {"type": "string", "description": "a word"},
        "anything": {},
        "free": {},
        "holes": {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
    }


def test_a_typed_dict_is_an_object_with_its_members() -> None:
    def go(to: Point, by: "list[Point]") -> None: ...

    point = {
        "type": "object",
        "properties": {"x": {"type": "integer", "description": "to the right"}, "label": {"type": "string"}},
        "required": ["x"],
    }
    assert properties(read_signature(go)) == {"to": point, "by": {"type": "array", "items": point}}


def test_none_among_the_types_makes_a_parameter_optional() -> None:
    def find(a: int | None, b: Optional[str] = None, c: Literal["x"] | None = None) -> None: ...  # noqa: UP045

    signature = read_signature(find)

    assert signature.schema == {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "string", "enum": ["x"]}},
    }
    assert bind(signature, {}) == {"a": None}
    assert bind(signature, {"a": None, "b": None}) == {"a": None}
    assert bind(signature, {"a": 2, "b": "t"}) == {"a": 2, "b": "t"}


def test_methods_and_keyword_parameters_have_schemas_too() -> None:
    class Shop:
        def sell(self, title: str, *, price: float = 1.0, to: str) -> None: ...

    assert read_signature(Shop().sell).schema["required"] == ["title", "to"]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("def f(*a): ...", "a tool needs named parameters"),
        ("def f(**a): ...", "a tool needs named parameters"),
        ("def f(a, /): ...", "a tool needs named parameters"),
        ("def f(a: bytes): ...", "parameter 'a': there is no JSON Schema for <class 'bytes'>"),
        ("def f(a: 'Missing'): ...", "parameter 'a': name 'Missing' is not defined"),
        ("f = print", "is not a function"),
    ],
)
def test_what_has_no_schema_is_refused_by_name(program: str, reason: str) -> None:
    scope: dict[str, Any] = {}
    exec(program, scope)
    with pytest.raises(TypeError, match=reason):
        read_signature(scope["f"])


def test_arguments_are_held_against_the_schema() -> None:
    def find(title: str, pages: int = 1, at: list[Point] | None = None, kind: Literal["a", "b"] = "a") -> None: ...

    signature = read_signature(find)

    def refused(args: dict[str, object]) -> str:
        with pytest.raises(BadArguments) as caught:
            bind(signature, args)
        return str(caught.value)

    assert bind(signature, {"title": "t", "pages": 3.0}) == {"title": "t", "pages": 3}
    assert refused({}) == "argument 'title' is missing"
    assert refused({"title": None}) == "argument 'title' must be of type string, not null"
    assert refused({"title": "t", "pages": True}) == "argument 'pages' must be of type integer, not boolean"
    assert refused({"title": "t", "at": [{"x": "1"}]}) == "argument 'at[0].x' must be of type integer, not string"
    assert refused({"title": "t", "at": [{}]}) == "argument 'at[0]' needs 'x'"
    assert refused({"title": "t", "kind": "c"}) == "argument 'kind' must be one of 'a', 'b', not 'c'"
    assert refused({"title": "t", "wrong": 1}) == "there is no argument 'wrong'; there are: title, pages, at, kind"


def test_one_of_several_types_is_enough() -> None:
    choices = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert check(choices, None, "a") is None
    assert check(choices, 2, "a") == 2
    with pytest.raises(BadArguments, match=r"must be of type integer, not string; or .* must be of type null"):
        check(choices, "2", "a")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), JSON, max_size=4))
def test_any_arguments_are_either_bound_or_refused(args: dict[str, object]) -> None:
    def tool(a: int, b: list[Point] | None, c: dict[str, float] = {}) -> None: ...  # noqa: B006

    try:
        bound = bind(read_signature(tool), args)
    except BadArguments:
        return
    assert isinstance(bound["a"], int)
    assert bound["b"] is None or all(isinstance(point["x"], int) for point in bound["b"])
