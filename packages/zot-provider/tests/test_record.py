import __future__

import copy
import dataclasses
import inspect
from typing import Any, ClassVar

import pytest

from zot_provider.record import Record, field


class Point(Record):
    """Where something is."""

    kind: ClassVar[str] = "point"
    x: int
    y: int = 2
    names: list[str] = field(default_factory=list)

    def moved(self) -> "Point":
        return self.replace(x=self.x + 1)


class Other(Record):
    x: int


def test_a_record_is_made_by_position_or_name_with_defaults_of_its_own() -> None:
    one, other = Point(1), Point(1, names=[])
    one.names.append("a")

    assert (one.x, one.y, one.names, other.names, Point.kind) == (1, 2, ["a"], [], "point")
    assert repr(other) == "Point(x=1, y=2, names=[])"
    with pytest.raises(TypeError, match="'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'z'"):
        Point(1, z=3)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        one.z = 3  # type: ignore[attr-defined]


def test_records_are_compared_by_class_and_value_copied_and_matched() -> None:
    assert Point(1) == Point(1) != Point(2)
    assert Other(1) != Point(1)
    assert Point(1).moved() == Point(2)
    assert copy.deepcopy(Point(1, 2, ["a"])) == Point(1, 2, ["a"])
    match Point(1, 5):
        case Point(x, y):
            assert (x, y) == (1, 5)
    with pytest.raises(TypeError):
        hash(Point(1))


def test_a_class_is_a_dataclass_before_its_first_record() -> None:
    class Fresh(Record):
        """Never made."""

        size: int = 3

    assert not dataclasses.is_dataclass(Record)
    assert dataclasses.is_dataclass(Fresh)
    assert [each.name for each in dataclasses.fields(Fresh)] == ["size"]
    assert dataclasses.asdict(Fresh(4)) == {"size": 4}
    assert dataclasses.replace(Fresh(4), size=5) == Fresh(5)


def test_a_record_may_have_no_fields() -> None:
    class Nothing(Record):
        """There is nothing to say of it."""

    assert Nothing() == Nothing() != Point(1)
    assert (repr(Nothing()), dataclasses.fields(Nothing)) == ("Nothing()", ())


def test_a_record_of_a_record_is_refused() -> None:
    with pytest.raises(TypeError, match="Record alone"):

        class Deeper(Point):
            z: int = 0


@pytest.mark.parametrize("before", [0, 100])
def test_the_first_records_and_later_ones_take_the_same_arguments(before: int) -> None:
    class Fresh(Record):
        name: str
        size: int = field(metadata={"description": "how large"})
        count: int = 3
        names: list[str] = field(default_factory=list)

    for _ in range(before):
        Fresh("a", 1)
    assert Fresh("a", size=2) == Fresh("a", 2, 3, []) == Fresh(names=[], count=3, size=2, name="a")
    assert Fresh("a", 1).names is not Fresh("a", 1).names
    for values, named in ((("a",), {}), (("a", 1, 2, [], 5), {}), (("a", 1), {"name": "b"}), (("a", 1), {"other": 1})):
        with pytest.raises(TypeError, match=r"Fresh\.__init__\(\)"):
            Fresh(*values, **named)


def test_a_field_without_a_default_comes_before_those_with_one() -> None:
    class Wrong(Record):
        size: int = 3
        name: str  # type: ignore[misc]

    with pytest.raises(TypeError, match=r"Wrong\.name has no default"):
        inspect.signature(Wrong)


def test_a_record_has_the_signature_of_its_fields() -> None:
    class Fresh(Record):
        name: str
        count: int = 3

    assert str(inspect.signature(Fresh)) in ("(name: str, count: int = 3) -> None", "(name: str, count: int = 3)")


def test_a_record_has_fields_where_annotations_are_text() -> None:
    body = "class Fresh(Record):\n    name: str\n    count: int = 3\n"
    scope = {"Record": Record, "__name__": __name__}
    exec(compile(body, "<a module>", "exec", __future__.annotations.compiler_flag, dont_inherit=True), scope)
    fresh: Any = scope["Fresh"]
    assert fresh.__match_args__ == ("name", "count")
    assert repr(fresh("x")).endswith("Fresh(name='x', count=3)")
