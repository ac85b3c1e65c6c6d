"""Calls for keys that run slash commands."""

from functools import partial

from zot_agent.extensions.calls.call import ExtensionCall, available
from zot_agent.operations.fields import OperationFailed
from zot_core.conversation.extensions import KeyAccess


def bind(call: ExtensionCall) -> None:
    """Let a key run a command."""
    access, command = _keys(call), call.params["command"].strip().removeprefix("/")
    name = command.split(" ", 1)[0]
    if not call.has_command(name):
        raise OperationFailed("not_found", f"this extension has no command /{name}")
    access.bind(call.extension, call.params["key"], command)
    call.widgets().at_end["keys"] = partial(access.unbind, call.extension)


def unbind(call: ExtensionCall) -> None:
    """Give a key back."""
    _keys(call).unbind(call.extension, call.params["key"])


def _keys(call: ExtensionCall) -> KeyAccess:
    return available(call.conversation.actions.keys, f"nobody presses keys in {call.mode}")
