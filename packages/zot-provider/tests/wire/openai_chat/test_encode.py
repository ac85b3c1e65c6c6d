from typing import Any

import pytest

from zot_provider.messages import ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request
from zot_provider.wire.base import Quirks
from zot_provider.wire.openai_chat import WIRE

MODEL = Model("m", "v", reasoning=True)
ASKED = Message("user", [TextBlock("go")])


def test_the_key_is_a_bearer_token() -> None:
    assert WIRE.auth("k") == {"authorization": "Bearer k"}
    assert WIRE.auth("") == {}


@pytest.mark.parametrize(
    ("quirks", "request_", "sent"),
    [
        (Quirks(max_tokens_field="max_completion_tokens"), {"max_tokens": 5}, {"max_completion_tokens": 5}),
        (Quirks(usage_chunk=False), {}, {"stream_options": None}),
        (Quirks(reasoning_effort=False), {"reasoning": "high"}, {"reasoning_effort": None}),
        (Quirks(prompt_cache_key=True), {"cache_key": "c"}, {"prompt_cache_key": "c"}),
        (Quirks(prompt_cache_key=True), {}, {"prompt_cache_key": None}),
        (Quirks(), {"cache_key": "c"}, {"prompt_cache_key": None}),
    ],
)
def test_a_quirk_changes_the_body(quirks: Quirks, request_: dict[str, Any], sent: dict[str, object]) -> None:
    body = WIRE.encode(Request(MODEL, [ASKED], **request_), quirks)
    assert {name: body.get(name) for name in sent} == sent


def test_the_system_prompt_has_the_role_the_provider_wants() -> None:
    body = WIRE.encode(Request(MODEL, [ASKED], system="s"), Quirks(system_role="developer"))
    assert body["messages"][0] == {"role": "developer", "content": "s"}


@pytest.mark.parametrize(("field", "sent"), [("reasoning_content", "hm"), ("reasoning", "hm"), ("", None)])
def test_thinking_goes_back_under_the_name_the_provider_takes(field: str, sent: dict[str, object]) -> None:
    history = [ASKED, Message("assistant", [ReasoningBlock("hm", wire=WIRE.name), TextBlock("done")])]
    message = WIRE.encode(Request(MODEL, history), Quirks(reasoning_field=field))["messages"][1]
    assert message == {"role": "assistant", "content": "done"} | ({field: sent} if sent else {})


def test_an_open_schema_is_not_strict() -> None:
    body = WIRE.encode(Request(MODEL, [ASKED], response_schema={"type": "object"}), Quirks())
    assert body["response_format"]["json_schema"] == {
        "name": "answer",
        "schema": {"type": "object"},
        "strict": False,
    }


def test_images_of_several_results_follow_all_results() -> None:
    pixel = ImageBlock("image/png", "AAAA")
    history = [
        Message("assistant", [ToolCallBlock("a", "read", "{}"), ToolCallBlock("b", "read", "{}")]),
        Message("tool", [ToolResultBlock("a", [pixel]), ToolResultBlock("b", [pixel])]),
        Message("assistant", [TextBlock("seen")]),
    ]
    sent = WIRE.encode(Request(MODEL, history), Quirks())["messages"]
    assert [message["role"] for message in sent] == ["assistant", "tool", "tool", "user", "assistant"]
    assert [part["type"] for part in sent[3]["content"]] == ["text", "image_url", "text", "image_url"]
    assert len(history) == 3
