"""Tools that a server refuses, over real sockets."""

import json
from typing import Any

import pytest

from zot_core import Runtime
from zot_core.agent.refused_tools import refused_tool
from zot_core.events import AgentEvent, Notice
from zot_provider.testing import Fault, ScriptedServer, Turn

NAMES = ["read", "mcp__q__plain", "mcp__q__either"]
MESSAGES = {
    "tools.2.custom.input_schema: input_schema does not support oneOf at the top level": "mcp__q__either",
    "Invalid 'tools[1].function.name': string does not match pattern": "mcp__q__plain",
    "Invalid schema for function 'mcp__q__either': [] is too short": "mcp__q__either",
    "* GenerateContentRequest.tools[0].function_declarations[2].parameters_json_schema: too deep": "mcp__q__either",
    "The value at toolConfig.tools.1.toolSpec.inputSchema is invalid": "mcp__q__plain",
    "tools.7.custom.name: too long": "",
    "Unknown parameter: 'read'": "",
    "the tools 'read' and 'mcp__q__plain' clash": "",
    "max_tokens is too large": "",
}


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_names_a_tool_by_its_place_or_its_name(message: str) -> None:
    assert refused_tool(message, NAMES) == MESSAGES[message]


@pytest.mark.parametrize(("provider", "wire"), [("anthropic", "anthropic-messages"), ("openai", "openai-chat")])
async def test_the_next_try_goes_without_the_refused_tool_and_a_note_names_it(provider: str, wire: str) -> None:
    def answer(request: Any) -> Turn:
        names = [tool.get("name") or tool["function"]["name"] for tool in request.body["tools"]]
        if "grep" not in names:
            return Turn("fine")
        message = f"tools.{names.index('grep')}.custom.input_schema: JSON schema is invalid"
        return Turn(fault=Fault(status=400, body={"error": {"message": message}}))

    with ScriptedServer([answer] * 3) as server:
        async with Runtime(f"{provider}/m", api_key="k", base_url=server.base_url(wire)) as rt:
            events: list[AgentEvent] = []
            rt.hooks.event.add(events.append)
            assert str(await rt.ask("look")) == "fine"
            assert str(await rt.ask("again")) == "fine"
        assert ["grep" in json.dumps(request.body["tools"]) for request in server.requests] == [True, False, False]
    (notice,) = [event for event in events if isinstance(event, Notice)]
    assert notice.message.startswith("the tool grep was refused; the model continues without it: ")


async def test_a_refusal_that_names_no_tool_is_an_error_as_before() -> None:
    fault = Turn(fault=Fault(status=400, body={"error": {"message": "max_tokens is too large"}}))
    with ScriptedServer([fault]) as server:
        async with Runtime("openai/m", api_key="k", base_url=server.base_url("openai-chat")) as rt:
            with pytest.raises(Exception, match="max_tokens is too large"):
                await rt.ask("look")
        assert len(server.requests) == 1
