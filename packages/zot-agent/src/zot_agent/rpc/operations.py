"""The operations as commands of `zot rpc` and `zot serve`."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.registry import find
from zot_agent.rpc.method import InvalidCommand

if TYPE_CHECKING:
    from zot_agent.rpc.context import CommandContext
    from zot_agent.rpc.method import Answer

RENAMED = {
    "get_tree": "session.tree",
    "go_to": "session.navigate",
    "undo": "session.undo",
    "redo": "session.redo",
    "diff": "session.diff",
    "fork": "session.fork",
    "set_label": "session.label",
    "new_session": "session.new",
    "list_sessions": "session.list",
    "search_sessions": "session.search",
    "show_session": "session.show",
    "open_session": "session.open",
    "rename_session": "session.rename",
    "delete_session": "session.delete",
    "export_session": "session.export",
    "import_session": "session.import",
}
"""What commands were called before the first release; docs/rpc.md has the table."""


def operate(context: "CommandContext", name: str, command: dict[str, Any]) -> "Awaitable[Answer]":
    """Carry out the operation that a command names. Raises `InvalidCommand` for another name."""
    operation = find(name)
    if operation is None:
        new = RENAMED.get(name)
        raise InvalidCommand(f"{name} is called {new} now" if new else f"unknown command {name!r}")
    return operation.answer(OperationCaller(context.conversation, context.stored), command)
