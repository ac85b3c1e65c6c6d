"""The table of flaws of model servers, on every wire, over real sockets."""

import pytest

from zot_provider.client.http import HttpClient
from zot_provider.client.retry import RetryPolicy
from zot_provider.errors import ProviderError
from zot_provider.events import AutoRetryStart, StreamEnd, StreamEvent
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model
from zot_provider.registry import ModelRegistry
from zot_provider.request import Request
from zot_provider.testing import FLAWS, TEXT, ScriptedServer, Turn
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
        assert events[-1].content == [TextBlock(TEXT)]
