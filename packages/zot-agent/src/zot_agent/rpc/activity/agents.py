"""The commands on sub-agents: `get_agents`, `get_agent_messages`, `steer_agent`, `stop_agent`."""

from typing import TYPE_CHECKING, Any, cast

from zot_agent.rpc.method import CommandField, Encoded, InvalidCommand, Method
from zot_core.event_json import encode_message

if TYPE_CHECKING:
    from zot_agent.operations.answers import MessagesInfo
    from zot_agent.operations.stored_answers import AgentEntryInfo, AgentList, ChangedAgent
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


async def get_agents(context: "CommandContext", fields: dict[str, Any]) -> "AgentList":
    """List the sub-agents."""
    return {"agents": [_fields(each) for each in await _entries(context)]}


async def get_agent_messages(context: "CommandContext", fields: dict[str, Any]) -> "Encoded[MessagesInfo]":
    """Return the conversation of a sub-agent."""
    messages = await (await _find(context, fields["agent"])).transcript()
    return Encoded(f'{{"messages":[{",".join(map(encode_message, messages))}]}}')


async def steer_agent(context: "CommandContext", fields: dict[str, Any]) -> None:
    """Add a user message to the conversation of a sub-agent."""
    entry = await _find(context, fields["agent"])
    if entry.live is None or not entry.live.steer(fields["message"]):
        raise InvalidCommand(f"agent {entry.id} has ended")


async def stop_agent(context: "CommandContext", fields: dict[str, Any]) -> "ChangedAgent":
    """Stop a sub-agent."""
    entry = await _find(context, fields["agent"])
    if entry.live is not None:
        await entry.live.end_early()
    return {"agent": _fields(await _find(context, entry.id))}


def _fields(entry: "AgentEntry") -> "AgentEntryInfo":
    left_out = ("live", "messages", "seconds")
    fields: dict[str, Any] = {name: getattr(entry, name) for name in entry.__match_args__ if name not in left_out}
    return cast("AgentEntryInfo", fields | {"seconds": round(entry.seconds, 1)})


_ID = CommandField("agent", "string", "The id of the agent.", required=True)


METHODS = (
    Method(
        "get_agents",
        get_agents,
        "List the sub-agents of the session, oldest first.",
    ),
    Method(
        "get_agent_messages",
        get_agent_messages,
        "Return the conversation of a sub-agent, as `get_messages` does.",
        (_ID,),
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
    ),
)
