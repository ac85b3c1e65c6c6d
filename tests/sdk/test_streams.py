"""The vendors' SDKs read from the scripted server what the script says."""

import json
from typing import Literal

import pytest
from hypothesis import example, given, settings
from vendor_clients import CLIENTS, ERRORS, KEY, Heard, refusal

from wire_cases import CONVERSATIONS
from wire_cases.strategies import TURNS, as_sent
from zot_provider.errors import ModelError
from zot_provider.testing import Call, Delivery, Fault, ScriptedServer, Turn
from zot_provider.testing.render import render
from zot_provider.usage import Usage
from zot_provider.wire import WIRES, load_wire
from zot_provider.wire.base import Quirks

BODIES = {
    wire: load_wire(wire).encode(CONVERSATIONS["a history with holes"], Quirks(reasoning_field="")) for wire in CLIENTS
}
FULL = Turn(
    "Hello,\u2028world\x85",
    reasoning="Hm.\r\n",
    calls=[Call("read", {"path": "ä"}, "call_1"), Call("list", "{oops", "call_2")],
    usage=Usage(1, 2, 3, 4, reasoning=2),
)


async def heard_from(wire: str, turn: Turn) -> Heard:
    with ScriptedServer([turn], key=KEY) as server:
        return await CLIENTS[wire].listen(server, wire, BODIES[wire])


def test_each_wire_is_read_with_an_sdk() -> None:
    assert set(CLIENTS) == set(WIRES)


@pytest.mark.parametrize("wire", CLIENTS)
@settings(max_examples=10)
@example(turn=FULL)
@given(turn=TURNS)
async def test_the_vendors_client_reads_what_the_script_says(wire: str, turn: Turn) -> None:
    assert await heard_from(wire, turn) == CLIENTS[wire].scripted(as_sent(turn, wire))


@pytest.mark.parametrize("wire", [wire for wire, vendor in CLIENTS.items() if vendor.follow])
async def test_the_vendors_helper_builds_the_answer_from_the_events(wire: str) -> None:
    turn = FULL.replace(calls=FULL.calls[:1])  # the helpers parse the arguments
    body = {name: value for name, value in BODIES[wire].items() if name != "stream"}
    with ScriptedServer([turn]) as server:
        async with CLIENTS[wire].opened(server.base_url(wire)) as client:
            heard = await CLIENTS[wire].follow(client, body)
    expected = CLIENTS[wire].scripted(as_sent(turn, wire))
    calls = [[id, name, json.loads(arguments)] for id, name, arguments in heard.calls]
    assert calls == [[call.id, call.name, call.args] for call in turn.calls]
    assert heard.replace(calls=[]) == expected.replace(calls=[], stop=None, usage=Usage())


@pytest.mark.parametrize("framing", ["chunked", "close"])
@pytest.mark.parametrize("writes", ["batch", "whole", "byte"])
@pytest.mark.parametrize("wire", CLIENTS)
async def test_the_vendors_client_reads_the_same_however_it_is_written(
    wire: str, writes: Literal["batch", "whole", "byte"], framing: Literal["chunked", "close"]
) -> None:
    turn = FULL.replace(delivery=Delivery(writes=writes, framing=framing))
    assert await heard_from(wire, turn) == CLIENTS[wire].scripted(as_sent(turn, wire))


@pytest.mark.parametrize("wire", CLIENTS)
async def test_the_vendors_client_sends_what_zot_sends(wire: str) -> None:
    with ScriptedServer(["hi"]) as server:
        await CLIENTS[wire].listen(server, wire, BODIES[wire])
    assert server.requests[0].body == BODIES[wire]


@pytest.mark.parametrize("code", ["rate_limit", "overloaded"])
@pytest.mark.parametrize("wire", CLIENTS)
async def test_a_failure_within_the_stream_reaches_the_vendors_client(wire: str, code: str) -> None:
    failure = ModelError("the model failed", code=CODES[wire][code], message="too many")
    heard = await heard_from(wire, Turn("Hello", error=failure))
    assert (heard.text, heard.failure) == ("Hello", (CODES[wire][code], "too many"))
    check_events(wire, Turn("Hello", error=failure))


@pytest.mark.parametrize("wire", CLIENTS)
@given(turn=TURNS)
def test_every_event_is_what_the_vendor_describes(wire: str, turn: Turn) -> None:
    check_events(wire, turn)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 429, 500, 503, 504, 529])
@pytest.mark.parametrize("wire", CLIENTS)
async def test_a_refusal_is_what_the_vendor_describes(wire: str, status: int) -> None:
    vendor = CLIENTS[wire]
    with ScriptedServer([Turn(fault=Fault(status=status))]) as server:
        async with vendor.opened(server.base_url(wire)) as client:
            with pytest.raises(ERRORS) as caught:
                await vendor.read(client, BODIES[wire], Heard())
    said = refusal(caught.value)
    assert said.status == status
    vendor.refusal(said.body)


@pytest.mark.parametrize(
    ("wire", "key"),
    [*((wire, {"api_key": KEY}) for wire in CLIENTS), ("anthropic-messages", {"auth_token": KEY})],
)
async def test_the_key_of_the_vendors_client_opens_the_server_and_another_does_not(
    wire: str, key: dict[str, str]
) -> None:
    vendor = CLIENTS[wire]
    with ScriptedServer(["hi"], key=KEY) as server:
        async with vendor.opened(server.base_url(wire), **dict.fromkeys(key, "another")) as client:
            with pytest.raises(ERRORS) as caught:
                await vendor.read(client, BODIES[wire], Heard())
            assert refusal(caught.value).status == 401
        heard = Heard()
        async with vendor.opened(server.base_url(wire), **key) as client:
            await vendor.read(client, BODIES[wire], heard)
    assert heard.text == "hi"


@pytest.mark.parametrize("wire", [wire for wire, vendor in CLIENTS.items() if vendor.lists])
async def test_the_vendors_client_lists_the_models(wire: str) -> None:
    with ScriptedServer(models=["one", "two"]) as server:
        async with CLIENTS[wire].opened(server.base_url(wire)) as client:
            models = [model async for model in await client.models.list()]
    named = [model.id if hasattr(model, "id") else model.name.removeprefix("models/") for model in models]
    assert named == ["one", "two"]
    for model in models:
        type(model).model_validate(model.model_dump())  # the client itself does not notice a field that is missing


CODES = {
    "anthropic-messages": {"rate_limit": "rate_limit_error", "overloaded": "overloaded_error"},
    "bedrock-converse": {"rate_limit": "throttlingException", "overloaded": "serviceUnavailableException"},
    "gemini": {"rate_limit": "RESOURCE_EXHAUSTED", "overloaded": "UNAVAILABLE"},
    "openai-chat": {"rate_limit": "rate_limit_exceeded", "overloaded": "server_error"},
    "openai-responses": {"rate_limit": "rate_limit_exceeded", "overloaded": "server_error"},
}
"""The words of each vendor for failures."""


def check_events(wire: str, turn: Turn) -> None:
    vendor = CLIENTS[wire]
    for event in render(turn, wire):
        if (value := vendor.event(event)) is not None:
            vendor.events(value)
