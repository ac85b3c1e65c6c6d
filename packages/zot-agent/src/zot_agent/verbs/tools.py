"""The operations on the tools of the agent."""

from typing import TYPE_CHECKING

from zot_agent.extensions.tools import AgentTools, ExtensionTool
from zot_agent.host.host import Host
from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.operation import operation
from zot_provider.errors import UnknownName

if TYPE_CHECKING:
    from zot_ext.protocol.agent_answers import KnownTools
    from zot_ext.protocol.answers import NameList


@operation("tools.list", group="tools2", scope="watch")
def list_tools(caller: OperationCaller) -> "KnownTools":
    """List the tools of the agent."""
    agent = caller.conversation.runtime.agent
    active, deferred = _tools(caller).active(), agent.tools.deferred
    return {
        "tools": [
            {
                "name": name,
                "description": tool.description,
                "schema": tool.schema,
                "source": tool.extension if isinstance(tool, ExtensionTool) else "zot",
                "active": name in active,
                "deferred": name in deferred,
            }
            for name, tool in sorted(agent.tools.items())
        ]
    }


@operation("tools.active", group="tools2", scope="watch")
def active(caller: OperationCaller) -> "NameList":
    """Name the tools that the model may call."""
    return {"names": _tools(caller).active()}


@operation("tools.set_active", group="tools2", scope="extension")
def set_active(caller: OperationCaller, names: list[str]) -> "NameList":
    """Take all other tools from the model, from its next request on, until the extension ends. Tools that are
    registered later are active. What another extension has taken away stays away.

    names: Names of tools.
    """
    tools, known = caller.of_extension().services.tools, caller.conversation.runtime.agent.tools
    if unknown := next((each for each in names if each not in known), None):
        raise UnknownName.among("tool", unknown, sorted(known))
    tools.choose(caller.name, names)
    return {"names": tools.active()}


@operation("tools.set", scope="drive")
def set_tools(caller: OperationCaller, tools: list[str]) -> "NameList":
    """Set the built-in tools of the model; tools of extensions stay. The answer names all that it may call. Refused
    while busy.

    tools: The names; an empty list for no built-in tool.
    """
    caller.conversation.set_tools(tools)
    return active(caller)


def _tools(caller: OperationCaller) -> AgentTools:
    if caller.extension is not None:
        return caller.extension.services.tools
    if isinstance(caller.host, Host) and caller.host.extensions is not None:
        return caller.host.extensions.agent_tools
    return AgentTools(agent=caller.conversation.runtime.agent)
