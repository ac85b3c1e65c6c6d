"""What zot sends is what the types of the vendors' SDKs describe."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from vendor_types import Checker

from wire_cases import CONVERSATIONS
from wire_cases.strategies import histories
from zot_provider.catalog import list_models, resolve_model
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_provider.record import Record, record
from zot_provider.request import Reasoning, Request, ToolSpec
from zot_provider.wire import WIRES, load_wire
from zot_provider.wire.base import Quirks


@record
class Vendor(Record):
    """The type of a vendor's request bodies, the vendor's own quirks, and the name of its catalogue.

    `older`: fields that the API still takes in the version that zot asks for, and the SDK no longer has.
    """

    body: Any
    quirks: Quirks
    catalog: str
    older: frozenset[str] = frozenset()


VENDORS = {
    # The SDK asks for version 2026-10-21 of the API, the first one without a temperature.
    "anthropic-messages": Vendor(MessageCreateParamsStreaming, Quirks(), "anthropic", frozenset({"temperature"})),
    "openai-chat": Vendor(
        CompletionCreateParamsStreaming,
        Quirks(max_tokens_field="max_completion_tokens", reasoning_field="", prompt_cache_key=True),
        "openai",
    ),
    "openai-responses": Vendor(ResponseCreateParamsStreaming, Quirks(prompt_cache_key=True), "openai"),
}
UNHEARD_OF = ("claude-novum-9", "gpt-9-nova", "gemini-9-nova", "a-model")


def known_models(wire: str) -> list[Model]:
    """The models of the vendor's catalogue, and some that are in none."""
    vendor = Provider("p", "P", wire, None, catalog=VENDORS[wire].catalog)
    return [*list_models(vendor), *(resolve_model(vendor, name, strict=False) for name in UNHEARD_OF)]


MODELS = {wire: known_models(wire) for wire in VENDORS}
CHECKERS = {wire: Checker(vendor.body, sent=True) for wire, vendor in VENDORS.items()}


def check(wire: str, body: dict[str, Any]) -> None:
    CHECKERS[wire].check({name: value for name, value in body.items() if name not in VENDORS[wire].older})


def test_each_wire_is_compared_with_an_sdk() -> None:
    assert set(VENDORS) == set(WIRES)


@pytest.mark.parametrize("conversation", CONVERSATIONS)
@pytest.mark.parametrize("wire", VENDORS)
def test_the_bodies_of_the_table_are_what_the_vendor_describes(wire: str, conversation: str) -> None:
    check(wire, load_wire(wire).encode(CONVERSATIONS[conversation], VENDORS[wire].quirks))


TOOL = ToolSpec("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
EFFORTS: Sequence[Reasoning] = ("off", "minimum", "low", "medium", "high", "xhigh", "max")


ASKED = [Message("user", [TextBlock("go")])]
THINKING = [ReasoningBlock(*fields) for fields in product(("", "hm"), ("", "id_1"), ("", "cipher"), ("", "signed"))]
AFTER = (TextBlock("done", "final_answer"), ToolCallBlock("call_1", "read", "{}"))


@pytest.mark.parametrize("wire", VENDORS)
def test_every_form_of_thinking_is_sent_as_the_vendor_describes(wire: str) -> None:
    for thinking, after in product(THINKING, AFTER):
        history = [*ASKED, Message("assistant", [thinking.replace(wire=wire), after])]
        check(wire, load_wire(wire).encode(Request(Model("m", "p", reasoning=True), history), VENDORS[wire].quirks))


@pytest.mark.parametrize("wire", VENDORS)
def test_a_request_of_each_model_at_each_level_is_what_the_vendor_describes(wire: str) -> None:
    checked: list[dict[str, Any]] = []
    for model, level, limit in product(MODELS[wire], EFFORTS, (None, 2000)):
        request = Request(model, ASKED, reasoning=level, max_tokens=limit, temperature=0.5)
        body = load_wire(wire).encode(request, VENDORS[wire].quirks)
        if body | {"model": ""} not in checked:  # most models differ in their names alone
            checked.append(body | {"model": ""})
            check(wire, body)
    assert len(checked) > 5


@pytest.mark.parametrize("wire", VENDORS)
@given(
    data=st.data(),
    messages=histories(sorted(VENDORS), most=6),
    reasoning=st.sampled_from(EFFORTS),
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
    check(wire, load_wire(wire).encode(request, VENDORS[wire].quirks))


@pytest.mark.parametrize(("wire", "place"), [(wire, place) for wire in VENDORS for place in (0, -1)])
def test_an_unknown_key_is_noticed_at_any_depth(wire: str, place: int) -> None:
    conversation = "a tool runs and the user goes on"
    for target in ("body", "message", "part"):
        body = load_wire(wire).encode(CONVERSATIONS[conversation], VENDORS[wire].quirks)
        message = body[load_wire(wire).history_field][place]
        parts = message.get("content")
        spoiled = {"body": body, "message": message, "part": parts[0] if isinstance(parts, list) else message}[target]
        spoiled["unheard_of"] = 1
        with pytest.raises(ValueError, match="unheard_of"):
            check(wire, body)
