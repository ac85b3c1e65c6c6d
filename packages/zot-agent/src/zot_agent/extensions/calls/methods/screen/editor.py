"""Calls for what is being typed: its text, its keys, and how it is drawn."""

from collections.abc import Awaitable
from functools import partial
from typing import TYPE_CHECKING

from zot_agent.extensions.calls.call import ExtensionCall, screen
from zot_agent.extensions.calls.question import ask
from zot_agent.operations.fields import OperationFailed
from zot_core.conversation.extensions import FieldAccess
from zot_ext.protocol.events.questions import EDITOR_DECORATE, EDITOR_KEY

if TYPE_CHECKING:
    from zot_ext.protocol.answers import InputText, ModeName


def get(call: ExtensionCall) -> "InputText | Awaitable[InputText]":
    if (field := _field(call)) is not None:
        return _read(field)
    text, cursor = screen(call).editor
    return {"text": text, "cursor": cursor}


def set(call: ExtensionCall) -> Awaitable[None] | None:
    """Replace the text, unless the person has typed meanwhile."""
    text, cursor, expected = call.params["text"], call.params.get("cursor"), call.params.get("expected")
    if cursor is not None and not 0 <= cursor <= len(text):
        raise OperationFailed("invalid", f"cursor must be from 0 to {len(text)}")
    if (field := _field(call)) is not None:
        return field.edit(text, cursor, expected)
    access = screen(call)
    if expected is not None and access.editor[0] != expected:
        raise OperationFailed("busy", "the text is another one by now")
    access.edit(text, cursor)
    return None


def paste(call: ExtensionCall) -> Awaitable[None] | None:
    if (field := _field(call)) is not None:
        return field.paste(call.params["text"])
    screen(call).paste(call.params["text"])
    return None


def _field(call: ExtensionCall) -> FieldAccess | None:
    """Return the input field of a client, where there is no screen."""
    access = call.conversation.actions.field
    return None if access is None else access()


async def _read(field: FieldAccess) -> "InputText":
    text, cursor = await field.read()
    return {"text": text, "cursor": cursor}


def modes(call: ExtensionCall) -> None:
    """Set or take back the modes of the extension."""
    control = screen(call).editing
    control.set_modes(call.extension, call.params.get("modes"))
    call.widgets().at_end["modes"] = partial(control.set_modes, call.extension, None)


def mode(call: ExtensionCall) -> "ModeName":
    """Switch to another mode, or say which is in force."""
    control = screen(call).editing
    if call.params.get("name") is not None:
        control.use_mode(call.extension, call.text("name"))
    return {"name": control.mode(call.extension)}


def keys(call: ExtensionCall) -> None:
    """Ask about keys, or stop asking."""
    control, limits = screen(call).editing, call.services.limits
    if not call.flag("on"):
        control.stop_asking(call.extension, text=False)
        return
    wanted: list[str] = call.params.get("keys") or []
    asks = partial(ask, call.connection, EDITOR_KEY, limits.editor_key_seconds)
    control.ask_about_keys(call.extension, wanted, asks, limits.editor_key_misses)
    call.widgets().at_end["editor keys"] = partial(control.stop_asking, call.extension, text=False)


def decorate(call: ExtensionCall) -> None:
    """Ask how the text is drawn, or stop asking."""
    control = screen(call).editing
    if not call.flag("on"):
        control.stop_asking(call.extension, keys=False)
        return
    asks = partial(ask, call.connection, EDITOR_DECORATE, call.services.limits.editor_decorate_seconds)
    control.ask_about_text(call.extension, asks)
    call.widgets().at_end["editor text"] = partial(control.stop_asking, call.extension, keys=False)
