import json
from typing import Any

import pytest

from zot_provider.client.body import BodyWriter
from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Reasoning, Request, ToolSpec
from zot_provider.wire.base import Quirks
from zot_provider.wire.bedrock import WIRE

CLAUDE = Model("us.anthropic.claude-opus-5", "b", reasoning=True, max_output=64_000)
OLD = Model("anthropic.claude-sonnet-4-5", "b", reasoning=True, max_output=64_000)
NOVA = Model("amazon.nova-premier-v1:0", "b", reasoning=True)
ASKED = Message("user", [TextBlock("go")])
CALL = ToolCallBlock("c1", "read", '{"path": "a"}')
RESULT = Message("tool", [ToolResultBlock("c1", [TextBlock("ok")])])
POINT = {"cachePoint": {"type": "default"}}
THINKS_ALWAYS = {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "low"}}
READ = ToolSpec("read", "Read a file.", {"type": "object"})


def encode(model: Model, *messages: Message, **fields: Any) -> dict[str, Any]:
    return WIRE.encode(Request(model, [ASKED, *messages], **fields), Quirks())


def thought(**fields: str) -> ReasoningBlock:
    return ReasoningBlock("hm", **({"wire": WIRE.name} | fields))


def answer(model: Model, *blocks: Block) -> list[dict[str, Any]]:
    """The parts of an answer in the next request."""
    parts: list[dict[str, Any]] = encode(model, Message("assistant", list(blocks)), ASKED)["messages"][1]["content"]
    return parts


def test_the_key_is_a_bearer_token() -> None:
    assert WIRE.auth("k") == {"authorization": "Bearer k"}


def test_claude_gets_cache_points_after_tools_system_prompt_and_the_last_two_turns_of_the_user() -> None:
    body = encode(CLAUDE, Message("assistant", [CALL]), RESULT, system="s", tools=[READ])
    assert body["toolConfig"]["tools"][1:] == [POINT]
    assert body["system"][1:] == [POINT]
    assert [turn["content"][-1] == POINT for turn in body["messages"]] == [True, False, True]
    hour = encode(CLAUDE, system="s", cache_time="1h")
    assert hour["system"][1:] == [{"cachePoint": {"type": "default", "ttl": "1h"}}]
    assert "cachePoint" not in json.dumps(encode(NOVA, system="s", tools=[READ]))


def test_the_last_two_turns_of_a_growing_conversation_alone_have_cache_points() -> None:
    writer, history = BodyWriter(WIRE, Quirks()), [ASKED]
    for number in range(3):
        request = Request(CLAUDE, list(history))
        body = json.loads(writer.write(request))
        assert body == WIRE.encode(request, Quirks())
        assert json.dumps(body["messages"]).count("cachePoint") == min(number + 1, 2)
        call = CALL.replace(id=f"c{number}")
        history += [Message("assistant", [call]), Message("tool", [ToolResultBlock(call.id, [TextBlock("ok")])])]


@pytest.mark.parametrize(
    ("model", "reasoning", "sent"),
    [
        (CLAUDE, "off", {"thinking": {"type": "disabled"}}),
        (CLAUDE.replace(id="anthropic.claude-opus-5-5"), "off", THINKS_ALWAYS),
        (
            CLAUDE,
            "high",
            {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "high"}},
        ),
        (
            CLAUDE.replace(id="us-gov.anthropic.claude-opus-5"),
            "low",
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
        ),
        (OLD, "low", {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
        (OLD, "off", {}),
        (NOVA.replace(id="openai.gpt-oss-120b-1:0"), "low", {"reasoning_effort": "low"}),
        (NOVA.replace(id="us.openai.gpt-6-sol"), "high", {"reasoning": {"effort": "high"}}),
        (NOVA, "high", {}),
        (CLAUDE.replace(reasoning=False), "high", {}),
    ],
)
def test_each_family_is_asked_for_an_effort_in_its_own_words(
    model: Model, reasoning: Reasoning, sent: dict[str, Any]
) -> None:
    assert encode(model, reasoning=reasoning).get("additionalModelRequestFields", {}) == sent


def test_claude_with_a_budget_does_not_think_after_a_call_without_thinking() -> None:
    without = encode(OLD, Message("assistant", [CALL]), RESULT, reasoning="low")
    assert "additionalModelRequestFields" not in without
    signed = thought(signature="s1g")
    assert "additionalModelRequestFields" in encode(OLD, Message("assistant", [signed, CALL]), RESULT, reasoning="low")


def test_the_temperature_is_left_out_while_claude_thinks() -> None:
    assert "temperature" not in encode(OLD, reasoning="high", temperature=0.5)["inferenceConfig"]
    assert encode(OLD, reasoning="off", temperature=0.5)["inferenceConfig"]["temperature"] == 0.5


@pytest.mark.parametrize(("model", "asked", "sent"), [(CLAUDE, None, 64_000), (CLAUDE, 100, 100), (NOVA, None, None)])
def test_the_limit_of_an_answer_of_claude_is_always_said(model: Model, asked: int | None, sent: int | None) -> None:
    assert encode(model, max_tokens=asked).get("inferenceConfig", {}).get("maxTokens") == sent


def test_thinking_has_a_signature_for_claude_alone() -> None:
    done, signed = TextBlock("done"), {"text": "hm", "signature": "s1g"}
    assert answer(CLAUDE, thought(signature="s1g"), done) == [
        {"reasoningContent": {"reasoningText": signed}},
        {"text": "done"},
    ]
    assert answer(CLAUDE, thought(), done) == [{"text": "done"}]
    assert answer(NOVA, thought(signature="s1g"), done)[0] == {"reasoningContent": {"reasoningText": {"text": "hm"}}}
    hidden = ReasoningBlock(encrypted_content="YQ==", wire=WIRE.name)
    assert answer(CLAUDE, hidden, done)[0] == {"reasoningContent": {"redactedContent": "YQ=="}}


def test_thinking_of_another_model_is_not_sent() -> None:
    assert answer(CLAUDE, thought(signature="s1g", model=OLD.id), TextBlock("done")) == [{"text": "done"}]


def test_a_conversation_with_calls_that_continues_without_tools_names_them() -> None:
    (tool, point) = encode(CLAUDE, Message("assistant", [CALL]), RESULT)["toolConfig"]["tools"]
    assert tool["toolSpec"]["name"] == "read"
    assert point == POINT
    assert "toolConfig" not in encode(CLAUDE)


def test_an_image_of_another_format_has_words_in_its_place() -> None:
    shown = [ImageBlock("image/jpeg", "AA=="), ImageBlock("image/tiff", "AA==")]
    parts = encode(NOVA, Message("user", list(shown)))["messages"][0]["content"]
    assert parts[1:] == [
        {"image": {"format": "jpeg", "source": {"bytes": "AA=="}}},
        {"text": "(image omitted: image/tiff is not supported)"},
    ]


def test_empty_keys_of_arguments_get_a_name() -> None:
    (part,) = answer(NOVA, ToolCallBlock("c1", "read", '{"": [{"": 1}], "a": {}}'))
    assert part["toolUse"]["input"] == {"_": [{"_": 1}], "a": {}}
