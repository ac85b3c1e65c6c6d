"""`Reports`: tells observers what happens in a conversation, and joins pieces of answers and of the output of tools."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from zot_agent.extensions.hooks.interceptor import Interceptor
from zot_agent.extensions.hooks.observables import BY_SOURCE, EVENTS2
from zot_agent.extensions.hooks.subscribers import Subscribers
from zot_agent.extensions.hooks.transitions import FOLLOWED, Story
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import Changed, ConversationEvent, SessionStart, SessionTreeMove
from zot_core.events import AgentEvent, ReasoningDelta, TextDelta, ToolProgress, ToolUseArgs
from zot_ext.protocol.from_host import Event
from zot_provider.messages import Message

_PAUSE = 0.05
"""Seconds from a piece to the frame with it and all that came meanwhile."""

_LARGEST = 64 * 1024
"""Characters of one kind that are sent at once, without waiting."""


class EventStreams:
    """Collects pieces; `send` gets a name and the members of its event."""

    def __init__(self, send: Callable[[str, dict[str, Any]], None], pause: float = _PAUSE) -> None:
        self._send, self._pause = send, pause
        self._waiting: dict[tuple[str, ...], list[str]] = {}
        self._sizes: dict[tuple[str, ...], int] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, name: str, field: str, text: str, **about: str) -> None:
        """Add a piece: the member `field` of the event `name`, whose other members are `about`."""
        key = (name, field, *(part for item in about.items() for part in item))
        self._waiting.setdefault(key, []).append(text)
        self._sizes[key] = self._sizes.get(key, 0) + len(text)
        if self._sizes[key] > _LARGEST:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._pause, self.flush)

    def flush(self) -> None:
        """Send what waits, in the order in which it began."""
        if not self._waiting:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting, self._waiting = self._waiting, {}
        self._sizes.clear()
        for (name, field, *about), pieces in waiting.items():
            self._send(name, dict(zip(about[::2], about[1::2], strict=True)) | {field: "".join(pieces)})


PIECES: dict[type, str] = {TextDelta: "text", ReasoningDelta: "reasoning", ToolUseArgs: "tool_args", ToolProgress: ""}
"""The events that come in pieces, with the `kind` of the pieces of answers."""

STREAMED = ("message_update", "tool_progress")
"""The events that these are sent as."""


class Reports:
    """Sends events to the programs that observe them."""

    def __init__(self, extensions: Subscribers, conversation: Conversation | None) -> None:
        """`conversation` is that whose settings are reported."""
        self._extensions = extensions
        self._story = Story(self.tell, conversation)
        self._streams = EventStreams(self.send)

    def notify(self, event: AgentEvent | Changed) -> None:
        """Send `event` to its observers, if it can be observed, and what it means together with earlier ones."""
        kind = type(event)
        if kind in PIECES:
            self._collect(event)
            return
        if kind not in FOLLOWED:
            self.tell(event)
            return
        self._story.before(event)
        self.tell(event)
        self._story.after(event)

    def tell(self, value: object) -> None:
        """Send a value to the observers of the rows that it is the source of."""
        for row in BY_SOURCE.get(type(value), ()):
            if observers := self._extensions.observers(row.name):
                members = row.members(value)
                if members is not None:
                    self._send(observers, row.name, members)

    def send(self, name: str, members: Mapping[str, Any], group: str = "") -> None:
        """Send an event to its observers; those without the `group` are left out."""
        observers = self._extensions.observers(name)
        self._send([each for each in observers if group in each.granted] if group else observers, name, members)

    def _send(self, observers: Sequence[Interceptor], name: str, members: Mapping[str, Any]) -> None:
        if not observers:
            return
        if name not in STREAMED:
            self._streams.flush()
        frame = Event(name, **Event.fields_of(members))
        for observer in observers:
            observer.send(frame, droppable=True)

    def message(self, message: Message) -> None:
        self._story.message(message)
        self.tell(message)

    def conversation_event(self, event: ConversationEvent) -> None:
        match event:
            case Changed():
                self.notify(event)
            case SessionTreeMove():
                self.tell(event)
            case SessionStart():
                about = {"reason": event.reason, "session_id": event.session_id}
                ended = {"reason": "session_switch", "detail": event.reason}
                self.send("session_end", ended)
                self.send("session_start", about | {"previous_session_file": self._story.switch()}, EVENTS2)

    def _collect(self, event: object) -> None:
        """Add a piece of an answer, or of the output of a tool, to what is sent soon."""
        match event:
            case ToolProgress():
                if self._extensions.observers("tool_progress"):
                    self._streams.add("tool_progress", "text", event.text, tool_id=event.id)
            case TextDelta() | ReasoningDelta() | ToolUseArgs():
                if self._extensions.observers("message_update"):
                    self._streams.add("message_update", "delta", event.delta, kind=PIECES[type(event)])
