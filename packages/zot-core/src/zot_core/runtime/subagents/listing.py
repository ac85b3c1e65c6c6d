"""`known_agents`: the sub-agents of a session, including agents of earlier processes."""

import asyncio

from zot_core.runtime.subagents.subagent import AgentRuntime, SubAgent
from zot_core.runtime.subagents.subagents import Subagents
from zot_core.sessions.branch import stored_children
from zot_core.sessions.file import StoredSession
from zot_provider.messages import Message
from zot_provider.record import Record

INTERRUPTED = "interrupted"
"""The end of a sub-agent whose process ended before it did."""


class AgentEntry(Record):
    """A sub-agent in a list. `end` is empty while it works, else a `RunEnd` or `INTERRUPTED`; `line` is what it
    does, or the end of its answer. `branch` and `worktree` are as in `SubagentStop`. `live` is the sub-agent itself,
    None for one of an earlier process."""

    id: str
    name: str
    task: str
    parent: str
    model: str
    end: str
    error: str
    line: str
    steps: int
    tokens: int
    cost_usd: float | None
    seconds: float
    session: str
    branch: str = ""
    worktree: str = ""
    live: SubAgent | None = None
    messages: list[Message] | None = None

    @property
    def status(self) -> str:
        words = {"": "works", "completed": "done", "aborted": "stopped", INTERRUPTED: INTERRUPTED}
        return words.get(self.end, f"failed: {self.error or self.end}")

    async def transcript(self) -> list[Message]:
        """Return its conversation. Raises `SessionError`."""
        if self.live is not None:
            return await asyncio.to_thread(self.live.messages)
        return self.messages or []


async def known_agents(runtime: AgentRuntime, agents: Subagents) -> list[AgentEntry]:
    """Return the sub-agents of the session, oldest first."""
    live = [_entry(each) for each in agents.all]
    session = runtime.session
    if session is None:
        return live
    known = {each.session for each in live}
    stored = await asyncio.to_thread(stored_children, session.path, session.meta.session_id)
    ids = {each.meta.id: _about(each).get("id", "") for _, each in stored}
    return [*(_stored_entry(path, each, ids) for path, each in stored if path not in known), *live]


def _about(stored: StoredSession) -> dict[str, str]:
    """Return what the first row of a session says of its sub-agent. Another program may have written it."""
    about = stored.meta.other.get("agent")
    return {name: str(value) for name, value in about.items()} if isinstance(about, dict) else {}


def _stored_entry(path: str, stored: StoredSession, ids: dict[str, str]) -> AgentEntry:
    about, messages, usage = _about(stored), stored.messages, stored.usage
    try:
        seconds = float(about.get("seconds", 0))
    except ValueError:
        seconds = 0.0
    return AgentEntry(
        ids[stored.meta.id], about.get("name", ""), about.get("task", ""),
        ids.get(str(stored.meta.other.get("parent")), ""), stored.meta.model, about.get("end", INTERRUPTED),
        about.get("error", ""), messages[-1].text[-200:].rpartition("\n")[2] if messages else "",
        sum(message.role == "assistant" for message in messages), usage.context, usage.shown_cost, seconds, path,
        about.get("branch", ""), about.get("worktree", ""), None, messages,
    )  # fmt: skip


def _entry(agent: SubAgent) -> AgentEntry:
    start, done = agent.start, agent.progress
    return AgentEntry(
        agent.id, start.name, start.task, start.parent, start.model, agent.end or "", done.error, done.line, done.steps,
        done.usage.context, done.usage.shown_cost, done.seconds, start.session, agent.branch, agent.folder, agent,
    )  # fmt: skip
