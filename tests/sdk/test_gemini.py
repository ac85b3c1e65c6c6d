"""What zot sends to Gemini is what the types of Google's SDK describe, and its client reads the scripted server."""

import json
from base64 import b64encode
from itertools import product
from typing import Any, get_args

import pytest
from google.genai import Client, errors, types
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from wire_cases import CONVERSATIONS
from wire_cases.strategies import TURNS, histories
from zot_provider.catalog import list_models
from zot_provider.errors import ModelError
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock
from zot_provider.model import Model
from zot_provider.providers import PROVIDERS
from zot_provider.request import Reasoning, Request, ToolSpec
from zot_provider.testing import Call, Fault, ScriptedServer, Turn
from zot_provider.usage import Usage
from zot_provider.wire.base import Quirks
from zot_provider.wire.gemini import WIRE

KEY = "a key"
MODELS = [model for provider in PROVIDERS if provider.wire == WIRE.name for model in list_models(provider)]


class Body(BaseModel):
    """The body of a request; the SDK has types for its parts, which allow no other fields."""

    model_config = ConfigDict(extra="forbid")
    contents: list[types.Content]
    system: types.Content | None = Field(None, alias="systemInstruction")
    tools: list[types.Tool] | None = None
    config: types.GenerationConfig | None = Field(None, alias="generationConfig")


def check(request: Request) -> Body:
    return Body.model_validate_json(json.dumps(WIRE.encode(request, Quirks())))


@pytest.mark.parametrize("conversation", CONVERSATIONS)
def test_the_bodies_of_the_table_are_what_google_describes(conversation: str) -> None:
    check(CONVERSATIONS[conversation])


THINKING = [ReasoningBlock(summary, signature=signed) for summary, signed in product(("", "hm"), ("", "c2ln", "no!"))]


@pytest.mark.parametrize("id", ["gemini-2.5-pro", "gemini-4-argon"])
def test_every_form_of_thinking_is_sent_as_google_describes(id: str) -> None:
    asked = Message("user", [TextBlock("go")])
    for thinking, after in product(THINKING, (TextBlock("done"), ToolCallBlock("call_1", "read", "{}"))):
        answer = Message("assistant", [thinking.replace(wire=WIRE.name), after])
        check(Request(Model(id, "google", reasoning=True), [asked, answer]))


@given(
    model=st.sampled_from(MODELS),
    messages=histories([WIRE.name, "openai-chat"], most=6),
    reasoning=st.sampled_from(get_args(Reasoning)),
    flags=st.lists(st.booleans(), min_size=4, max_size=4),
)
def test_the_body_of_any_request_is_what_google_describes(
    model: Model, messages: list[Message], reasoning: Reasoning, flags: list[bool]
) -> None:
    sees, limited, ruled, schema = flags
    body = check(
        Request(
            model.replace(images=sees),
            messages,
            system="Be brief." if ruled else "",
            tools=[ToolSpec("read", "Read a file.", {"type": "object", "properties": {}})] if ruled else [],
            reasoning=reasoning,
            max_tokens=5 if limited else None,
            temperature=0.5 if limited else None,
            response_schema={"type": "object"} if schema else None,
        )
    )
    thinking = body.config and body.config.thinking_config
    assert not (thinking and thinking.thinking_level and thinking.thinking_budget is not None)


def test_each_model_is_asked_at_each_level_as_google_describes() -> None:
    for model, level in product(MODELS, get_args(Reasoning)):
        check(Request(model, [Message("user", [TextBlock("go")])], reasoning=level, max_tokens=2000, temperature=0.5))


def stream(server: ScriptedServer, key: str = KEY) -> list[types.GenerateContentResponse]:
    options = types.HttpOptions(base_url=server.url, api_version="v1beta", client_args={"verify": False})
    with Client(api_key=key, http_options=options) as client:
        return list(client.models.generate_content_stream(model="m", contents="hi"))


def read(turn: Turn) -> list[types.GenerateContentResponse]:
    with ScriptedServer([turn], key=KEY) as server:
        return stream(server)


FULL = Turn(
    "Hello,\u2028world",
    reasoning="Hm.\r\n",
    calls=[Call("read", {"path": "ä"}, "call_1"), Call("list", {}, "call_2")],
    usage=Usage(1, 2, 3, 4, reasoning=2),
)


@settings(max_examples=10, deadline=None)
@example(turn=FULL)
@given(turn=TURNS)
def test_googles_client_reads_what_the_script_says(turn: Turn) -> None:
    answer = read(turn)
    parts = [part for each in answer for part in each.candidates[0].content.parts]
    assert "".join(part.text or "" for part in parts if part.thought) == turn.reasoning
    assert "".join(part.text or "" for part in parts if not part.thought) == turn.text
    calls = [part.function_call for part in parts if part.function_call]
    assert [(call.id, call.name) for call in calls] == [(call.id, call.name) for call in turn.calls]
    assert [call.args for call, asked in zip(calls, turn.calls, strict=True) if isinstance(asked.args, dict)] == [
        call.args for call in turn.calls if isinstance(call.args, dict)
    ]
    signatures = [part.thought_signature for part in parts if part.thought_signature]
    assert signatures == ([turn.signature.encode()] if turn.reasoning else [])
    assert answer[-1].candidates[0].finish_reason == ("MAX_TOKENS" if turn.stop_reason == "length" else "STOP")
    counts, usage = answer[-1].usage_metadata, turn.usage
    assert counts.prompt_token_count == usage.input + usage.cache_read + usage.cache_write
    assert counts.cached_content_token_count == usage.cache_read
    assert counts.thoughts_token_count == usage.reasoning


def test_a_signature_that_googles_client_reads_is_the_one_that_zot_sends_back() -> None:
    (part,) = [part for each in read(FULL) for part in each.candidates[0].content.parts if part.thought_signature]
    assert part.model_dump(mode="json", exclude_none=True)["thought_signature"] == b64encode(b"signature").decode()


def test_a_failure_within_the_stream_reaches_googles_client() -> None:
    failure = ModelError("the model failed", code="UNAVAILABLE", message="too many")
    with pytest.raises(errors.ServerError, match="too many"):
        read(Turn("Hello", error=failure))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 503])
def test_a_refusal_is_what_google_describes(status: int) -> None:
    with ScriptedServer([Turn(fault=Fault(status=status))], repeat=True) as server:
        caught: Any
        with pytest.raises(errors.APIError) as caught:
            stream(server)
    assert caught.value.code == status
    assert caught.value.status.isupper()


def test_another_key_does_not_open_the_server() -> None:
    with ScriptedServer(["hi"], key=KEY) as server, pytest.raises(errors.ClientError, match="401"):
        stream(server, "another")
