"""`CommandContext`: what the handler of a command can use."""

from collections.abc import MutableSet
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from zot_agent.host.host import Host
    from zot_agent.operations.stored_sessions import StoredSessions
    from zot_agent.rpc.activity.shown import Displays
    from zot_agent.rpc.limits import RpcLimits
    from zot_agent.rpc.questions import DialogRequests, PermissionRequests
    from zot_agent.rpc.screen.client_screen import ClientScreen
    from zot_agent.rpc.writer import CommandSender
    from zot_core.agent.run import Run
    from zot_core.conversation.driver import Conversation
    from zot_core.runtime.runtime import Runtime


class CommandContext(Protocol):
    """The agent that a command acts on, and the state of its client; `RpcService` implements it."""

    host: "Host"
    conversation: "Conversation"
    runtime: "Runtime"
    limits: "RpcLimits"
    permissions: "PermissionRequests"
    dialogs: "DialogRequests"
    displays: "Displays"
    screen: "ClientScreen"
    sender: "CommandSender | None"
    """The client that has sent the command, where there may be several; valid until the handler first waits."""
    stored: "StoredSessions"
    text_held: "MutableSet[Run]"
    """Prompts whose text deltas are not sent while an extension may still replace the text."""
    token: str
    """The secret that the client must name; empty if none is needed."""
    trusted: bool
    """Whether the client has named the token, or needs none."""

    def trust(self) -> None:
        """Accept the client, and send the events that waited for that."""
        ...
