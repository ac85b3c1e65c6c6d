import json
from typing import Any

import pytest

from zot_provider.families import describe
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model, Thinking
from zot_provider.request import Reasoning, Request, ToolSpec
from zot_provider.wire.anthropic import WIRE
from zot_provider.wire.base import Quirks

ASKED = Message("user", [TextBlock("go")])


def test_the_key_and_the_version_are_headers() -> None:
    assert WIRE.auth("k") == {"anthropic-version": "2023-06-01", "x-api-key": "k"}
    assert WIRE.auth("") == {"anthropic-version": "2023-06-01"}


@pytest.mark.parametrize(
    ("asked", "known", "sent"), [(None, 0, 8192), (None, 64_000, 64_000), (100, 64_000, 100), (100, 0, 100)]
)
def test_the_limit_of_an_answer_is_always_said(asked: int | None, known: int, sent: int) -> None:
    request = Request(Model("m", "v", max_output=known), [ASKED], max_tokens=asked)
    assert WIRE.encode(request, Quirks())["max_tokens"] == sent


def test_numbers_beyond_a_float_do_not_spoil_the_body() -> None:
    call = ToolCallBlock("a", "read", '{"n": 1e999, "m": [-1e999, 1e5]}')
    body = WIRE.encode(Request(Model("m", "v"), [Message("assistant", [call])]), Quirks())
    assert body["messages"][0]["content"][0]["input"] == {"n": "1e999", "m": ["-1e999", 100000.0]}
    json.dumps(body, allow_nan=False)


def test_a_tool_loop_that_began_by_thinking_goes_on_thinking() -> None:
    thought = ReasoningBlock("hm", signature="s1g", wire=WIRE.name)
    history = [
        ASKED,
        Message("assistant", [thought, ToolCallBlock("a", "read", "{}")]),
        Message("tool", [ToolResultBlock("a", [TextBlock("ok")])]),
    ]
    request = Request(Model("m", "v", reasoning=True, max_output=64_000), history, reasoning="low")
    assert WIRE.encode(request, Quirks())["thinking"] == {"type": "enabled", "budget_tokens": 4096}


def test_an_empty_history_makes_an_empty_body_and_no_crash() -> None:
    assert WIRE.encode(Request(Model("m", "v"), []), Quirks()) == {
        "model": "m",
        "max_tokens": 8192,
        "stream": True,
        "messages": [],
    }


def test_effort_is_left_out_where_the_provider_takes_none() -> None:
    request = Request(
        Model("m", "v", reasoning=True, thinking=Thinking("adaptive", ("high",))), [ASKED], reasoning="high"
    )
    body = WIRE.encode(request, Quirks(reasoning_effort=False))
    assert "thinking" not in body
    assert "output_config" not in body


def test_each_body_has_its_own_objects() -> None:
    request = Request(Model("m", "v"), [ASKED], system="s")
    first, second = WIRE.encode(request, Quirks()), WIRE.encode(request, Quirks())
    first["system"][0]["cache_control"]["type"] = "changed"
    assert second["system"][0]["cache_control"] == {"type": "ephemeral"}


def marked(body: dict[str, Any]) -> list[bool]:
    return ["cache_control" in turn["content"][-1] for turn in body["messages"]]


def test_an_answer_with_more_calls_than_the_cache_looks_back_has_a_breakpoint_before_it() -> None:
    calls = [ToolCallBlock(f"c{number}", "read", "{}") for number in range(15)]
    results = [ToolResultBlock(call.id, [TextBlock("ok")]) for call in calls]
    history = [ASKED, Message("assistant", [*calls]), Message("tool", [*results]), Message("user", [TextBlock("on")])]
    assert marked(WIRE.encode(Request(Model("m", "v"), history), Quirks())) == [True, False, True]
    assert marked(WIRE.encode(Request(Model("m", "v"), history[:1]), Quirks())) == [True]


def test_all_breakpoints_ask_for_the_same_time() -> None:
    tools = [ToolSpec("read", "Read a file.", {"type": "object"})]
    history = [ASKED, Message("assistant", [TextBlock("a")]), ASKED]
    body = WIRE.encode(Request(Model("m", "v"), history, system="s", tools=tools, cache_time="1h"), Quirks())
    assert json.dumps(body).count('"cache_control": {"type": "ephemeral", "ttl": "1h"}') == 4


def reasoning(id: str, level: Reasoning) -> dict[str, Any]:
    """What a body says of thinking and sampling."""
    model = describe(id, "anthropic")
    body = WIRE.encode(Request(model, [ASKED], reasoning=level, temperature=0.5), Quirks())
    return {name: value for name, value in body.items() if name in ("thinking", "output_config", "temperature")}


def adaptive(effort: str) -> dict[str, Any]:
    return {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": effort}}


@pytest.mark.parametrize(
    ("id", "level", "sent"),
    [
        ("claude-sonnet-5", "low", adaptive("low")),
        ("claude-sonnet-5", "off", {"thinking": {"type": "disabled"}}),
        ("claude-sonnet-5-5", "off", {"thinking": {"type": "between_tools"}}),
        ("claude-sonnet-5-5", "minimum", adaptive("low")),
        ("claude-opus-5-5", "off", adaptive("low")),
        ("claude-opus-9", "off", adaptive("low")),
        ("claude-opus-9", "max", adaptive("max")),
        ("us.anthropic.claude-opus-5-5-v1:0", "xhigh", adaptive("xhigh")),
        ("claude-sonnet-4-6", "xhigh", adaptive("max")),
        ("claude-sonnet-4-6", "off", {"temperature": 0.5}),
        ("claude-opus-4-8", "off", {}),
        ("claude-haiku-4-5", "off", {"temperature": 0.5}),
        ("claude-haiku-4-5", "low", {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
        ("claude-3-5-haiku-20241022", "high", {"temperature": 0.5}),
        ("MiniMax-M3.1-Flash", "medium", adaptive("medium")),
        ("MiniMax-M2.5", "medium", {"temperature": 0.5}),
    ],
)
def test_a_model_is_asked_to_think_as_its_family_is(id: str, level: Reasoning, sent: dict[str, Any]) -> None:
    assert reasoning(id, level) == sent
