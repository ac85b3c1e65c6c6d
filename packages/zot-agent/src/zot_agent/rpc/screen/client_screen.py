"""`ClientScreen`: what extensions can do on the screens of clients. Nothing of it is loaded before one does."""

from collections.abc import Callable, Mapping
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
        self.known_completers: CompleterSet | None = None
        """For which words extensions have completions, if one has any."""
        self.known_renderers: ClientRenderers | None = None
        """The renderers of extensions, if one draws something."""
        self._entries: ClientEntries | None = None
        self._keys: ClientKeys | None = None
        self._fields: ClientFields | None = None

    def completers(self) -> "CompleterSet":
        if self.known_completers is None:
            from zot_agent.extensions.calls.completers import CompleterSet  # noqa: PLC0415  few complete words

            self.known_completers = CompleterSet()
        return self.known_completers

    def keys(self) -> "ClientKeys":
        if self._keys is None:
            from zot_agent.rpc.screen.keys import ClientKeys  # noqa: PLC0415  few bind keys

            self._keys = ClientKeys(self._emit, self._keymap)
        return self._keys

    def renderers(self) -> "ClientRenderers":
        if self.known_renderers is None:
            from zot_agent.rpc.screen.renderers import ClientRenderers  # noqa: PLC0415  few draw in the conversation

            self.known_renderers = ClientRenderers(self._emit)
        return self.known_renderers

    def entries(self) -> "ClientEntries":
        """The entries of extensions in the conversation."""
        if self._entries is None:
            from zot_agent.rpc.screen.entries import ClientEntries  # noqa: PLC0415  not needed for a prompt

            self._entries = ClientEntries(self._conversation)
        return self._entries

    def fields(self) -> "ClientFields":
        """See `field` of `FrontEndActions`."""
        if self._fields is None:
            from zot_agent.rpc.screen.field import ClientFields  # noqa: PLC0415  few clients have one

            self._fields = ClientFields(self._send, self._field_seconds)
        return self._fields
