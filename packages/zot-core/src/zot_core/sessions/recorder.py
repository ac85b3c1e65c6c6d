"""`Recorder`: writes an agent's messages and usage to its session as they happen."""

from collections.abc import Sequence

from zot_core.events import AgentEvent, CompactDone, Done, TurnEnd, UsageEvent
from zot_core.hooks import Hooks
from zot_core.sessions.file import SessionFile
from zot_provider.messages import Message
from zot_provider.usage import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_core.sessions.memory import MemorySession


class Recorder:
    """Writes to `session`, which may be replaced between runs. A message is on disk before its event is emitted."""

    def __init__(self, hooks: Hooks, session: SessionFile | None, messages: Sequence[Message] = ()) -> None:
        """Without a session the entries are kept in memory, beginning with `messages`."""
        self._turn: list[Usage] = []
        self._total = Usage()
        self._hooks: Hooks | None = hooks  # until it observes events
        self.session = session or _in_memory(messages)
        hooks.message.add(lambda message: self.session.append(message))
        hooks.compacted.add(lambda compacted: self.session.compact(compacted.summary, compacted.kept))

    @property
    def session(self) -> "SessionFile | MemorySession":
        """The session to which it writes."""
        return self._session

    @session.setter
    def session(self, session: "SessionFile | MemorySession") -> None:
        self._session = session
        if self._hooks is not None and isinstance(session, SessionFile):  # only files have usage
            self._hooks.event.add(self._on_event, UsageEvent, TurnEnd, CompactDone, Done)
            self._hooks = None

    def _on_event(self, event: AgentEvent) -> None:
        if isinstance(event, UsageEvent):
            self._turn.append(event.usage)
            self._total = event.cumulative
        # The usage of a compaction that was stopped or failed is written at the end of its run.
        elif self._turn:
            self.session.usage(sum(self._turn[1:], self._turn[0]), self._total)
            self._turn.clear()


def _in_memory(messages: Sequence[Message]) -> "MemorySession":
    from zot_core.sessions.memory import MemorySession  # noqa: PLC0415  1 ms, and most sessions are in files

    return MemorySession(messages)
