"""Calls about completers, which suggest words while the person types."""

from functools import partial
from typing import Any

from zot_agent.extensions.calls.call import ExtensionCall, available
from zot_agent.extensions.calls.question import ask
from zot_agent.extensions.connection import Connection
from zot_agent.operations.fields import OperationFailed
from zot_core.conversation.extensions import CompletionAccess
from zot_ext.protocol.events.questions import COMPLETE, completer_problem

MOST_ITEMS, MOST_TEXT, MOST_LINE = 50, 1000, 2000


def register(call: ExtensionCall) -> None:
    """Suggest words with a trigger, or arguments of a command of the extension."""
    trigger, command = _place(call)
    access = _completers(call)
    if command and not call.has_command(command):
        raise OperationFailed("not_found", f"this extension has no command /{command}")
    ask = partial(_ask, call.connection, call.services.limits.complete_seconds)
    access.add_completer(call.extension, trigger, command, ask)
    call.widgets().at_end["completions"] = partial(access.remove_completer, call.extension)


def unregister(call: ExtensionCall) -> None:
    """Suggest nothing there any more."""
    trigger, command = _place(call)
    _completers(call).remove_completer(call.extension, trigger, command)


def _completers(call: ExtensionCall) -> CompletionAccess:
    return available(call.conversation.actions.completers, f"nobody types in {call.mode}")


def _place(call: ExtensionCall) -> tuple[str, str]:
    if problem := completer_problem(call.params):
        raise OperationFailed("invalid", problem)
    return call.text("trigger"), call.text("command").removeprefix("/")


async def _ask(
    connection: Connection, seconds: float, trigger: str, command: str, prefix: str, line: str
) -> list[dict[str, str]]:
    if not (command or connection.terms.permissions.conversation):
        line = trigger + prefix  # the rest is none of its business
    members = {"trigger": trigger, "command": command, "prefix": prefix, "line": line[-MOST_LINE:]}
    try:
        answer = await ask(connection, COMPLETE, seconds, members)
    except TimeoutError as error:
        connection.log(f"no completions of {trigger or '/' + command}: {error}")
        return []
    items = answer.get("items") or ()
    return [read for each in items[:MOST_ITEMS] if (read := _item(each)) is not None]


def _item(given: Any) -> dict[str, str] | None:
    """Return an item with the members that are texts; None without a text to insert."""
    fields = {"text": given} if isinstance(given, str) else given
    if not isinstance(fields, dict):
        return None
    names = ("text", "label", "description")
    read = {name: fields[name][:MOST_TEXT] for name in names if isinstance(fields.get(name), str)}
    return read if read.get("text") else None
