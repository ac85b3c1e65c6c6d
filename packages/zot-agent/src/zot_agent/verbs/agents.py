"""The operations on sub-agents."""

from typing import TYPE_CHECKING, Any, cast

from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.operation import Encoded, operation
from zot_agent.verbs.prompts import MessageText
from zot_core.event_json import encode_message
from zot_core.runtime.subagents.listing import AgentEntry, known_agents
from zot_core.runtime.subagents.subagents import unknown_agent

if TYPE_CHECKING:
    from zot_ext.protocol.agent_answers import AgentEntryInfo, AgentList, ChangedAgent, MessagesInfo


@operation("agents.list", group="control", scope="watch", needs=("conversation",))
async def list_agents(caller: OperationCaller) -> "AgentList":
    """List the sub-agents of the session, oldest first."""
    return {"agents": [_fields(each) for each in await _entries(caller)]}


@operation("agents.messages", group="control", scope="watch", needs=("conversation",))
async def messages(caller: OperationCaller, agent: str) -> "Encoded[MessagesInfo]":
    """Return the conversation of a sub-agent, as `prompts.messages` does.

    agent: The id of the agent.
    """
    found = await (await _find(caller, agent)).transcript()
    return Encoded(f'{{"messages":[{",".join(map(encode_message, found))}]}}')


@operation("agents.steer", group="control", scope="drive", needs=("conversation", "submit"))
async def steer(caller: OperationCaller, agent: str, message: MessageText) -> None:
    """Add a user message to the conversation of a sub-agent, before its next model call.

    agent: The id of the agent.
    message: The message.
    """
    entry = await _find(caller, agent)
    if entry.live is None or not entry.live.steer(message):
        raise OperationFailed("unavailable", f"agent {entry.id} has ended")


@operation("agents.stop", group="control", scope="drive", needs=("conversation",))
async def stop(caller: OperationCaller, agent: str) -> "ChangedAgent":
    """Stop a sub-agent and its own. The event `subagent_stop` comes before the response.

    agent: The id of the agent.
    """
    entry = await _find(caller, agent)
    if entry.live is not None:
        await entry.live.end_early()
    return {"agent": _fields(await _find(caller, entry.id))}


async def _entries(caller: OperationCaller) -> list[AgentEntry]:
    runtime = caller.conversation.runtime
    return await known_agents(runtime, runtime.agents)


async def _find(caller: OperationCaller, id: str) -> AgentEntry:
    entries = await _entries(caller)
    found = next((each for each in entries if each.id == id), None)
    if found is None:
        raise unknown_agent(id, [each.id for each in entries])
    return found


def _fields(entry: AgentEntry) -> "AgentEntryInfo":
    left_out = ("live", "messages", "seconds")
    fields: dict[str, Any] = {name: getattr(entry, name) for name in entry.__match_args__ if name not in left_out}
    return cast("AgentEntryInfo", fields | {"seconds": round(entry.seconds, 1)})
