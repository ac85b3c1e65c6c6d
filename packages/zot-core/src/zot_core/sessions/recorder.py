"""Writes an agent's messages and usage into its session as they happen."""

from zot_core.events import AgentEvent, CompactDone, Done, TurnEnd, UsageUpdate
from zot_core.hooks import Hooks
from zot_core.sessions.file import SessionFile
from zot_provider.usage import Usage


def record_session(hooks: Hooks, session: SessionFile) -> None:
    """Attach `session` to the agent of these hooks. A message is on disk before its event is told."""
    turn: list[Usage] = []
    total: list[Usage] = [Usage()]

    def on_event(event: AgentEvent) -> None:
        if isinstance(event, UsageUpdate):
            turn.append(event.usage)
            total[0] = event.cumulative
        # What a compaction took that was stopped or failed is written at the end of its run.
        elif isinstance(event, TurnEnd | CompactDone | Done) and turn:
            session.usage(sum(turn[1:], turn[0]), total[0])
            turn.clear()

    hooks.message.add(session.append)
    hooks.compacted.add(lambda compacted: session.compact(compacted.summary, compacted.kept))
    hooks.event.add(on_event)
