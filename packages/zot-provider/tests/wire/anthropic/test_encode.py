import json

import pytest

from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request
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
    request = Request(Model("m", "v", reasoning=True, efforts=("high",)), [ASKED], reasoning="high")
    body = WIRE.encode(request, Quirks(reasoning_effort=False))
    assert "thinking" not in body
    assert "output_config" not in body


def test_each_body_has_its_own_objects() -> None:
    request = Request(Model("m", "v"), [ASKED], system="s")
    first, second = WIRE.encode(request, Quirks()), WIRE.encode(request, Quirks())
    first["system"][0]["cache_control"]["type"] = "changed"
    assert second["system"][0]["cache_control"] == {"type": "ephemeral"}
