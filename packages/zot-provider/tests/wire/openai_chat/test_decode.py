import json
from typing import Any

import pytest

from zot_provider.errors import ModelError
from zot_provider.events import ReasoningDelta, StreamEnd
from zot_provider.messages import Block, ReasoningBlock, TextBlock, ToolCallBlock
from zot_provider.wire.openai_chat.decode import ChatDecoder

FAILED = "the server failed; try again (server_error)"


@pytest.mark.parametrize(
    ("chunk", "text", "code"),
    [
        ({"error": {"message": "boom", "type": "server_error"}}, "boom (server_error)", "server_error"),
        ({"object": "error", "message": "boom", "code": 400}, "boom (400)", "400"),
        ({"error": "boom"}, "boom", ""),
        ({"choices": [{"finish_reason": "error"}]}, "the server failed; try again (server_error)", "server_error"),
        (
            {"choices": [{"finish_reason": "network_error"}]},
            "the server failed; try again (server_error)",
            "server_error",
        ),
        ({"choices": [{"finish_reason": "error", "error": {"code": 502, "message": "gone"}}]}, "gone (502)", "502"),
        ({"choices": [{"finish_reason": "error"}], "error": {"code": 429, "message": "slow"}}, "slow (429)", "429"),
    ],
)
def test_an_error_in_any_shape_says_what_happened(chunk: dict[str, object], text: str, code: str) -> None:
    with pytest.raises(ModelError) as caught:
        ChatDecoder().feed([json.dumps(chunk).encode()])
    assert (str(caught.value), caught.value.code) == (f"the model failed: {text}", code)


def test_an_id_made_up_for_a_call_holds_only_letters_digits_and_dashes() -> None:
    decoder = ChatDecoder()
    piece = {"index": 0, "function": {"name": "read", "arguments": "{}"}}
    decoder.feed([json.dumps({"id": "resp:ä/1", "choices": [{"delta": {"tool_calls": [piece]}}]}).encode()])
    assert decoder.feed([b"[DONE]"])[0].id == "call_respä1_0"


def decoded(*deltas: dict[str, Any], reason: str = "stop") -> tuple[list[Block], str]:
    """The blocks of an answer with these deltas, and its thinking as it was streamed."""
    decoder = ChatDecoder()
    chunks = [{"choices": [{"delta": delta}]} for delta in deltas] + [{"choices": [{"finish_reason": reason}]}]
    events = decoder.feed([json.dumps(chunk).encode() for chunk in chunks]) + decoder.feed([b"[DONE]"])
    end = events[-1]
    assert isinstance(end, StreamEnd)
    return end.content, "".join(event.delta for event in events if isinstance(event, ReasoningDelta))


def test_thinking_in_parts_of_the_content_is_thinking() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    content, streamed = decoded({"content": [thinking, {"type": "text", "text": "So."}]}, {"content": " Yes."})
    assert content == [ReasoningBlock("hm", wire="openai-chat"), TextBlock("So. Yes.")]
    assert streamed == "hm"


def test_thinking_that_is_sent_twice_is_taken_once() -> None:
    content, streamed = decoded(
        {"reasoning_content": "hm", "reasoning": "hm"}, {"reasoning_text": "!"}, {"content": "a"}
    )
    assert content == [ReasoningBlock("hm!", wire="openai-chat"), TextBlock("a")]
    assert streamed == "hm!"


def test_reasoning_details_are_kept_whole_and_in_order() -> None:
    pieces: list[dict[str, Any]] = [
        {"type": "reasoning.text", "text": "h", "index": 0, "format": "f"},
        {"type": "reasoning.text", "text": "m", "index": 0, "signature": None},
        {"type": "reasoning.text", "signature": "s1g", "index": 0},
        {"type": "reasoning.summary", "summary": "so", "index": 1},
        {"type": "reasoning.encrypted", "data": "x", "id": "rs_1", "index": 2},
        {"type": "reasoning.encrypted", "data": "y", "id": "rs_2", "index": 3},
    ]
    deltas = [{"reasoning_details": [piece]} for piece in pieces]
    (block, text), streamed = decoded(*deltas, {"content": "a"})
    assert isinstance(block, ReasoningBlock)
    assert json.loads(block.encrypted_content) == [
        {"type": "reasoning.text", "text": "hm", "index": 0, "format": "f", "signature": "s1g"},
        *pieces[3:],
    ]
    assert (block.summary, streamed, text) == ("hmso", "hmso", TextBlock("a"))


def test_thinking_that_is_only_encrypted_is_kept() -> None:
    piece = {"type": "reasoning.encrypted", "data": "x"}
    (block, text), _ = decoded({"reasoning_details": [piece]}, {"content": "a"})
    assert isinstance(block, ReasoningBlock)
    assert (json.loads(block.encrypted_content), text) == ([piece], TextBlock("a"))


def test_an_id_that_is_the_word_null_is_no_id() -> None:
    first = {"index": 0, "id": "abc", "function": {"name": "read", "arguments": "{"}}
    second = {"index": 0, "id": "null", "function": {"name": "", "arguments": "}"}}
    content, _ = decoded({"tool_calls": [first]}, {"tool_calls": [second]})
    assert content == [ToolCallBlock("abc", "read", "{}")]


def test_a_conversation_that_is_too_long_is_such_an_error_also_as_a_reason_to_stop() -> None:
    with pytest.raises(ModelError) as caught:
        decoded({"content": "a"}, reason="model_context_window_exceeded")
    assert caught.value.context_overflow
