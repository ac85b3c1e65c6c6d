"""Dialogs of extensions on the screen."""

from typing import Any

from zot_agent.ui.commands.base import Chat
from zot_core.conversation.dialogs import DialogAnswer, DialogField, ExtensionDialog, InvalidAnswer, read_field
from zot_tui.signal import Signal
from zot_tui.widgets.dialogs.dialog import Dialog
from zot_tui.widgets.dialogs.picker import Picker, PickerItem
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice, TextInput

_EDITOR_ROWS = 12
_CHOSEN = "chosen"
_DONE = ""
"""The value of the row that ends a choice of several; no row of an extension has an empty id."""


async def show_dialog(chat: Chat, dialog: ExtensionDialog, asking: "Signal[[bool]]") -> DialogAnswer:
    """Ask the person; `asking` is emitted with True and then with False. The dialog closes if this is cancelled."""
    asking.emit(True)
    try:
        value = await _ask(chat, dialog)
    finally:
        asking.emit(False)
    return DialogAnswer(closed=True) if value is None else DialogAnswer(value)


async def _ask(chat: Chat, dialog: ExtensionDialog) -> Any:
    """Return the value of the answer, None if the dialog was closed."""
    note = _note(dialog)
    match dialog.kind:
        case "select":
            options = [PickerItem(option, option) for option in dialog.options]
            return await chat.ask(Picker(dialog.title, options, note=note), behind=True)
        case "confirm":
            choices = [ConfirmChoice("y", "yes", value=True), ConfirmChoice("n", "no", value=False)]
            return await chat.ask(Confirm(dialog.title, choices, dialog.message, note=_who(dialog)), behind=True)
        case "input":
            shown = TextInput(
                dialog.title, text=dialog.prefill, placeholder=dialog.placeholder, note=note, masked=dialog.secret
            )
            return await chat.ask(shown, behind=True)
        case "editor":
            return await chat.ask(
                TextInput(dialog.title, text=dialog.prefill, note=note, rows=_EDITOR_ROWS), behind=True
            )
        case "form":
            return await _ask_form(chat, dialog)
        case "pick":
            return await _ask_rows(chat, dialog)


def _who(dialog: ExtensionDialog) -> str:
    limit = f", for {dialog.seconds:g} s" if dialog.seconds else ""
    return f"{dialog.extension} asks{limit}"


def _note(dialog: ExtensionDialog) -> str:
    return "\n".join(filter(None, [_who(dialog), dialog.message]))


async def _ask_form(chat: Chat, dialog: ExtensionDialog) -> dict[str, Any] | None:
    """Ask for the fields one after the other."""
    values: dict[str, Any] = {}
    for at, field in enumerate(dialog.fields, 1):
        where = f"{_note(dialog)}\n{at} of {len(dialog.fields)}" + (
            f": {field.description}" if field.description else ""
        )
        given = await chat.ask(_field_dialog(dialog.title, field, where), behind=at == 1)
        if given is None:
            return None
        value = read_field(field, given)
        if value is not None:
            values[field.name] = value
    return values


def _field_dialog(title: str, field: DialogField, note: str) -> "Dialog[str]":
    title = f"{title}: {field.name}"
    choices = field.choices if field.kind == "select" else ("true", "false") if field.kind == "boolean" else ()
    if choices:
        items = [PickerItem(each, each, current=each == field.initial) for each in choices]
        if not field.required:
            items.append(PickerItem("", "(none)"))
        return Picker(title, items, note=note)

    def check(text: str) -> str:
        try:
            read_field(field, text)
        except InvalidAnswer as error:
            return str(error)
        return ""

    return TextInput(title, text=field.initial, note=note, check=check)


async def _ask_rows(chat: Chat, dialog: ExtensionDialog) -> list[str] | None:
    rows, note = dialog.rows, _note(dialog)
    if not dialog.multi:
        items = [PickerItem(row.id, row.label, detail=row.detail) for row in rows]
        chosen = await chat.ask(Picker(dialog.title, items, note=note), behind=True)
        return None if chosen is None else [chosen]
    picked: dict[str, bool] = {}
    behind = True
    while True:
        items = [PickerItem(_DONE, f"done, with {len(picked)} chosen")]
        items += [PickerItem(row.id, row.label, _CHOSEN if row.id in picked else "", row.detail) for row in rows]
        chosen = await chat.ask(Picker(dialog.title, items, note=note), behind=behind)
        behind = False
        if chosen is None:
            return None
        if chosen == _DONE:
            return list(picked)
        if picked.pop(chosen, None) is None:
            picked[chosen] = True
