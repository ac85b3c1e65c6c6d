import asyncio
import sys
import time
from collections.abc import Sequence
from typing import Any

import pytest
from waiting import PATIENCE

from zot_provider.client.http import HttpClient
from zot_provider.client.retry import RetryPolicy
from zot_provider.errors import (
    ConfigError,
    ConnectError,
    MissingKey,
    ModelError,
    ProtocolError,
    ProviderError,
    ResponseTimeout,
    StatusError,
)
from zot_provider.events import (
    ReasoningDelta,
    StreamEnd,
    StreamEvent,
    TextDelta,
    ToolUseArgs,
    ToolUseEnd,
    ToolUseStart,
    join_deltas,
)
from zot_provider.messages import Message, TextBlock
from zot_provider.model import Model
from zot_provider.providers import PROVIDERS
from zot_provider.registry import ModelRegistry
from zot_provider.request import Request
from zot_provider.testing import Delivery, Fault, ScriptedServer, Turn
from zot_provider.transport.http import HttpLimits, HttpTransport

KEY = "sk-0123456789"
WIRED = [provider for provider in PROVIDERS if provider.id in ("anthropic", "openai", "openai-responses", "local")]


def request(text: str = "hi", model: str = "m") -> Request:
    return Request(Model(model, "v"), [Message("user", [TextBlock(text)], "")])


def client(
    server: ScriptedServer, provider: str = "openai", limits: HttpLimits | None = None, **options: Any
) -> HttpClient:
    found = ModelRegistry().provider(provider)
    base = {"base_url": server.base_url(found.wire), "key": KEY, "retries": RetryPolicy(retries=0)} | options
    return HttpClient(found, transport=HttpTransport(limits), **base)


async def answer(asked: HttpClient, given: Request | None = None) -> list[Sequence[StreamEvent]]:
    try:
        return [batch async for batch in asked.stream(given or request())]
    finally:
        await asked.close()


async def test_a_batch_holds_the_events_of_one_read() -> None:
    with ScriptedServer([Turn("one two three", chunk=4, delivery=Delivery(writes="whole"))]) as server:
        batches = await answer(client(server))
    assert all(batches)
    assert len(batches) <= 2
    last = batches[-1][-1]
    assert isinstance(last, StreamEnd)
    assert last.content == [TextBlock("one two three")]


async def test_nothing_of_an_answer_is_left_for_the_event_loop_to_close() -> None:
    before, left = sys.get_asyncgen_hooks(), []
    sys.set_asyncgen_hooks(finalizer=left.append)
    try:
        with ScriptedServer([Turn("one two three", chunk=4)]) as server:
            await answer(client(server))
    finally:
        sys.set_asyncgen_hooks(*before)
    assert left == []


async def test_a_client_that_collects_data_joins_the_deltas_of_a_read() -> None:
    with ScriptedServer([Turn("one two three", chunk=4, delivery=Delivery(writes="whole"))]) as server:
        batches = await answer(client(server, limits=HttpLimits(coalesce_seconds=0.001)))
    deltas = [event.delta for batch in batches for event in batch if isinstance(event, TextDelta)]
    assert "".join(deltas) == "one two three"
    assert len(deltas) <= len(batches)


def test_adjacent_deltas_of_one_kind_and_call_are_joined() -> None:
    events: list[StreamEvent] = [
        *(ReasoningDelta("a"), ReasoningDelta("b"), TextDelta("c"), ToolUseStart("1", "x"), ToolUseStart("2", "y")),
        *(ToolUseArgs("1", "{"), ToolUseArgs("1", "}"), ToolUseArgs("2", "{}"), ToolUseEnd("1"), TextDelta("d")),
    ]
    assert join_deltas(events) == [
        *(ReasoningDelta("ab"), TextDelta("c"), ToolUseStart("1", "x"), ToolUseStart("2", "y")),
        *(ToolUseArgs("1", "{}"), ToolUseArgs("2", "{}"), ToolUseEnd("1"), TextDelta("d")),
    ]


@pytest.mark.parametrize("provider", [provider.id for provider in WIRED])
async def test_steps_share_one_connection(provider: str) -> None:
    ports = set()

    def watch(received: Any) -> Turn:
        ports.add(received.headers["host"])
        return Turn("ok")

    with ScriptedServer([watch] * 3, key=KEY) as server:
        asked = client(server, provider)
        for _ in range(3):
            async for _ in asked.stream(request()):
                pass
        assert len(server._listener._connections) == 1
        await asked.close()
    assert len(ports) == 1


async def test_text_that_utf8_cannot_hold_is_replaced() -> None:
    with ScriptedServer(["ok"]) as server:
        await answer(client(server), request("a\ud800b"))
        assert server.requests[0].body["messages"][-1]["content"] == "a\ufffdb"


@pytest.mark.parametrize("stop", ["break", "cancel"])
async def test_giving_up_closes_the_connection_at_once(stop: str) -> None:
    with ScriptedServer([Turn("word " * 50_000, chunk=5, delay=0.02)]) as server:
        asked = client(server)

        async def read() -> None:
            stream = asked.stream(request())
            try:
                async for _ in stream:
                    if stop == "break":
                        break
                    begun.set()
            finally:
                await stream.aclose()

        begun = asyncio.Event()
        task = asyncio.get_running_loop().create_task(read())
        if stop == "cancel":
            await asyncio.wait_for(begun.wait(), PATIENCE)
            task.cancel()
        await asyncio.wait([task])
        await asyncio.to_thread(server.wait_idle, PATIENCE)
        assert server.requests[0].closed_early
        await asked.close()


async def test_a_failure_in_the_stream_is_raised_although_the_server_keeps_the_line_open() -> None:
    reported = b'data: {"error": {"message": "no more"}}\n\n'
    slow = Turn("word " * 2000, chunk=5, delay=0.5, fault=Fault(after=2, garbage=reported))
    at_once = Turn("Once", error=ModelError("no more"), delivery=Delivery(writes="whole"))
    for turn in (at_once, slow):
        began = time.monotonic()
        with ScriptedServer([turn]) as server, pytest.raises(ModelError, match=r"openai: .*no more"):
            await answer(client(server))
        assert time.monotonic() - began < PATIENCE


async def test_a_stalled_server_is_a_timeout() -> None:
    stalled = Turn(fault=Fault(stall=5.0))
    with ScriptedServer([stalled]) as server, pytest.raises(ResponseTimeout, match=r"openai: .* stopped answering"):
        await answer(client(server, limits=HttpLimits(read=0.1)))


async def test_an_answer_that_is_no_stream_at_all() -> None:
    turn = Turn(fault=Fault(status=200, body="Ollama is running"))
    with ScriptedServer([turn]) as server, pytest.raises(ProtocolError, match="not an event stream"):
        await answer(client(server))


async def test_a_refused_key_is_not_in_the_error_that_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    body = {"error": {"message": f"Incorrect API key provided: {KEY}"}}
    with ScriptedServer([Turn(fault=Fault(status=401, body=body))]) as server, pytest.raises(StatusError) as caught:
        await answer(client(server))
    assert str(caught.value) == (
        "openai: the server answered 401 Unauthorized: Incorrect API key provided: ***; "
        "check the API key (OPENAI_API_KEY)"
    )


async def test_advice_follows_what_a_server_has_said_without_a_second_stop() -> None:
    body = {"error": {"message": "No key. See https://example.com/api-keys."}}
    with ScriptedServer([Turn(fault=Fault(status=401, body=body))]) as server, pytest.raises(StatusError) as caught:
        await answer(client(server))
    assert str(caught.value).endswith("See https://example.com/api-keys; check the API key that was given")


async def test_a_404_names_the_url_and_the_usual_form_of_a_base_url() -> None:
    with ScriptedServer() as server:
        base = server.url.replace("//", "//me:secret@")
        with pytest.raises(StatusError) as caught:
            await answer(client(server, base_url=base))
    assert f"; asked {server_url(base)}/chat/completions for model 'm'; a base URL of this kind" in str(caught.value)


def server_url(base: str) -> str:
    return base.replace("me:secret@", "")


async def test_the_models_of_a_server() -> None:
    async def listed(asked: HttpClient) -> list[str]:
        try:
            return await asked.models()
        finally:
            await asked.close()

    with ScriptedServer(models=["a", "b"], key=KEY) as server:
        for provider in ("local", "anthropic"):
            assert await listed(client(server, provider)) == ["a", "b"]
        with pytest.raises(StatusError, match=r"local: .* 401 .*; check the API key that was given"):
            await listed(client(server, "local", key="wrong"))
        with pytest.raises(StatusError, match=r"; pass an API key$"):
            await listed(client(server, "local", key=""))
        server.models.clear()
        with pytest.raises(ProtocolError, match="has no model loaded"):
            await listed(client(server, "local"))


def test_a_client_without_a_key_or_address_is_refused() -> None:
    openai, local = ModelRegistry().provider("openai"), ModelRegistry().provider("local")
    with pytest.raises(MissingKey, match="set OPENAI_API_KEY, or pass a key"):
        HttpClient(openai)
    for key in ("sk-ünï", "sk with space", "sk\n", "sk\x00"):
        with pytest.raises(ConfigError, match="holds spaces or unusual characters") as caught:
            HttpClient(openai, key=key)
        assert key not in str(caught.value)
    with pytest.raises(ConfigError, match="local has no default address"):
        HttpClient(local)
    with pytest.raises(ConfigError, match="must begin with http://"):
        HttpClient(local, base_url="localhost/v1")


async def test_an_answer_without_end_is_cut_off() -> None:
    with ScriptedServer([Turn("x" * 200_000, chunk=1000)]) as server, pytest.raises(ProtocolError, match="cut off"):
        await answer(client(server, limits=HttpLimits(answer=100_000)))


async def test_a_refused_key_that_came_from_elsewhere_is_not_looked_for_in_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    with ScriptedServer(key="right") as server, pytest.raises(StatusError) as caught:
        await answer(client(server))
    assert str(caught.value).endswith("; check the API key that was given")


@pytest.mark.parametrize("key", ["server", "refused", "check"])
async def test_a_key_that_is_a_word_is_not_redacted_in_zots_own_text(key: str) -> None:
    refused = "openai: cannot connect to http://127.0.0.1:1/chat/completions: connection refused; "
    with pytest.raises(ConnectError) as caught:
        await answer(HttpClient(ModelRegistry().provider("openai"), key=key, base_url="http://127.0.0.1:1"))
    assert str(caught.value) == refused + "is the server running there?"
    body = {"error": {"message": f"no {key} here"}}
    with ScriptedServer([Turn(fault=Fault(status=401, body=body))]) as server, pytest.raises(StatusError) as denied:
        await answer(client(server, key=key))
    assert str(denied.value) == (
        "openai: the server answered 401 Unauthorized: no *** here; check the API key that was given"
    )


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=400, body={"error": {"message": f"{KEY}, or  {KEY}?"}}),
        Fault(status=200, body={"error": f"not {KEY}"}),
        Fault(status=200, body=f"data: {KEY}\n\n"),
        Fault(
            after=1,
            garbage=b'data: {"error": {"message": "' + KEY.encode() + b'", "code": "' + KEY.encode() + b'"}}\n\n',
        ),
    ],
)
async def test_the_key_is_redacted_wherever_a_server_repeats_it(fault: Fault) -> None:
    with ScriptedServer([Turn("word word", chunk=4, fault=fault)]) as server, pytest.raises(ProviderError) as caught:
        await answer(client(server))
    assert KEY not in str(caught.value)


async def test_a_key_in_the_url_is_redacted_too() -> None:
    with pytest.raises(ConnectError) as caught:
        await answer(HttpClient(ModelRegistry().provider("openai"), key=KEY, base_url=f"http://127.0.0.1:1/{KEY}"))
    assert "/***/chat" in str(caught.value)
    assert KEY not in str(caught.value)
