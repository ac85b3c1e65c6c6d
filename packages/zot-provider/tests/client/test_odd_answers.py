"""Answers that follow a wire but hold values that no server should send, over a real socket."""

import json
from typing import Any

import pytest

from zot_provider.client.http import HttpClient
from zot_provider.client.retry import RetryPolicy
from zot_provider.completion import Completion, complete
from zot_provider.errors import ModelError, ProtocolError, ProviderError, StatusError, StreamCut
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock
from zot_provider.model import Model, Price
from zot_provider.registry import ModelRegistry
from zot_provider.testing import Fault, ScriptedServer, Turn

MODEL = Model("m", "v", price=Price(1.0, 1.0, 1.0, 1.0))
HUGE = int("9" * 400)


def streamed(events: list[dict[str, Any]], status: int = 200) -> Turn:
    """A turn whose answer is a stream of these events."""
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    return Turn(fault=Fault(status=status, body=body, headers={"content-type": "text/event-stream"}))


async def answer(provider: str, turn: Turn, system: str = "") -> Completion:
    found = ModelRegistry().provider(provider)
    with ScriptedServer([turn]) as server:
        base_url = server.base_url(found.wire)
        client = HttpClient(found, key="a-key", base_url=base_url, retries=RetryPolicy(retries=0))
        try:
            return await complete(MODEL, [Message("user", [TextBlock("hi")])], client=client, system=system)
        finally:
            await client.close()


def chat(delta: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    return [{"choices": [{"index": 0, "delta": delta, "finish_reason": "stop"}], **more}]


def messages(*events: dict[str, Any], usage: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage or {}}
    return [*events, end, {"type": "message_stop"}]


def block(index: int, **content: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": content}


def responses(*items: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    return [{"type": "response.completed", "response": {"status": "completed", "output": list(items), **more}}]


COUNTS = [
    ("openai", chat({"content": "hi"}, usage={"prompt_tokens": HUGE, "completion_tokens": 3})),
    (
        "anthropic",
        messages(
            block(0, type="text", text="hi"),
            usage={"input_tokens": HUGE, "output_tokens": 3},
        ),
    ),
    (
        "openai-responses",
        responses(
            {"type": "message", "content": [{"type": "output_text", "text": "hi"}]},
            usage={"input_tokens": HUGE, "output_tokens": 3},
        ),
    ),
]


@pytest.mark.parametrize(("provider", "events"), COUNTS)
async def test_a_number_of_tokens_with_400_digits_is_not_counted(provider: str, events: list[dict[str, Any]]) -> None:
    found = await answer(provider, streamed(events))
    assert (found.text, found.usage.input, found.usage.output) == ("hi", 0, 3)
    assert found.usage.cost_usd == pytest.approx(3e-6)


FUNCTION = {"type": "function", "function": {"name": 5, "arguments": "{}"}}
CALLS = [
    ("openai", chat({"tool_calls": [{"index": 0, "id": 7, **FUNCTION}, {"index": 1, "id": "7", **FUNCTION}]})),
    (
        "anthropic",
        messages(
            *(
                {
                    "type": "content_block_start",
                    "index": index,
                    "content_block": {"type": "tool_use", "id": id, "name": 5},
                }
                for index, id in enumerate((7, "7"))
            )
        ),
    ),
    (
        "openai-responses",
        responses(*({"type": "function_call", "call_id": id, "name": 5, "arguments": "{}"} for id in (7, "7"))),
    ),
]


@pytest.mark.parametrize(("provider", "events"), CALLS)
async def test_a_number_as_id_and_name_of_a_call_is_taken_as_text(provider: str, events: list[dict[str, Any]]) -> None:
    found = await answer(provider, streamed(events))
    calls = [part for part in found.content if isinstance(part, ToolCallBlock)]
    assert [(call.id, call.name) for call in calls] == [("7", "5"), ("7_2", "5")]


LONE = "a\ud800b"
SURROGATES = [
    ("openai", chat({"content": LONE, "tool_calls": [{"index": 0, "id": LONE, "function": {"name": LONE}}]})),
    (
        "anthropic",
        messages(
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "thinking", "thinking": LONE, "signature": LONE},
            },
            {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": LONE}},
            {
                "type": "content_block_start",
                "index": 2,
                "content_block": {"type": "tool_use", "id": LONE, "name": LONE},
            },
        ),
    ),
    (
        "openai-responses",
        responses(
            {"type": "reasoning", "id": LONE, "summary": [{"text": LONE}], "encrypted_content": LONE},
            {"type": "message", "content": [{"type": "output_text", "text": LONE}]},
            {"type": "function_call", "call_id": LONE, "name": LONE, "arguments": "{}"},
        ),
    ),
]


@pytest.mark.parametrize(("provider", "events"), SURROGATES)
async def test_no_text_of_an_answer_has_lone_surrogates(provider: str, events: list[dict[str, Any]]) -> None:
    content = (await answer(provider, streamed(events))).content
    assert ReasoningBlock in map(type, content) or provider == "openai"
    assert "a\ufffdb" in repr(content)
    for part in content:
        "".join(str(getattr(part, name)) for name in part.__match_args__).encode()


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-responses", "google"])
@pytest.mark.parametrize("status", [200, 400])
async def test_no_error_has_lone_surrogates(provider: str, status: int) -> None:
    error = {"type": "error", "error": {"message": LONE, "code": LONE}}
    turn = streamed([error]) if status == 200 else Turn(fault=Fault(status=400, body=error))
    with pytest.raises(ProviderError) as caught:
        await answer(provider, turn)
    assert isinstance(caught.value, ModelError if status == 200 else StatusError)
    assert "a\ufffdb" in str(caught.value)
    str(caught.value).encode()


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-responses", "google", "amazon-bedrock"])
async def test_lone_surrogates_in_a_system_prompt_are_replaced(provider: str) -> None:
    seen: list[Any] = []

    def watch(request: Any) -> Turn:
        seen.append(request.body)
        return Turn("ok")

    found = ModelRegistry().provider(provider)
    with ScriptedServer([watch]) as server:
        client = HttpClient(found, key="a-key", base_url=server.base_url(found.wire))
        await complete(MODEL, "hi", client=client, system=f"be {LONE}")
        await client.close()
    assert "be a\ufffdb" in json.dumps(seen, ensure_ascii=False)


async def test_an_error_whose_body_is_a_stream_is_read_from_its_first_event() -> None:
    error = {"error": {"message": "image input is not supported", "code": 500}}
    with pytest.raises(StatusError) as caught:
        await answer("openai", streamed([error], status=500))
    assert str(caught.value).startswith(
        "openai: the server answered 500 Internal Server Error: image input is not supported"
    )


PLAIN = {"content-type": "text/plain"}
NO_STREAMS = [
    ('{"error": {"message": "no such\\nmodel"}}', "something that is not an event stream (no such model)"),
    ('{\n  "detail": "Not Found"\n}', "something that is not an event stream (Not Found)"),
    ("It works!\nReally.", "something that is not an event stream (It works!)"),
    ("\n<!doctype html><html><title>Proxy</title>", "a web page"),
    ("PK\x03\x04\x00", "something that is not an event stream"),
]


@pytest.mark.parametrize("provider", ["openai", "amazon-bedrock"])
@pytest.mark.parametrize(("body", "words"), NO_STREAMS)
async def test_an_answer_that_is_no_stream_is_described_in_one_line(provider: str, body: str, words: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        await answer(provider, Turn(fault=Fault(status=200, body=body, headers=PLAIN)))
    assert str(caught.value) == f"{provider}: the server answered with {words}; check the base URL and the model"


@pytest.mark.parametrize("body", [": ping\n\n: ping\n\n", 'data: {"choices"'])
async def test_a_stream_that_ends_before_its_first_event_is_cut_off(body: str) -> None:
    with pytest.raises(StreamCut) as caught:
        await answer("openai", Turn(fault=Fault(status=200, body=body, headers=PLAIN)))
    assert caught.value.retryable
