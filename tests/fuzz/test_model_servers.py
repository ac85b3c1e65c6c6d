"""Answers of model servers, over real sockets: heads, bodies, streams, lists of models; and what is sent to them."""

import asyncio
import contextlib
import gzip
import json
from functools import partial
from typing import Any

import pytest
from hostile import cut, cuts, damaged, doctored, few, is_reason, json_bytes, json_values, raw, texts
from hypothesis import given
from hypothesis import strategies as st
from raw_server import start_raw_server

from wire_cases import STREAMS
from zot_provider.client.body import BodyWriter
from zot_provider.client.http import HttpClient
from zot_provider.client.retry import RetryPolicy
from zot_provider.errors import ProviderError
from zot_provider.events import AutoRetryStart, StreamEnd, StreamEvent, TextDelta
from zot_provider.json_text import read_strict, without_surrogates
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.providers import PROVIDERS
from zot_provider.request import Request
from zot_provider.testing.render_bedrock import event_message
from zot_provider.transport.http import HttpLimits, HttpTransport
from zot_provider.transport.status import retry_after, status_error
from zot_provider.wire import WIRES, load_wire
from zot_provider.wire.base import Quirks

WIRE_PROVIDERS = {provider.wire: provider for provider in reversed(PROVIDERS)}
LONGEST = 10_000
BODIES = {name: [case.body for case in STREAMS if case.wire == name and len(case.body) < LONGEST] for name in WIRES}
EVENTS: dict[str, list[list[Any]]] = {name: [] for name in WIRES}
for case in STREAMS:
    for item in case.items if len(case.body) < LONGEST else []:
        with contextlib.suppress(ValueError):
            EVENTS[case.wire].append(json.loads(item))


def event(wire: str, value: Any) -> bytes:
    """An event of a stream."""
    if load_wire(wire).splitter is None:
        return b"data: " + json_bytes(value) + b"\n\n"
    kind, payload = next(iter(value.items())) if isinstance(value, dict) and value else ("odd", value)
    return event_message(kind.encode("utf-8", "replace").decode()[:80], json_bytes(payload))


def streams(wire: str) -> st.SearchStrategy[bytes]:
    """Bodies that resemble the streams of a wire."""
    tokens = [b"data: ", b"\n\n", b"data: [DONE]\n\n", b": x\n", b"event: x\n", b"data\n", b"retry: 1\n"]
    return damaged(BODIES[wire], tokens) | st.lists(doctored(EVENTS[wire]).map(partial(event, wire)), max_size=8).map(
        b"".join
    )


async def answers(wire: str, pieces: list[bytes], *, lists: bool = False) -> list[StreamEvent] | list[str] | None:
    """What the client makes of the bytes of a server; None for an error, which must be one line."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    async with start_raw_server(serve) as server:
        base = f"http://127.0.0.1:{server.port}/v1"
        transport = HttpTransport(HttpLimits(connect=30, read=30, answer=1 << 20))
        client = HttpClient(
            WIRE_PROVIDERS[wire], key="sk-secret", base_url=base, transport=transport, retries=RetryPolicy(retries=0)
        )
        try:
            if lists:
                return await client.models()
            request = Request(Model("m", "p"), [Message("user", [TextBlock("hi")])])
            return [event async for batch in client.stream(request) for event in batch]
        except ProviderError as error:
            refusal = str(error)
        finally:
            await client.close()
    assert is_reason(refusal), refusal
    assert "sk-secret" not in refusal
    return None


def check(events: list[Any] | None) -> None:
    """An answer ends once, with all the text that was streamed."""
    if events is not None:
        assert [isinstance(event, StreamEnd) for event in events] == [False] * (len(events) - 1) + [True]
        streamed = "".join(event.delta for event in events if isinstance(event, TextDelta))
        assert streamed == "".join(block.text for block in events[-1].content if isinstance(block, TextBlock))
        assert not any(isinstance(event, AutoRetryStart) for event in events)


@pytest.mark.parametrize("wire", WIRES)
@few
@given(st.data())
async def test_any_stream_is_an_answer_or_an_error(wire: str, data: st.DataObject) -> None:
    body = data.draw(streams(wire))
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    check(await answers(wire, [head, *cut(body, data.draw(cuts()))]))  # type: ignore[arg-type]


GOOD = BODIES["openai-chat"][0]
ZIPPED = gzip.compress(GOOD)
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(GOOD), GOOD)
RESPONSES = [
    b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(GOOD) + GOOD,
    b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + CHUNKED,
    b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(ZIPPED) + ZIPPED,
    b"HTTP/1.0 200 OK\r\n\r\n" + GOOD,
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + GOOD,
    b'HTTP/1.1 429 Slow\r\nretry-after: 7\r\nx-should-retry: true\r\n\r\n{"error":{"message":"later","code":"x"}}',
    b"HTTP/1.1 302 Found\r\nlocation: http://elsewhere/?key=1\r\ncontent-length: 0\r\n\r\n",
    b"HTTP/1.1 500 X\r\ncontent-type: text/html\r\n\r\n<html>oops</html>",
    b'HTTP/1.1 200 OK\r\n\r\n{"data":[{"id":"m"},{"id":"n"}]}',
]
HTTP_TOKENS = [
    *(b"HTTP/1.1 ", b"\r\n\r\n", b"\r\n", b" 200 ", b"content-length: 5\r\n", b"transfer-encoding: chunked\r\n"),
    *(b"ffffffffffffffff\r\n", b"-1\r\n", b"0\r\n\r\n", b"content-encoding: gzip\r\n", b"upgrade: h2c\r\n", b"\r\n "),
    *(b"connection: upgrade\r\n", b"content-encoding: deflate\r\n", b"x: " + b"y" * 70_000, b"sk-secret"),
]


@few
@given(damaged(RESPONSES, HTTP_TOKENS), cuts(), st.booleans())
async def test_any_bytes_of_a_server_are_an_answer_or_an_error(data: bytes, places: list[int], lists: bool) -> None:
    found = await answers("openai-chat", cut(data, places), lists=lists)
    if lists:
        assert found is None or all(isinstance(each, str) and each == each.encode().decode() for each in found)
    else:
        check(found)


@few
@given(doctored([{"data": [{"id": "m", "object": "model"}, {"id": "n"}]}]).map(json_bytes))
async def test_any_list_of_models_is_a_list_of_names_or_an_error(body: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(body)
    found = await answers("openai-chat", [head + body], lists=True)
    assert found is None or all(isinstance(each, str) and each == each.encode().decode() for each in found)


DATES = [
    *("Wed, 21 Oct 2099 07:28:00 GMT", "Wed, 21 Oct", ",", "Mon, 99 Foo 99999 99:99:99 +9999"),
    *("1,5", "1_0", "\u0663", "0x1"),
]
ERRORS = [
    {"error": {"message": "m", "type": "t", "code": "c"}},
    [{"error": {"status": "s"}}],
    {"detail": [{"msg": "m"}]},
]


@few
@given(
    st.integers(100, 999),
    st.dictionaries(
        st.sampled_from(["retry-after", "retry-after-ms", "location", "x-should-retry"]),
        st.one_of(
            st.sampled_from(DATES),
            st.floats().map(str),
            texts,
            st.text(st.sampled_from("0123456789,:-+ .GMTadeJn"), max_size=30),
        ),
    ),
    doctored(ERRORS).map(json_bytes) | raw,
)
def test_any_status_head_and_body_is_an_error_and_a_wait(status: int, headers: dict[str, str], body: bytes) -> None:
    wait = retry_after(headers)
    assert wait is None or 0 <= wait < float("inf")
    error = status_error(status, body, headers)
    assert is_reason(str(error))
    delay = RetryPolicy().wait(error, 1)
    assert delay is None or 0 <= delay <= 86_400


@few
@given(texts, texts, texts | json_values.map(json_bytes).map(lambda data: data.decode("utf-8", "surrogatepass")), texts)
def test_any_call_and_result_is_written_as_json(id: str, name: str, arguments: str, text: str) -> None:
    history = [
        Message("user", [TextBlock(text)]),
        Message("assistant", [ToolCallBlock(id, name, arguments)]),
        Message("tool", [ToolResultBlock(id, [TextBlock(text)])]),
    ]
    for wire in WIRES:
        body = BodyWriter(load_wire(wire), Quirks()).write(Request(Model("m", "p"), history, system=text))
        assert isinstance(read_strict(without_surrogates(body).encode()), dict)
