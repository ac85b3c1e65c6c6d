"""What zot sends is what the types of the vendors' SDKs describe."""

import json
from itertools import product
from typing import Any, Required, get_args

import pytest
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from typing_extensions import TypedDict
from vendor_clients import aws_operation
from vendor_types import Check, shaped, typed

from wire_cases import CONVERSATIONS
from wire_cases.strategies import PIXEL, histories
from zot_provider.catalog import list_models, resolve_model
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.record import Record
from zot_provider.request import Reasoning, Request, Sampling, ToolSpec
from zot_provider.wire import WIRES, load_wire

RECORDS = {provider.id: provider for provider in PROVIDERS}


class Vendor(Record):
    """The check of a vendor's request bodies, and the record of the vendor's own servers.

    `older`: fields that the API still takes in the version that zot asks for, and the SDK no longer has. `added`: keys
    that compatible servers of other vendors have, wherever they are.
    """

    fits: Check
    record: Provider
    older: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()


class GenerateContentBody(TypedDict, total=False):
    """The body of the Gemini API. The SDK has only types of its parts."""

    contents: Required[list[types.Content]]
    systemInstruction: types.Content
    tools: list[types.Tool]
    generationConfig: types.GenerationConfig


ADDED_TO_CHAT = frozenset(
    {
        *("thinking", "enable_thinking", "reasoning", "reasoning_content", "reasoning_details"),
        *("cache_control", "tool_stream"),
    }
)
VENDORS = {
    # The SDK asks for version 2026-10-21 of the API, the first one without a temperature.
    "anthropic-messages": Vendor(
        typed(MessageCreateParamsStreaming, sent=True), RECORDS["anthropic"], older=frozenset({"temperature"})
    ),
    "bedrock-converse": Vendor(shaped(aws_operation().input_shape, modelId="m"), RECORDS["amazon-bedrock"]),
    "gemini": Vendor(typed(GenerateContentBody), RECORDS["google"]),
    "openai-chat": Vendor(
        typed(CompletionCreateParamsStreaming, sent=True),
        RECORDS["openai"].at("http://localhost/v1"),
        added=ADDED_TO_CHAT,
    ),
    "openai-responses": Vendor(typed(ResponseCreateParamsStreaming, sent=True), RECORDS["openai"]),
}


UNLISTED = {
    "anthropic-messages": "claude-novum-9",
    "bedrock-converse": "us-gov.anthropic.claude-novum-9-v1:0",
    "gemini": "gemini-9-nova",
    "openai-chat": "gpt-9-nova",
    "openai-responses": "gpt-9-nova",
}


def known_models(provider: Provider) -> list[Model]:
    """The models of the provider's catalogue, and two that are in none."""
    unlisted = [resolve_model(provider, name, strict=False) for name in (UNLISTED[provider.wire], "a-model")]
    # Vertex serves Claude through an API of its own, which zot does not speak.
    listed = [model for model in list_models(provider) if provider.wire != "gemini" or "claude" not in model.id]
    return [*listed, *unlisted]


MODELS = {wire: known_models(vendor.record) for wire, vendor in VENDORS.items()}


def check(wire: str, body: dict[str, Any]) -> None:
    body = {name: value for name, value in body.items() if name not in VENDORS[wire].older}
    if wire == "openai-chat":  # spoken with compatible servers alone, which get the thinking back that they sent
        body["messages"] = [without(message, "reasoning_content") for message in body["messages"]]
    VENDORS[wire].fits(body)


def without(fields: dict[str, Any], dropped: str) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != dropped}


def encode(wire: str, request: Request) -> dict[str, Any]:
    return load_wire(wire).encode(request, VENDORS[wire].record.quirks)


def test_each_wire_is_compared_with_an_sdk() -> None:
    assert set(VENDORS) == set(WIRES)


@pytest.mark.parametrize("conversation", CONVERSATIONS)
@pytest.mark.parametrize("wire", VENDORS)
def test_the_bodies_of_the_table_are_what_the_vendor_describes(wire: str, conversation: str) -> None:
    check(wire, encode(wire, CONVERSATIONS[conversation]))


TOOL = ToolSpec("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
LEVELS: tuple[Reasoning, ...] = get_args(Reasoning)
ASKED = Message("user", [TextBlock("go")])
DONE, CALLED = TextBlock("done", "final_answer"), ToolCallBlock("call_1", "read", "{}")
THINKING = [ReasoningBlock(*fields) for fields in product(("", "hm"), ("", "id_1"), ("", "cipher"), ("", "signed"))]


@pytest.mark.parametrize("wire", VENDORS)
def test_every_form_of_thinking_is_sent_as_the_vendor_describes(wire: str) -> None:
    for thinking, after in product(THINKING, (DONE, CALLED)):
        answer = Message("assistant", [thinking.replace(wire=wire), after])
        check(wire, encode(wire, Request(Model("m", "p", reasoning=True), [ASKED, answer])))


def test_a_tool_with_a_grammar_and_its_calls_are_what_openai_describes() -> None:
    schema = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
    patch = ToolSpec("patch", "Change files.", schema, Sampling("regex", "a+"))
    called = Message("assistant", [ToolCallBlock("call_1", "patch", '{"input":"aa"}', free_text=True)])
    answered = Message("tool", [ToolResultBlock("call_1", [TextBlock("done")])])
    model = next(model for model in MODELS["openai-responses"] if model.id.startswith("gpt-5"))
    body = encode("openai-responses", Request(model, [ASKED, called, answered], tools=[patch]))
    assert [item["type"] for item in body["input"][1:]] == ["custom_tool_call", "custom_tool_call_output"]
    check("openai-responses", body)


@pytest.mark.parametrize("wire", VENDORS)
@given(
    data=st.data(),
    messages=histories(sorted(VENDORS), most=6),
    reasoning=st.sampled_from(LEVELS),
    flags=st.lists(st.booleans(), min_size=4, max_size=4),
)
def test_the_body_of_any_request_is_what_the_vendor_describes(
    wire: str, data: st.DataObject, messages: list[Message], reasoning: Reasoning, flags: list[bool]
) -> None:
    sees, limited, ruled, schema = flags
    request = Request(
        data.draw(st.sampled_from(MODELS[wire])).replace(images=sees),
        messages,
        system="Be brief." if ruled else "",
        tools=[TOOL] if ruled else [],
        reasoning=reasoning,
        max_tokens=5 if limited else None,
        temperature=0.5 if limited else None,
        response_schema=SCHEMA if schema else None,
        cache_key="conversation" if ruled else "",
    )
    check(wire, encode(wire, request))


def test_each_model_of_each_provider_is_asked_as_the_vendor_of_its_wire_describes() -> None:
    checked: set[str] = set()
    for provider in PROVIDERS:
        for model, level in product(known_models(provider), LEVELS):
            served = provider.serve(model)
            if served.wire not in VENDORS:
                continue
            thinking = ReasoningBlock("hm", "rs_1", "cipher", "signed", wire=served.wire)
            history = [
                Message("user", [TextBlock("compare"), PIXEL]),
                Message("assistant", [thinking, DONE, CALLED]),
                Message("tool", [ToolResultBlock(CALLED.id, [TextBlock("b.png:"), PIXEL])]),
                ASKED,
            ]
            request = Request(model, history, "Be brief.", [TOOL], level, 2000, 0.5, SCHEMA, "conversation")
            body = load_wire(served.wire).encode(request, served.quirks)
            if provider.base_url != VENDORS[served.wire].record.base_url:
                body = without_additions(body, VENDORS[served.wire].added)
            text = json.dumps(body | {"model": ""})  # most models differ in their names alone
            if text not in checked:
                checked.add(text)
                check(served.wire, body)
    assert len(checked) > 20


def without_additions(value: Any, added: frozenset[str]) -> Any:
    """A body without what other vendors add: these keys, parts with thinking, and the name of the tool of a result."""
    if isinstance(value, list):
        return [without_additions(each, added) for each in value if not (added and is_thinking(each))]
    if not isinstance(value, dict):
        return value
    dropped = added | {"name"} if added and value.get("role") == "tool" else added
    return {key: without_additions(each, added) for key, each in value.items() if key not in dropped}


def is_thinking(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "thinking"


@pytest.mark.parametrize(("wire", "place"), [(wire, place) for wire in VENDORS for place in (0, -1)])
def test_an_unknown_key_is_noticed_at_any_depth(wire: str, place: int) -> None:
    for target in ("body", "message", "part"):
        body = encode(wire, CONVERSATIONS["a tool runs and the user goes on"])
        message = body[load_wire(wire).history_field][place]
        parts = message.get("content") or message.get("parts")
        spoiled = {"body": body, "message": message, "part": parts[0] if isinstance(parts, list) else message}[target]
        spoiled["unheard_of"] = 1
        with pytest.raises(ValueError, match="unheard_of"):
            check(wire, body)
