"""The table of flaws of model servers, on every wire, over real sockets."""

import asyncio
from collections.abc import Sequence

import pytest

from zot_provider.client.http import HttpClient
from zot_provider.client.retry import RetryPolicy
from zot_provider.errors import ProviderError
from zot_provider.events import AutoRetryStart, StreamEnd, StreamEvent, TextDelta
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock
from zot_provider.model import Model
from zot_provider.registry import ModelRegistry
from zot_provider.request import Request
from zot_provider.testing import FLAWS, TEXT, Call, Delivery, Fault, ScriptedServer, Turn
from zot_provider.transport.http import HttpLimits, HttpTransport

PROVIDERS = ["anthropic", "openai", "openai-responses", "google", "amazon-bedrock"]
POLICY = RetryPolicy(retries=5, delay=0.001, jitter=0.0, longest_wait=0.1)
WAITS = {"silence": 0.5}
"""Seconds without a byte after which a flaw whose name begins so is noticed."""


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        (provider, name)
        for provider in PROVIDERS
        for name, flaw in FLAWS.items()
        if not flaw.wires or ModelRegistry().provider(provider).wire in flaw.wires
    ],
)
async def test_each_flaw_of_a_server_is_an_answer_a_retry_or_an_error_in_words(provider: str, name: str) -> None:
    flaw, found = FLAWS[name], ModelRegistry().provider(provider)
    asked = Request(Model("m", "v"), [Message("user", [TextBlock("hi")])])
    read = next((seconds for words, seconds in WAITS.items() if name.startswith(words)), 60.0)
    events: list[StreamEvent] = []
    error = ""
    with ScriptedServer([flaw.turn, *[Turn(TEXT)] * 5]) as server:
        transport = HttpTransport(HttpLimits(read=read, grace=0.05))
        client = HttpClient(
            found, key="sk-0123456789", base_url=server.base_url(found.wire), transport=transport, retries=POLICY
        )
        try:
            async for batch in client.stream(asked):
                events += batch
        except ProviderError as failure:
            error = str(failure)
        finally:
            await client.close()
        requests = len(server.requests)
    retries = [event for event in events if isinstance(event, AutoRetryStart)]
    outcome = "error" if error else "retry" if retries else "answer"
    assert (outcome, error) == (flaw.outcome, error)
    assert requests == len(retries) + 1
    if error:
        assert error.startswith(f"{provider}: ")
        assert flaw.words in error
    else:
        assert isinstance(events[-1], StreamEnd)
        assert [block for block in events[-1].content if not isinstance(block, ReasoningBlock)] == [TextBlock(TEXT)]
        counts = events[events.index(retries[-1]) if retries else 0 :]
        assert "".join(event.delta for event in counts if isinstance(event, TextDelta)) == TEXT


async def last_event(server: ScriptedServer, provider: str) -> StreamEnd:
    """Ask the server once, and return the end of its answer."""
    found = ModelRegistry().provider(provider)
    client = HttpClient(found, key="sk-0123456789", base_url=server.base_url(found.wire))
    async for batch in client.stream(Request(Model("m", "v"), [Message("user", [TextBlock("hi")])])):
        end = batch[-1]
    await client.close()
    assert isinstance(end, StreamEnd)
    return end


async def test_a_server_that_says_in_each_piece_that_the_model_has_stopped_is_heard_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def piece(text: str) -> bytes:
        return b'data: {"choices": [{"delta": {"content": "%b"}, "finish_reason": "stop"}]}\n\n' % text.encode()

    loop = asyncio.get_running_loop()
    real, later = loop.time, 0.0
    monkeypatch.setattr(loop, "time", lambda: real() + later)
    held = Fault(after=0, garbage=piece("one") + piece(" two"), pause=0.01)
    found = ModelRegistry().provider("openai")
    batches: list[Sequence[StreamEvent]] = []
    with ScriptedServer([Turn(" three", chunk=1, delay=0.01, fault=held)]) as server:
        transport = HttpTransport(HttpLimits(read=1e6, grace=30.0))
        client = HttpClient(found, key="k", base_url=server.base_url(found.wire), transport=transport)
        async for batch in client.stream(Request(Model("m", "v"), [Message("user", [TextBlock("hi")])])):
            batches.append(batch)
            later += 25.0
        await client.close()
    end = batches[-1][-1]
    assert isinstance(end, StreamEnd)
    assert end.content == [TextBlock("one two three")]


@pytest.mark.parametrize("usage", ["none", [1], {"prompt_tokens_details": [2], "completion_tokens_details": "x"}])
async def test_an_odd_usage_costs_only_the_counts(usage: object) -> None:
    body = {"choices": [{"message": {"content": TEXT}, "finish_reason": "stop"}], "usage": usage}
    with ScriptedServer([Turn(fault=Fault(status=200, body=body))]) as server:
        end = await last_event(server, "openai")
    assert end.content == [TextBlock(TEXT)]


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_call_of_a_tool_arrives_without_a_stream_too(provider: str) -> None:
    turn = Turn("I look.", calls=[Call("read", {"path": "a"})], delivery=Delivery(stream=False))
    with ScriptedServer([turn]) as server:
        end = await last_event(server, provider)
    assert end.stop == "tool_use"
    text, call = end.content
    assert (text, isinstance(call, ToolCallBlock) and (call.name, call.arguments)) == (
        TextBlock("I look."), ("read", '{"path": "a"}')
    )  # fmt: skip
