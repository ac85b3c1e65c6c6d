"""`OperationCaller`: on whose behalf an operation is carried out, and what it acts on."""

from collections.abc import Awaitable, Callable, Iterable, MutableSet, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from zot_agent.operations.fields import OperationFailed
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_agent.operations.stored_sessions import StoredSessions
    from zot_agent.rpc.screen.entries import ClientEntries
    from zot_core.agent.run import Run
    from zot_core.conversation.driver import Conversation
    from zot_core.conversation.events import PermissionRequest
    from zot_ext.limits import ExtensionLimits
    from zot_ext.protocol.permissions import ExtensionPermissions


class CallingClient(Protocol):
    """A client of `zot rpc` or `zot serve`: what waits for its answer, what extensions have stored between messages,
    and the prompts whose text it does not want before it is complete."""

    text_held: "MutableSet[Run]"

    def permission_requests(self) -> "list[PermissionRequest]":
        """Return the questions about tool calls."""
        ...

    def ui_requests(self) -> list[dict[str, Any]]:
        """Return the questions of extensions."""
        ...

    def entries(self) -> "ClientEntries":
        """Return what extensions have stored."""
        ...


class ActiveTools(Protocol):
    """The tools that the model may call, of which an extension may take some away."""

    def active(self) -> list[str]:
        """Name them."""
        ...

    def choose(self, extension: str, names: Iterable[str]) -> None:
        """Take the others away for an extension."""
        ...


class CallingExtension(Record):
    """An extension. `check_can_wait` raises if the run that it would wait for waits for it. `answered` returns once the
    request is answered on whose behalf it calls, and whether it still runs. `reload` restarts all extensions and
    returns lines about what failed; `favourites` are the names of the person's favourite models."""

    name: str
    permissions: "ExtensionPermissions"
    limits: "ExtensionLimits"
    tools: ActiveTools
    favourites: Callable[[], Sequence[str]]
    check_can_wait: Callable[[], None]
    answered: Callable[[], Awaitable[bool]]
    reload: Callable[[], Awaitable[list[str]]]


class OperationCaller(Record):
    """`stored` are the sessions that the caller may see. `host` is the `zot_agent.host.host.Host` of a client or an
    editor. `client` and `extension` are None for others."""

    conversation: "Conversation"
    stored: "StoredSessions"
    host: object = None
    client: CallingClient | None = None
    extension: CallingExtension | None = None

    @property
    def name(self) -> str:
        """The name of the extension that calls, empty for others."""
        return "" if self.extension is None else self.extension.name

    @property
    def may_read(self) -> bool:
        """Whether it may read what the person and the model write."""
        return self.extension is None or self.extension.permissions.conversation

    def of_extension(self) -> CallingExtension:
        """Return the extension. Raises `OperationFailed` for another caller."""
        if self.extension is None:
            raise OperationFailed("denied", "only an extension can do this")
        return self.extension
