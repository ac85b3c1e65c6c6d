"""The commands on sub-agents: `get_agents`, `get_agent_messages`, `steer_agent`, `stop_agent`."""

from typing import TYPE_CHECKING, Any

from zot_agent.rpc.method import Answer, CommandField, InvalidCommand, Method
from zot_core.event_json import encode_message

if TYPE_CHECKING:
    from zot_agent.rpc.context import CommandContext
    from zot_core.runtime.subagents.listing import AgentEntry


async def _entries(context: "CommandContext") -> "list[AgentEntry]":
    from zot_core.runtime.subagents.listing import known_agents  # noqa: PLC0415  many conversations have none

    return await known_agents(context.runtime, context.runtime.agents)


async def _find(context: "CommandContext", id: str) -> "AgentEntry":
    entries = await _entries(context)
    found = next((each for each in entries if each.id == id), None)
    if found is None:
        known = ", ".join(each.id for each in entries)
        raise InvalidCommand(f"there is no agent {id!r}; the agents are: {known or 'none'}")
    return found


async def get_agents(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """List the sub-agents."""
    return {"agents": [_fields(each) for each in await _entries(context)]}


async def get_agent_messages(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Return the conversation of a sub-agent."""
    messages = await (await _find(context, fields["agent"])).transcript()
    return f'{{"messages":[{",".join(map(encode_message, messages))}]}}'


async def steer_agent(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Add a user message to the conversation of a sub-agent."""
    entry = await _find(context, fields["agent"])
    if entry.live is None or not entry.live.steer(fields["message"]):
        raise InvalidCommand(f"agent {entry.id} has ended")
    return None


async def stop_agent(context: "CommandContext", fields: dict[str, Any]) -> Answer:
    """Stop a sub-agent."""
    entry = await _find(context, fields["agent"])
    if entry.live is not None:
        await entry.live.end_early()
    return {"agent": _fields(await _find(context, entry.id))}


def _fields(entry: "AgentEntry") -> dict[str, Any]:
    left_out = ("live", "messages", "seconds")
    fields: dict[str, Any] = {name: getattr(entry, name) for name in entry.__match_args__ if name not in left_out}
    return fields | {"seconds": round(entry.seconds, 1)}


_ID = CommandField("agent", "string", "The id of the agent.", required=True)

_AGENT = (
    '{"id": "1", "name": "explore", "task": "Which tests are slow?", "parent": "", "model": "claude-sonnet-4-5", '
    '"end": "", "error": "", "line": "read: tests/test_a.py", "steps": 3, "tokens": 5120, "cost_usd": null, '
    '"session": "/home/me/.zot/sessions/ab/agents/cd/20260419-113000-ef.jsonl", "branch": "",'
    ' "worktree": "", "seconds": 12.5}'
)

METHODS = (
    Method(
        "get_agents",
        get_agents,
        "List the sub-agents of the session, oldest first. `end` is empty while an agent works, else as the `reason` "
        "of `done`, or interrupted if its process ended first; `line` is what it does, or the end of its answer, "
        "`parent` is the agent that started it, empty for the agent itself.",
        (),
        f'{{"agents": [{_AGENT}]}}',
    ),
    Method(
        "get_agent_messages",
        get_agent_messages,
        "Return the conversation of a sub-agent, as `get_messages` does.",
        (_ID,),
        '{"messages": [{"role": "user", "content": [{"type": "text", "text": "Which tests are slow?"}], '
        '"time": "2026-04-19T11:30:00.000Z"}]}',
    ),
    Method(
        "steer_agent",
        steer_agent,
        "Add a user message to the conversation of a sub-agent, before its next model call.",
        (_ID, CommandField("message", "string", "The message.", required=True)),
    ),
    Method(
        "stop_agent",
        stop_agent,
        "Stop a sub-agent and its own. The event `subagent_stop` comes before the response.",
        (_ID,),
        f'{{"agent": {_AGENT}}}',
    ),
)
