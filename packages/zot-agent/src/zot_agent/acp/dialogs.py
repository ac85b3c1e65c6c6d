"""`AcpDialogs`: asks the user of the editor what extensions want to know."""

from collections.abc import Awaitable, Callable, Sequence

from zot_agent.acp.calls import Json, plain
from zot_core.conversation.dialogs import (
    CannotShow,
    DialogAnswer,
    DialogField,
    ExtensionDialog,
    InvalidAnswer,
    check_answer,
)
from zot_core.errors import error_line
from zot_provider.errors import ZotError

FEW = 20
"""The most options that are shown as options of a permission; more need a form."""

_YES: Json = {"optionId": "yes", "name": "Yes", "kind": "allow_once"}
_NO: Json = {"optionId": "no", "name": "No", "kind": "reject_once"}
_CLOSE: Json = {"optionId": "close", "name": "Cancel", "kind": "reject_once"}
_VALUE = "value"
_TYPES = {"text": "string", "select": "string"}


class AcpDialogs:
    """An `AskPerson` of `zot_core.conversation.dialogs`. A choice of a few is a request for a permission, which every
    client can show; all else is a form, for clients with elicitation."""

    def __init__(
        self,
        ask: Callable[[Json, list[Json]], Awaitable[str]],
        elicit: Callable[[str, Json], Awaitable[Json | None]],
        can_elicit: Callable[[], bool],
    ) -> None:
        """`ask` returns the id of the chosen option, empty for none; `elicit` the values of a form, None for none."""
        self._ask, self._elicit, self._can_elicit = ask, elicit, can_elicit

    async def __call__(self, dialog: ExtensionDialog) -> DialogAnswer:
        choices = _choices(dialog)
        try:
            if choices is not None:
                return await self._choose(dialog, choices)
            if not self._can_elicit():
                raise CannotShow(f"the editor cannot show a dialog of the kind {dialog.kind}")
            values = await self._elicit(_text(dialog), _schema(dialog))
            if values is None:
                return DialogAnswer(closed=True)
            return DialogAnswer(check_answer(dialog, values if dialog.kind == "form" else values.get(_VALUE)))
        except InvalidAnswer as error:
            raise CannotShow(f"the editor gave an answer that does not fit: {error}") from None
        except CannotShow:
            raise
        except ZotError as error:
            raise CannotShow(f"the user could not be asked: {error_line(error)}") from None

    async def _choose(self, dialog: ExtensionDialog, choices: Sequence[tuple[str, str]]) -> DialogAnswer:
        options = [
            {"optionId": str(at), "name": plain(name), "kind": "allow_once"} for at, (_, name) in enumerate(choices)
        ]
        confirms = dialog.kind == "confirm"
        call: Json = {
            "toolCallId": dialog.id,
            "title": plain(dialog.title) or dialog.extension,
            "kind": "other",
            "status": "pending",
            "content": [{"type": "content", "content": {"type": "text", "text": _text(dialog)}}],
        }
        chosen = await self._ask(call, [_YES, _NO] if confirms else [*options, _CLOSE])
        if confirms:
            return DialogAnswer(chosen == "yes") if chosen in ("yes", "no") else DialogAnswer(closed=True)
        if not (chosen.isascii() and chosen.isdecimal() and int(chosen) < len(choices)):
            return DialogAnswer(closed=True)
        value = choices[int(chosen)][0]
        return DialogAnswer([value] if dialog.kind == "pick" else value)


def _choices(dialog: ExtensionDialog) -> list[tuple[str, str]] | None:
    """Return the values and names of a choice of a few; None for another dialog."""
    found: list[tuple[str, str]] = []
    if dialog.kind == "select":
        found = [(option, option) for option in dialog.options]
    elif dialog.kind == "pick" and not dialog.multi:
        found = [(row.id, f"{row.label} ({row.detail})" if row.detail else row.label) for row in dialog.rows]
    elif dialog.kind != "confirm":
        return None
    return found if len(found) <= FEW else None


def _text(dialog: ExtensionDialog) -> str:
    return plain("\n\n".join(filter(None, [f"{dialog.extension}: {dialog.title}", dialog.message])))


def _schema(dialog: ExtensionDialog) -> Json:
    if dialog.kind == "form":
        properties = {field.name: _property(field) for field in dialog.fields}
        required = [field.name for field in dialog.fields if field.required]
    else:
        value: Json = {"type": "string"}
        if dialog.kind == "select":
            value["enum"] = [*dialog.options]
        elif dialog.kind == "pick":
            of = [{"const": row.id, "title": plain(row.label)} for row in dialog.rows]
            value = {"type": "array", "items": {"anyOf": of}} if dialog.multi else {"type": "string", "oneOf": of}
        elif dialog.prefill:
            value["default"] = dialog.prefill
        properties, required = {_VALUE: {"title": plain(dialog.title), **value}}, [_VALUE]
    return {"type": "object", "properties": properties, "required": required}


def _property(field: DialogField) -> Json:
    found: Json = {"type": _TYPES.get(field.kind, field.kind), "title": plain(field.name)}
    if field.description:
        found["description"] = plain(field.description)
    if field.kind == "select":
        found["enum"] = [*field.choices]
    if field.initial and field.kind in _TYPES:
        found["default"] = field.initial
    return found
