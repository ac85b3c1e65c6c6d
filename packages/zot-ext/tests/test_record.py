from __future__ import annotations

import copy
import pickle

import pytest

from zot_ext.record import Record


class Point(Record):
    x: int
    y: int = 0


class Place(Point):
    name: str = "here"


class Other(Record):
    x: int
    y: int = 0


def test_a_record_is_built_by_position_by_name_and_from_defaults() -> None:
    assert Point(1, 2) == Point(x=1, y=2)
    assert Point(1).y == 0


def test_fields_of_a_base_come_first() -> None:
    assert repr(Place(1, 2, "there")) == "Place(x=1, y=2, name='there')"
    assert Place(1).name == "here"


@pytest.mark.parametrize(
    ("values", "named", "message"),
    [
        ((), {}, "Point needs 'x'"),
        ((1, 2, 3), {}, "Point takes 2 values, not 3"),
        ((1,), {"z": 3}, "Point has no field 'z'"),
        ((1,), {"x": 3}, "Point was given 'x' twice"),
    ],
)
def test_wrong_arguments_are_a_type_error_that_names_them(
    values: tuple[int, ...], named: dict[str, int], message: str
) -> None:
    with pytest.raises(TypeError) as caught:
        Point(*values, **named)
    assert str(caught.value) == message


def test_records_of_different_classes_are_never_equal() -> None:
    assert Point(1, 2) != Other(1, 2)
    assert Point(1, 2) != Place(1, 2)
    assert Point(1, 2) != (1, 2)


def test_equal_records_have_equal_hashes() -> None:
    assert {Point(1, 2), Point(1, 2), Other(1, 2)} == {Point(1, 2), Other(1, 2)}


def test_a_record_has_slots_and_takes_no_other_attribute() -> None:
    assert not hasattr(Point(1), "__dict__")
    with pytest.raises(AttributeError):
        Point(1).z = 3  # type: ignore[attr-defined]


def test_a_record_is_matched_by_position() -> None:
    match Point(3, 4):
        case Point(x, y):
            assert (x, y) == (3, 4)
        case _:
            pytest.fail("no match")


def test_a_record_is_copied_and_pickled() -> None:
    assert copy.copy(Point(1, 2)) == Point(1, 2)
    assert copy.deepcopy(Place(1, 2, "x")) == Place(1, 2, "x")


def test_a_record_of_the_package_survives_pickling() -> None:
    from zot_ext import PanelSpec

    assert pickle.loads(pickle.dumps(PanelSpec("p", lines=("a",)))) == PanelSpec("p", lines=("a",))
