"""`Recorder`: writes an agent's messages and usage to its session file as they happen."""

from zot_core.events import AgentEvent, CompactDone, Done, TurnEnd, UsageEvent
from zot_core.hooks import Hooks
from zot_core.sessions.file import SessionFile
from zot_provider.usage import Usage


class Recorder:
    """Writes to `session`, which may be replaced between runs. A message is on disk before its event is emitted."""

    def __init__(self, hooks: Hooks, session: SessionFile) -> None:
        self.session = session
        self._turn: list[Usage] = []
        self._total = Usage()
        hooks.message.add(lambda message: self.session.append(message))
        hooks.compacted.add(lambda compacted: self.session.compact(compacted.summary, compacted.kept))
        hooks.event.add(self._on_event)

    def _on_event(self, event: AgentEvent) -> None:
        if isinstance(event, UsageEvent):
            self._turn.append(event.usage)
            self._total = event.cumulative
        # The usage of a compaction that was stopped or failed is written at the end of its run.
        elif isinstance(event, TurnEnd | CompactDone | Done) and self._turn:
            self.session.usage(sum(self._turn[1:], self._turn[0]), self._total)
            self._turn.clear()
