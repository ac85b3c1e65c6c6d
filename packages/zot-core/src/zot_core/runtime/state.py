"""`RuntimeState`: a snapshot of a `Runtime`."""

from zot_core.agent import Agent
from zot_provider.record import Record
from zot_provider.request import Reasoning
from zot_provider.usage import Usage


class RuntimeState(Record):
    """A snapshot of a runtime. `model` is empty until the server has named its model, `session_id` without a session
    file. `queued` is the number of messages in the inbox."""

    provider: str
    model: str
    cwd: str
    message_count: int
    busy: bool
    usage: Usage
    reasoning: Reasoning
    session_id: str
    queued: int

    @classmethod
    def of(cls, agent: Agent, cwd: str, session_id: str) -> "RuntimeState":
        """Return the state of an agent that works in `cwd`."""
        model = agent.model
        return cls(
            model.provider, model.id, cwd, len(agent.history), agent.busy, agent.usage, agent.reasoning, session_id,
            len(agent.inbox),
        )  # fmt: skip
