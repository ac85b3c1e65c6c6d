"""Answers to dialogs of extensions: which fit."""

from typing import Any

import pytest

from zot_core.conversation.dialogs import (
    DialogField,
    DialogRow,
    ExtensionDialog,
    InvalidAnswer,
    check_answer,
    describe,
    read_field,
)

FIELDS = (
    DialogField("port", "integer", required=True, initial="80"),
    DialogField("rate", "number"),
    DialogField("on", "boolean"),
    DialogField("mode", "select", choices=("a", "b")),
)


def dialog(kind: Any, **fields: Any) -> ExtensionDialog:
    return ExtensionDialog("1", "ext", kind, "Well?", **fields)


PICK = dialog("pick", rows=(DialogRow("a", "A"), DialogRow("b", "B")))


@pytest.mark.parametrize(
    ("asked", "value"),
    [
        (dialog("confirm"), "yes"),
        (dialog("input"), 5),
        (dialog("select", options=("a",)), "b"),
        (PICK, ["a", "b"]),
        (PICK, ["c"]),
        (PICK, "a"),
        (dialog("form", fields=FIELDS), []),
        (dialog("form", fields=FIELDS), {}),
        (dialog("form", fields=FIELDS), {"port": True}),
        (dialog("form", fields=FIELDS), {"port": 1, "rate": float("nan")}),
        (dialog("form", fields=FIELDS), {"port": 1, "mode": "c"}),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(asked: ExtensionDialog, value: object) -> None:
    with pytest.raises(InvalidAnswer):
        check_answer(asked, value)


def test_the_values_of_a_form_are_those_of_its_fields() -> None:
    given = {"port": 1, "rate": 0.5, "on": False, "mode": "a", "other": 5}
    assert check_answer(dialog("form", fields=FIELDS), given) == {"port": 1, "rate": 0.5, "on": False, "mode": "a"}
    assert check_answer(dialog("form", fields=FIELDS), {"port": 1, "mode": ""}) == {"port": 1}


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [(0, " 7 ", 7), (1, "2.5", 2.5), (1, "", None), (2, "Yes", True), (2, "false", False), (3, "b", "b")],
)
def test_a_field_that_was_typed_has_its_value(field: int, text: str, value: object) -> None:
    assert read_field(FIELDS[field], text) == value


@pytest.mark.parametrize(("field", "text"), [(0, ""), (0, "x"), (1, "inf"), (2, "maybe"), (3, "c")])
def test_a_field_that_was_typed_wrong_is_refused(field: int, text: str) -> None:
    with pytest.raises(InvalidAnswer):
        read_field(FIELDS[field], text)


def test_a_client_gets_the_fields_that_a_dialog_has() -> None:
    assert describe(dialog("confirm", message="more", seconds=1.5)) == {
        "method": "confirm", "title": "Well?", "message": "more", "timeout_ms": 1500,
    }  # fmt: skip
    assert describe(PICK)["rows"][0] == {"id": "a", "label": "A", "detail": ""}
    assert describe(dialog("form", fields=FIELDS))["fields"][3]["choices"] == ["a", "b"]
    assert describe(dialog("select", options=("a",)))["options"] == ["a"]
    assert describe(dialog("input"))["secret"] is False
