"""Calls for dialogs with the person."""

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

from zot_agent.extensions.calls.call import ExtensionCall
from zot_agent.operations.fields import OperationFailed
from zot_core.conversation.dialogs import (
    FIELD_KINDS,
    CannotShow,
    DialogField,
    DialogKind,
    DialogRow,
    ExtensionDialog,
)

if TYPE_CHECKING:
    from zot_ext.protocol.answers import PersonAnswer


def select(call: ExtensionCall) -> "Awaitable[PersonAnswer]":
    return _ask(call, "select", options=tuple(call.params["options"]))


def confirm(call: ExtensionCall) -> "Awaitable[PersonAnswer]":
    return _ask(call, "confirm")


def input(call: ExtensionCall) -> "Awaitable[PersonAnswer]":
    placeholder, secret = call.text("placeholder"), call.flag("secret")
    return _ask(call, "input", placeholder=placeholder, prefill=call.text("prefill"), secret=secret)


def editor(call: ExtensionCall) -> "Awaitable[PersonAnswer]":
    """Ask for a text of several lines."""
    return _ask(call, "editor", prefill=call.text("prefill"))


def form(call: ExtensionCall) -> "Awaitable[PersonAnswer]":
    """Ask for several values."""
    fields = tuple(_field(each, at) for at, each in enumerate(call.params["fields"]))
    if len({field.name for field in fields}) < len(fields):
        raise OperationFailed("invalid", "fields must have different names")
    return _ask(call, "form", fields=fields)


def pick(call: ExtensionCall) -> "Awaitable[PersonAnswer]":
    """Ask for rows of a list."""
    rows = []
    for at, given in enumerate(call.params["rows"]):
        id, label, detail = (given.get(name) or "" for name in ("id", "label", "detail"))
        if not all(isinstance(text, str) for text in (id, label, detail)) or not id:
            raise OperationFailed(
                "invalid", f"rows[{at}] must be an object with id, label and detail, which are strings"
            )
        rows.append(DialogRow(id, label or id, detail))
    return _ask(call, "pick", rows=tuple(rows), multi=call.flag("multi"))


def _field(given: dict[str, Any], at: int) -> DialogField:
    where = f"fields[{at}]"
    name, kind, choices = given.get("name"), given.get("kind") or "text", given.get("choices") or []
    initial, description = given.get("initial"), given.get("description") or ""
    found = next((each for each in FIELD_KINDS if each == kind), None)
    if not isinstance(name, str) or not name or not isinstance(description, str):
        raise OperationFailed("invalid", f"{where} needs a name, and its description must be a string")
    if found is None:
        raise OperationFailed("invalid", f"{where}.kind must be one of {', '.join(FIELD_KINDS)}")
    if not isinstance(choices, list) or not all(isinstance(each, str) for each in choices):
        raise OperationFailed("invalid", f"{where}.choices must be a list of strings")
    if found == "select" and not choices:
        raise OperationFailed("invalid", f"{where}.choices must have at least one choice")
    shown = str(initial).lower() if isinstance(initial, bool) else "" if initial is None else str(initial)
    return DialogField(name, found, given.get("required") is True, shown, tuple(choices), description)


def _ask(call: ExtensionCall, kind: DialogKind, **fields: Any) -> "Awaitable[PersonAnswer]":
    """Return what asks the person. Raises `OperationFailed` at once where nobody can be asked."""
    if call.conversation.actions.ask_person is None:
        raise OperationFailed("unavailable", f"nobody can be asked in {call.mode}")
    milliseconds = call.params.get("timeout_ms")
    dialog = ExtensionDialog(
        f"{call.extension}-{call.id}",
        call.extension,
        kind,
        call.params["title"],
        call.text("message"),
        seconds=0.0 if milliseconds is None else milliseconds / 1000,
        **fields,
    )
    return _show(call, dialog)


async def _show(call: ExtensionCall, dialog: ExtensionDialog) -> "PersonAnswer":
    ask, pending = call.conversation.actions.ask_person, call.connection.pending
    if ask is None:
        raise OperationFailed("unavailable", "nobody can be asked any more")
    longest = call.services.limits.dialog_seconds
    pending.pause(call.parent)
    try:
        async with asyncio.timeout(min(dialog.seconds or longest, longest)):
            answer = await ask(dialog)
    except TimeoutError:
        return {"closed": "timeout"}
    except CannotShow as error:
        raise OperationFailed("unavailable", str(error)) from None
    finally:
        pending.resume(call.parent)
    if answer.closed:
        return {"closed": "user"}
    if dialog.kind == "select":
        return {"value": answer.value, "index": dialog.options.index(answer.value)}
    return {"value": answer.value}
