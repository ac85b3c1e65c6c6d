"""`OperationCaller`: on whose behalf an operation is carried out, and what it acts on."""

from collections.abc import MutableSet
from typing import TYPE_CHECKING, Protocol

from zot_agent.operations.fields import OperationFailed
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_agent.extensions.calls.call import ExtensionCall
    from zot_agent.operations.stored_sessions import StoredSessions
    from zot_agent.rpc.questions import DialogRequests, PermissionRequests
    from zot_agent.rpc.screen.client_screen import ClientScreen
    from zot_core.agent.run import Run
    from zot_core.conversation.driver import Conversation


class CallingClient(Protocol):
    """A client of `zot rpc` or `zot serve`: the questions that wait for its answer, its screen, and the prompts whose
    text it does not want before it is complete."""

    permissions: "PermissionRequests"
    dialogs: "DialogRequests"
    screen: "ClientScreen"
    text_held: "MutableSet[Run]"


class OperationCaller(Record):
    """`stored` are the sessions that the caller may see. `host` is the `zot_agent.host.host.Host` of a client or an
    editor. `client`, and `extension`, the call of one, are None for others."""

    conversation: "Conversation"
    stored: "StoredSessions"
    host: object = None
    client: CallingClient | None = None
    extension: "ExtensionCall | None" = None

    @property
    def name(self) -> str:
        """The name of the extension that calls, empty for others."""
        return "" if self.extension is None else self.extension.extension

    @property
    def may_read(self) -> bool:
        """Whether it may read what the person and the model write."""
        return self.extension is None or self.extension.permissions.conversation

    def of_extension(self) -> "ExtensionCall":
        """Return the call of the extension. Raises `OperationFailed` for another caller."""
        if self.extension is None:
            raise OperationFailed("denied", "only an extension can do this")
        return self.extension
