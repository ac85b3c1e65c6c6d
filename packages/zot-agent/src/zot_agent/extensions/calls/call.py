"""`ExtensionCall`: one call of an extension, and what its handler may use."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from zot_ext.limits import ExtensionLimits
from zot_provider.errors import ZotError
from zot_provider.record import Record

if TYPE_CHECKING:
    from zot_agent.extensions.connection import Connection
    from zot_core.conversation.driver import Conversation
    from zot_provider.auth.store import AccountStore


class CallFailed(ZotError):
    """A call cannot be carried out. `code` is one of `zot_ext.protocol.from_host.CODES`."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class CallServices(Record):
    """What all calls of a set of extensions use. `home` is zot's own folder. `process_values` are the values that
    extensions keep until zot ends, by extension. `accounts` opens the store of keys and secrets."""

    conversation: "Conversation"
    limits: ExtensionLimits
    home: str
    process_values: dict[str, dict[str, Any]]
    accounts: "Callable[[], AccountStore] | None"


class ExtensionCall(Record):
    """One call. `params` have been checked against `zot_ext.protocol.calls`. `parent` is the id of the open request on
    whose behalf it is made, or empty. `progress` sends a part of the result."""

    id: str
    connection: "Connection"
    services: CallServices
    params: dict[str, Any]
    parent: str
    progress: Callable[[str], None]

    @property
    def extension(self) -> str:
        """The name of the extension."""
        return self.connection.name

    @property
    def conversation(self) -> "Conversation":
        """The conversation that the extension belongs to."""
        return self.services.conversation

    def text(self, name: str, default: str = "") -> str:
        """Return a parameter that is a text."""
        value = self.params.get(name)
        return default if value is None else str(value)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a parameter that is true or false."""
        value = self.params.get(name)
        return default if value is None else bool(value)


CallAnswer: TypeAlias = dict[str, Any] | None
"""The fields of a result; None for a result without any."""

CallHandler: TypeAlias = Callable[[ExtensionCall], CallAnswer | Awaitable[CallAnswer]]
"""Carries out a call. Raises `CallFailed`, and any `ZotError`."""
