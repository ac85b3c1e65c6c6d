"""`Recorder`: writes an agent's messages and usage to its session as they happen."""

from collections.abc import Mapping, Sequence

from zot_core.display import Recaller
from zot_core.events import AgentEvent, CompactDone, Done, TurnEnd, UsageEvent
from zot_core.hooks import Compaction, Hooks
from zot_core.sessions.file import SessionFile
from zot_core.sessions.totals import COUNTED, RunCounter
from zot_provider.messages import Message
from zot_provider.usage import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_core.sessions.memory import MemorySession


class Recorder:
    """Writes to `session`, which may be replaced between runs. A message is on disk before its event is emitted."""

    def __init__(
        self, hooks: Hooks, tools: Mapping[str, Recaller], session: SessionFile | None, messages: Sequence[Message] = ()
    ) -> None:
        """`tools` are the tools of the agent, by name. Without a session the entries are kept in memory, beginning with
        `messages`."""
        self._turn: list[Usage] = []
        self._total = Usage()
        self.counter = RunCounter(tools)
        """Counts the run. It sees an event before later observers."""
        self._last = messages[-1].id if messages else ""
        self.session: SessionFile | MemorySession = session or _in_memory(messages)
        """The session to which it writes."""
        hooks.message.add(self._add)
        hooks.compacted.add(self._compact)
        hooks.event.add(self.counter.follow, *COUNTED)
        hooks.event.add(self._on_event, UsageEvent, TurnEnd, CompactDone, Done)

    def _compact(self, compaction: Compaction) -> None:
        if not compaction.agent_id:
            self.session.compact(compaction.summary, compaction.kept)

    def _add(self, message: Message) -> None:
        self.session.append(message)
        self._last = message.id
        if message.role == "assistant":
            self.counter.answered(message.id)

    def _on_event(self, event: AgentEvent) -> None:
        if isinstance(event, UsageEvent):
            self._turn.append(event.usage)
            self._total = event.cumulative
        # The usage of a compaction that was stopped or failed is written at the end of its run.
        elif self._turn:
            self.session.usage(sum(self._turn[1:], self._turn[0]), self._total)
            self._turn.clear()
        if isinstance(event, Done) and self.counter.ended is not None:
            self.session.add_totals(self._last, self.counter.ended)


def _in_memory(messages: Sequence[Message]) -> "MemorySession":
    from zot_core.sessions.memory import MemorySession  # noqa: PLC0415  1 ms, and most sessions are in files

    return MemorySession(messages)
