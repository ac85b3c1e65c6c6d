"""Calls about the tools of the agent."""

from typing import TYPE_CHECKING

from zot_agent.extensions.calls.call import CallFailed, ExtensionCall
from zot_agent.extensions.tools import ExtensionTool

if TYPE_CHECKING:
    from zot_ext.protocol.answers import KnownTools, NameList


def list(call: ExtensionCall) -> "KnownTools":
    agent = call.conversation.runtime.agent
    active, deferred = call.services.tools.active(), agent.deferred()
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


def active(call: ExtensionCall) -> "NameList":
    return {"names": call.services.tools.active()}


def set_active(call: ExtensionCall) -> "NameList":
    """Choose the active tools."""
    names, known = call.params["names"], call.conversation.runtime.agent.tools
    unknown = [each for each in names if not isinstance(each, str) or each not in known]
    if unknown:
        raise CallFailed("invalid", f"there is no tool {unknown[0]!r}; there are {', '.join(sorted(known))}")
    call.services.tools.choose(call.extension, names)
    return {"names": call.services.tools.active()}
