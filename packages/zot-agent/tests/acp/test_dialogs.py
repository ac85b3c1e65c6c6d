"""Dialogs of extensions in an editor: a request for a permission, or a form."""

from functools import partial
from typing import Any

import pytest
from acp_editor import Editor

from zot_agent.acp.dialogs import FEW, AcpDialogs
from zot_core.conversation.dialogs import CannotShow, DialogAnswer, DialogField, DialogRow, ExtensionDialog
from zot_provider.errors import ZotError

ROWS = (DialogRow("a", "Apple", "red"), DialogRow("b", "Banana"))
FIELDS = (DialogField("port", "integer", required=True), DialogField("mode", "select", choices=("x", "y")))


async def asked(editor: Editor, kind: Any, **fields: Any) -> DialogAnswer:
    """The answer of the user of `editor`."""
    dialogs = AcpDialogs(partial(editor.ask, "s"), partial(editor.elicit, "s"), lambda: editor.elicits)
    return await dialogs(ExtensionDialog("d", "guard", kind, "Well?", **fields))


@pytest.mark.parametrize(
    ("kind", "fields", "chosen", "value"),
    [
        ("confirm", {}, "yes", True),
        ("confirm", {}, "no", False),
        ("confirm", {}, "", None),
        ("select", {"options": ("red", "blue")}, "1", "blue"),
        ("select", {"options": ("red", "blue")}, "close", None),
        ("select", {"options": ("red", "blue")}, "7", None),
        ("pick", {"rows": ROWS}, "0", ["a"]),
    ],
)
async def test_a_choice_of_a_few_is_a_permission(kind: str, fields: dict[str, Any], chosen: str, value: object) -> None:
    editor = Editor(chosen)
    found = await asked(editor, kind, message="rm -rf build", **fields)
    assert found == (DialogAnswer(closed=True) if value is None else DialogAnswer(value))
    assert editor.asked[0]["title"] == "Well?"
    assert editor.asked[0]["content"][0]["content"]["text"] == "guard: Well?\n\nrm -rf build"


@pytest.mark.parametrize(
    ("kind", "fields", "values", "value"),
    [
        ("input", {"prefill": "x"}, {"value": "Ada"}, "Ada"),
        ("editor", {}, {"value": "a\nb"}, "a\nb"),
        ("form", {"fields": FIELDS}, {"port": 80, "mode": "x"}, {"port": 80, "mode": "x"}),
        ("pick", {"rows": ROWS, "multi": True}, {"value": ["a", "b"]}, ["a", "b"]),
        ("select", {"options": tuple(map(str, range(FEW + 1)))}, {"value": "20"}, "20"),
        ("input", {}, None, None),
    ],
)
async def test_all_else_is_a_form(
    kind: str, fields: dict[str, Any], values: dict[str, Any] | None, value: object
) -> None:
    editor = Editor(elicits=True, values=values)
    found = await asked(editor, kind, **fields)
    assert found == (DialogAnswer(closed=True) if value is None else DialogAnswer(value))
    assert editor.forms[0]["message"] == "guard: Well?"
    assert not editor.asked


async def test_an_editor_without_forms_cannot_show_one() -> None:
    with pytest.raises(CannotShow, match="cannot show a dialog of the kind input"):
        await asked(Editor(), "input")


async def test_an_answer_that_does_not_fit_and_a_failure_are_no_answers() -> None:
    with pytest.raises(CannotShow, match="does not fit: port is missing"):
        await asked(Editor(elicits=True, values={}), "form", fields=FIELDS)

    class Broken(Editor):
        async def ask(self, session: str, call: dict[str, Any], options: list[dict[str, Any]]) -> str:
            raise ZotError("gone")

    with pytest.raises(CannotShow, match="could not be asked: gone"):
        await asked(Broken(), "confirm")
