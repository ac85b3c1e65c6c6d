from typing import Any

import pytest

from zot_provider.messages import (
    Block,
    ImageBlock,
    Message,
    ReasoningBlock,
    TextBlock,
    ToolCallBlock,
    ToolResultBlock,
)
from zot_provider.model import Model
from zot_provider.request import Reasoning, Request, ToolSpec
from zot_provider.wire.base import Quirks
from zot_provider.wire.gemini import WIRE

OLD = Model("gemini-2.5-flash", "google", reasoning=True)
NEW = Model("gemini-4-argon", "google", reasoning=True)
ASKED = Message("user", [TextBlock("go")])
CALL = ToolCallBlock("c1", "read", '{"path": "a"}')
PIXEL = ImageBlock("image/png", "iVBORw0KGgo=")


def encode(model: Model = NEW, *messages: Message, **fields: Any) -> dict[str, Any]:
    return WIRE.encode(Request(model, [ASKED, *messages], **fields), Quirks())


def answer(*blocks: Block, model: Model = NEW) -> list[dict[str, Any]]:
    """The parts of an answer in the next request."""
    parts: list[dict[str, Any]] = encode(model, Message("assistant", list(blocks)), ASKED)["contents"][1]["parts"]
    return parts


def thinking(model: Model, reasoning: Reasoning, **fields: Any) -> Any:
    return encode(model, reasoning=reasoning, **fields)["generationConfig"]["thinkingConfig"]


def signature(text: str, **fields: str) -> ReasoningBlock:
    return ReasoningBlock(signature=text, **({"wire": WIRE.name, "provider": "google", "model": NEW.id} | fields))


def test_the_key_has_a_header_of_its_own() -> None:
    assert WIRE.auth("k") == {"x-goog-api-key": "k"}
    assert WIRE.auth("") == {}


@pytest.mark.parametrize(
    ("reasoning", "sent"),
    [
        ("off", {"thinkingLevel": "LOW"}),
        ("minimum", {"thinkingLevel": "LOW", "includeThoughts": True}),
        ("medium", {"thinkingLevel": "MEDIUM", "includeThoughts": True}),
        ("max", {"thinkingLevel": "HIGH", "includeThoughts": True}),
    ],
)
def test_a_new_model_gets_a_level(reasoning: Reasoning, sent: dict[str, object]) -> None:
    assert thinking(NEW, reasoning) == sent


@pytest.mark.parametrize(
    ("id", "reasoning", "sent"),
    [
        ("gemini-2.5-flash", "off", {"thinkingBudget": 0}),
        ("gemini-2.5-pro", "off", {"thinkingBudget": 1024}),
        ("gemini-2.5-flash", "low", {"thinkingBudget": 4096, "includeThoughts": True}),
        ("gemini-2.5-flash", "max", {"thinkingBudget": 24_576, "includeThoughts": True}),
        ("gemini-2.5-pro", "max", {"thinkingBudget": 32_768, "includeThoughts": True}),
    ],
)
def test_an_older_model_gets_a_budget_that_it_takes(id: str, reasoning: Reasoning, sent: dict[str, object]) -> None:
    assert thinking(OLD.replace(id=id), reasoning) == sent


def test_a_model_without_thinking_gets_no_configuration_of_it() -> None:
    assert "generationConfig" not in encode(OLD.replace(reasoning=False), reasoning="high")
    body = WIRE.encode(Request(NEW, [ASKED], reasoning="high"), Quirks(reasoning_effort=False))
    assert "generationConfig" not in body


def test_a_signature_is_sent_with_the_part_that_it_came_with() -> None:
    thought = signature("dGg=").replace(summary="hm")
    text, call = {"text": "I look."}, {"functionCall": {"id": "c1", "name": "read", "args": {"path": "a"}}}
    assert answer(thought, signature("dHg="), TextBlock("I look."), signature("Y2w="), CALL) == [
        {"text": "hm", "thought": True, "thoughtSignature": "dGg="},
        text | {"thoughtSignature": "dHg="},
        call | {"thoughtSignature": "Y2w="},
    ]


@pytest.mark.parametrize(
    "changed", [{"model": "gemini-3-flash"}, {"provider": "google-vertex"}, {"wire": "openai-chat"}]
)
def test_a_signature_of_another_model_or_provider_is_not_sent(changed: dict[str, str]) -> None:
    assert answer(signature("dHg=", **changed), TextBlock("ok")) == [{"text": "ok"}]


@pytest.mark.parametrize("text", ["signature", "ä", "====", "abc=d", "a"])
def test_what_is_no_base64_is_no_signature(text: str) -> None:
    assert answer(signature(text), TextBlock("ok")) == [{"text": "ok"}]


def test_a_call_of_another_model_gets_the_signature_that_the_api_accepts_for_it() -> None:
    calls = [CALL, CALL.replace(id="c2")]
    signatures = [part.get("thoughtSignature") for part in answer(*calls)]
    assert signatures == ["skip_thought_signature_validator", None]
    assert all("thoughtSignature" not in part for part in answer(*calls, model=OLD))


def test_thinking_without_a_signature_is_not_sent() -> None:
    assert answer(signature("").replace(summary="hm"), TextBlock("ok")) == [{"text": "ok"}]


@pytest.mark.parametrize("model", [OLD, NEW])
def test_all_results_of_a_turn_are_in_one_content(model: Model) -> None:
    calls = Message("assistant", [CALL, CALL.replace(id="c2", name="list")])
    results = [ToolResultBlock("c2", [TextBlock("b")]), ToolResultBlock("c1", [TextBlock("no")], is_error=True)]
    content = encode(model, calls, Message("tool", results))["contents"][2]
    ids = [{"id": id} if model is NEW else {} for id in ("c1", "c2")]
    assert [part["functionResponse"] for part in content["parts"]] == [
        ids[0] | {"name": "read", "response": {"error": "no"}},
        ids[1] | {"name": "list", "response": {"output": "b"}},
    ]
    assert content["role"] == "user"


def test_an_image_is_part_of_a_result_or_comes_in_a_content_of_its_own() -> None:
    turn = [Message("assistant", [CALL]), Message("tool", [ToolResultBlock("c1", [PIXEL])])]
    image = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    (part,) = encode(NEW, *turn)["contents"][2]["parts"]
    assert part["functionResponse"]["parts"] == [image]
    results, images = encode(OLD, *turn)["contents"][2:]
    assert "parts" not in results["parts"][0]["functionResponse"]
    assert images["parts"][1] == image


def test_a_constant_of_a_schema_becomes_a_list_of_one_value() -> None:
    schema = {
        "type": "object",
        "properties": {
            "const": {"const": "a", "type": "string"},
            "n": {"anyOf": [{"const": 1}, {"const": True, "type": "boolean"}]},
            "enum": {"enum": [{"const": 1}], "default": {"const": 2}},
        },
        "$defs": {"x": {"items": {"const": "b"}}},
    }
    tool = encode(tools=[ToolSpec("t", "d", schema)])["tools"][0]["functionDeclarations"][0]
    assert tool["parametersJsonSchema"] == {
        "type": "object",
        "properties": {
            "const": {"enum": ["a"], "type": "string"},
            "n": {"anyOf": [{"enum": [1]}, {"type": "boolean"}]},
            "enum": {"enum": [{"const": 1}], "default": {"const": 2}},
        },
        "$defs": {"x": {"items": {"enum": ["b"]}}},
    }
    assert schema["properties"]["const"] == {"const": "a", "type": "string"}  # type: ignore[index]


@pytest.mark.parametrize(("model", "tools", "sent"), [(NEW, True, True), (OLD, True, False), (OLD, False, True)])
def test_an_older_model_gets_a_schema_or_tools(model: Model, tools: bool, sent: bool) -> None:
    spec = [ToolSpec("t", "d", {"type": "object"})] if tools else []
    config = encode(model, tools=spec, response_schema={"type": "object"})["generationConfig"]
    assert ("responseJsonSchema" in config) is sent


def test_an_empty_history_makes_an_empty_body_and_no_crash() -> None:
    assert WIRE.encode(Request(NEW.replace(reasoning=False), []), Quirks()) == {"contents": []}
