"""Dialogs: what extensions ask the person, for front ends that can show it."""

import math
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias, get_args

from zot_provider.errors import ZotError
from zot_provider.record import Record

DialogKind: TypeAlias = Literal["select", "confirm", "input", "editor", "form", "pick"]
FieldKind: TypeAlias = Literal["text", "integer", "number", "boolean", "select"]

FIELD_KINDS: tuple[FieldKind, ...] = get_args(FieldKind)


class InvalidAnswer(ZotError):
    """An answer does not fit its question. `str()` is one line."""


class DialogField(Record):
    """A field of a form; `initial` is its value at the beginning, as text, `choices` has the choices of `select`."""

    name: str
    kind: FieldKind = "text"
    required: bool = False
    initial: str = ""
    choices: tuple[str, ...] = ()
    description: str = ""


class DialogRow(Record):
    """A row to pick."""

    id: str
    label: str
    detail: str = ""


class ExtensionDialog(Record):
    """A question of an extension. All texts are as the extension sent them.

    `select` has `options`, `input` has `placeholder` and `secret`, `input` and `editor` have `prefill`, `form` has
    `fields`, `pick` has `rows` and `multi`. `seconds`: after this time it is closed; 0 if the extension has set none.
    """

    id: str
    extension: str
    kind: DialogKind
    title: str
    message: str = ""
    options: tuple[str, ...] = ()
    placeholder: str = ""
    prefill: str = ""
    secret: bool = False
    fields: tuple[DialogField, ...] = ()
    rows: tuple[DialogRow, ...] = ()
    multi: bool = False
    seconds: float = 0.0


def describe(dialog: ExtensionDialog) -> dict[str, Any]:
    """Return for a client the fields that the kind of this dialog has."""
    found: dict[str, Any] = {"method": dialog.kind, "title": dialog.title}
    texts = {"message": dialog.message, "placeholder": dialog.placeholder, "prefill": dialog.prefill}
    found |= {name: text for name, text in texts.items() if text}
    match dialog.kind:
        case "select":
            found["options"] = list(dialog.options)
        case "input":
            found["secret"] = dialog.secret
        case "form":
            found["fields"] = [
                {name: getattr(field, name) for name in DialogField.__match_args__} | {"choices": [*field.choices]}
                for field in dialog.fields
            ]
        case "pick":
            found["rows"] = [{name: getattr(row, name) for name in DialogRow.__match_args__} for row in dialog.rows]
            found["multi"] = dialog.multi
    return found | ({"timeout_ms": round(dialog.seconds * 1000)} if dialog.seconds else {})


class DialogAnswer(Record):
    """The answer of the person: `value` as `check_answer` returns it, or `closed` without one."""

    value: Any = None
    closed: bool = False


class CannotShow(ZotError):
    """The front end cannot show this kind of dialog."""


AskPerson: TypeAlias = Callable[[ExtensionDialog], Awaitable[DialogAnswer]]
"""Shows a dialog and returns the answer. If it is cancelled, the dialog closes. Raises `CannotShow`."""


def check_answer(dialog: ExtensionDialog, value: Any) -> Any:
    """Return `value` if it answers the dialog: an option, true or false, a text, an object with the values of fields,
    a list of ids. Raises `InvalidAnswer`."""
    match dialog.kind:
        case "confirm":
            fits = isinstance(value, bool)
        case "input" | "editor":
            fits = isinstance(value, str)
        case "select":
            fits = isinstance(value, str) and value in dialog.options
        case "pick":
            ids = [row.id for row in dialog.rows]
            fits = isinstance(value, list) and all(each in ids for each in value) and (dialog.multi or len(value) == 1)
        case "form":
            return _check_form(dialog, value)
    if not fits:
        needs = {"confirm": "true or false", "select": "one of the options", "pick": "a list of ids of rows"}
        raise InvalidAnswer(f"the value must be {needs.get(dialog.kind, 'a string')}")
    return value


def _check_form(dialog: ExtensionDialog, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidAnswer("the value must be an object with the values of the fields")
    found: dict[str, Any] = {}
    for field in dialog.fields:
        given = value.get(field.name)
        if given is None or given == "":
            if field.required:
                raise InvalidAnswer(f"{field.name} is missing")
        elif _fits(field, given):
            found[field.name] = given
        else:
            raise InvalidAnswer(f"{field.name} must be {_NEEDS[field.kind]}")
    return found


_NEEDS: dict[FieldKind, str] = {
    "text": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "select": "one of its choices",
}


def _fits(field: DialogField, value: Any) -> bool:
    if field.kind == "boolean":
        return isinstance(value, bool)
    if field.kind in ("integer", "number"):
        kinds = int if field.kind == "integer" else int | float
        return isinstance(value, kinds) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, str) and (field.kind == "text" or value in field.choices)


def read_field(field: DialogField, text: str) -> Any:
    """Return the value of a field that was typed, None for an empty text. Raises `InvalidAnswer`."""
    text = text.strip() if field.kind != "text" else text
    if not text:
        if field.required:
            raise InvalidAnswer(f"{field.name} is needed")
        return None
    value: Any = text
    try:
        if field.kind in ("integer", "number"):
            value = int(text) if field.kind == "integer" else float(text)
        elif field.kind == "boolean":
            value = {"true": True, "yes": True, "false": False, "no": False}[text.lower()]
    except (ValueError, KeyError):
        value = None
    if value is None or not _fits(field, value):
        raise InvalidAnswer(f"{field.name} must be {_NEEDS[field.kind]}")
    return value
