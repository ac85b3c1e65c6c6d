"""`ExtensionCall`: one call of an extension, and what its handler may use."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from zot_agent.extensions.requests import COMMAND_IDS
from zot_agent.operations.fields import OperationFailed
from zot_core.conversation.commands import read_command
from zot_ext.limits import ExtensionLimits
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_agent.extensions.calls.widgets import OwnWidgets
    from zot_agent.extensions.connection import Connection
    from zot_agent.extensions.discover import ResourcePaths
    from zot_agent.extensions.panels.panels import Panels
    from zot_agent.extensions.tools import AgentTools
    from zot_agent.operations.stored_sessions import StoredSessions
    from zot_core.conversation.driver import Conversation
    from zot_core.conversation.events import ExtensionEvent
    from zot_core.conversation.extensions import ScreenAccess
    from zot_ext.protocol.permissions import ExtensionPermissions
    from zot_provider.auth.store import AccountStore


A = TypeVar("A")


class CallServices(Record):
    """The context of all calls of a set of extensions. `home` is zot's own folder. `process_values` are the values that
    extensions keep until zot ends, by extension. `accounts` opens the store of keys and secrets, `reload` restarts
    all extensions and returns lines about what failed, `emit` takes events of extensions. `observers` returns the
    running extensions in load order, once for each event that they observe. `tools` are the agent's.
    `favourites` returns the names of the person's favourite models.
    `set_resources` takes what an extension brings, from its folder and from `resource_folders`. `panels` belong to
    all extensions. `signed_in` is called when an extension has got another secret, or has lost one.
    `stored` are the sessions that extensions may read, none by a path outside their folder."""

    conversation: "Conversation"
    limits: ExtensionLimits
    home: str
    process_values: dict[str, dict[str, Any]]
    accounts: "Callable[[], AccountStore] | None"
    reload: Callable[[], Awaitable[list[str]]]
    emit: "Callable[[ExtensionEvent], None]"
    observers: "Callable[[], list[tuple[Connection, str]]]"
    tools: "AgentTools"
    set_resources: "Callable[[Connection, ResourcePaths], Awaitable[None]]"
    resource_folders: "Callable[[Connection], Sequence[str]]"
    panels: "Panels"
    favourites: "Callable[[], Sequence[str]]"
    signed_in: "Callable[[Connection], None]"
    stored: "StoredSessions"


class ExtensionCall(Record):
    """One call. `params` have been checked against `zot_ext.protocol.calls`. `parent` is the id of the open request on
    whose behalf it is made, or empty. `progress` sends a part of the result. `widgets` returns what the extension
    shows."""

    id: str
    connection: "Connection"
    services: CallServices
    params: dict[str, Any]
    parent: str
    progress: Callable[[str], None]
    widgets: "Callable[[], OwnWidgets]"

    @property
    def extension(self) -> str:
        return self.connection.name

    @property
    def conversation(self) -> "Conversation":
        return self.services.conversation

    @property
    def permissions(self) -> "ExtensionPermissions":
        return self.connection.terms.permissions

    @property
    def mode(self) -> str:
        """The front end, named when a call fails."""
        return f"the mode {self.conversation.front_end or 'of this program'}"

    def text(self, name: str, default: str = "") -> str:
        value = self.params.get(name)
        return default if value is None else str(value)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a parameter that is true or false."""
        value = self.params.get(name)
        return default if value is None else bool(value)

    def has_command(self, name: str) -> bool:
        """Whether this is the name of a slash command of the extension, listed or hidden."""
        found = self.conversation.find_command(name)
        return found is not None and found.source == self.extension

    def check_can_wait(self) -> None:
        """Refuse to wait for the end of a run that waits for this extension. Raises `OperationFailed`."""
        running = self.conversation.running
        if not self.parent or running is None:
            return
        typed = read_command(running.text)  # a command runs as a prompt, or beside the prompts
        own = typed is not None and self.has_command(typed[0])
        if own or not self.parent.startswith(COMMAND_IDS):
            raise OperationFailed("busy", "the run waits for the answer of this very handler")

    async def answered(self) -> bool:
        """Return once the request is answered on whose behalf it is made, and whether the extension still runs."""
        await self.connection.pending.closed(self.parent)
        return self.connection.state == "running"


def available(access: Callable[[], A] | None, why: str) -> A:
    """Return a part of what shows the conversation. Raises `OperationFailed` if it has none."""
    if access is None:
        raise OperationFailed("unavailable", why)
    return access()


def screen(call: ExtensionCall) -> "ScreenAccess":
    """Return what the call can do with the screen. Raises `OperationFailed` without one."""
    return available(call.conversation.actions.screen, f"there is no screen in {call.mode}")
