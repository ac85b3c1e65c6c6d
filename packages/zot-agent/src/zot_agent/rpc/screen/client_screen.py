"""`ClientScreen`: what extensions can do on the screens of clients. Nothing of it is loaded before one does."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from zot_core.conversation.events import ConversationEvent

if TYPE_CHECKING:
    from zot_agent.extensions.calls.completers import CompleterSet
    from zot_agent.rpc.screen.entries import ClientEntries
    from zot_agent.rpc.screen.field import ClientFields
    from zot_agent.rpc.screen.keys import ClientKeys
    from zot_agent.rpc.screen.renderers import ClientRenderers
    from zot_agent.rpc.writer import CommandSender
    from zot_core.conversation.driver import Conversation


class ClientScreen:
    """The parts that front ends offer to extensions, each made when it is first used."""

    def __init__(
        self,
        emit: Callable[[ConversationEvent], None],
        send: "Callable[[str, CommandSender | None], None]",
        keymap: Mapping[str, str],
        field_seconds: float,
        conversation: "Conversation",
    ) -> None:
        """`emit` sends an event to all clients, `send` a line to one. `keymap` are the keys of the person.
        `field_seconds`: how long a client may take to answer about its field."""
        self._emit, self._send, self._keymap, self._field_seconds = emit, send, keymap, field_seconds
        self._conversation = conversation

    @cached_property
    def completers(self) -> "CompleterSet":
        from zot_agent.extensions.calls.completers import CompleterSet  # noqa: PLC0415  few complete words

        return CompleterSet()

    @cached_property
    def keys(self) -> "ClientKeys":
        from zot_agent.rpc.screen.keys import ClientKeys  # noqa: PLC0415  few bind keys

        return ClientKeys(self._emit, self._keymap)

    @cached_property
    def renderers(self) -> "ClientRenderers":
        from zot_agent.rpc.screen.renderers import ClientRenderers  # noqa: PLC0415  few draw in the conversation

        return ClientRenderers(self._emit)

    @cached_property
    def entries(self) -> "ClientEntries":
        """The entries of extensions in the conversation."""
        from zot_agent.rpc.screen.entries import ClientEntries  # noqa: PLC0415  not needed for a prompt

        return ClientEntries(self._conversation)

    @cached_property
    def fields(self) -> "ClientFields":
        """See `field` of `FrontEndActions`."""
        from zot_agent.rpc.screen.field import ClientFields  # noqa: PLC0415  few clients have one

        return ClientFields(self._send, self._field_seconds)
