import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.errors import ModelError, ProtocolError
from zot_provider.events import StreamEnd, ToolUseArgs
from zot_provider.messages import ReasoningBlock, ToolCallBlock
from zot_provider.wire.openai_responses.decode import ResponsesDecoder


@pytest.mark.parametrize(
    ("event", "text", "code"),
    [
        (
            {"type": "error", "code": "rate_limit_exceeded", "message": "slow"},
            "slow (rate_limit_exceeded)",
            "rate_limit_exceeded",
        ),
        (
            {"type": "error", "error": {"type": "server_error", "message": "boom"}},
            "boom (server_error)",
            "server_error",
        ),
        ({"type": "error"}, "no reason given (error)", "error"),
        (
            {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "boom"}}},
            "boom (server_error)",
            "server_error",
        ),
        (
            {"type": "response.cancelled", "response": {"status": "cancelled"}},
            "no reason given (cancelled)",
            "cancelled",
        ),
        ({"type": "response.failed"}, "no reason given (failed)", "failed"),
    ],
)
def test_an_error_in_any_shape_says_what_happened(event: dict[str, object], text: str, code: str) -> None:
    with pytest.raises(ModelError) as caught:
        ResponsesDecoder().feed([json.dumps(event).encode()])
    assert (str(caught.value), caught.value.code) == (f"the model failed: {text}", code)


def test_an_item_that_becomes_another_one_is_an_error_and_no_call_stays_open() -> None:
    call = {"type": "function_call", "id": "fc_a", "call_id": "a", "name": "read", "arguments": ""}
    added = {"type": "response.output_item.added", "output_index": 0, "item": call}
    done = {"type": "response.completed", "response": {"output": [{"type": "reasoning", "id": "r", "summary": []}]}}
    decoder = ResponsesDecoder()
    decoder.feed([json.dumps(added).encode()])

    with pytest.raises(ProtocolError, match="unknown shape"):
        decoder.feed([json.dumps(done).encode()])


def test_encrypted_thinking_that_comes_only_with_the_whole_answer_is_kept() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]}
    output = [item | {"encrypted_content": "cipher"}]
    events = [
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"status": "completed", "output": output}},
    ]
    end = ResponsesDecoder().feed([json.dumps(event).encode() for event in events])[-1]
    assert isinstance(end, StreamEnd)
    (block,) = end.content
    assert isinstance(block, ReasoningBlock)
    assert (block.reasoning_id, block.summary, block.encrypted_content) == ("rs_1", "hm", "cipher")


@given(text=st.text(), pieces=st.integers(1, 5), repeated=st.booleans())
def test_free_text_becomes_the_input_of_the_arguments_however_it_comes(text: str, pieces: int, repeated: bool) -> None:
    size = max(1, -(-len(text) // pieces))
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "c1", "name": "patch", "input": ""}
    deltas = [text[at : at + size] for at in range(0, len(text), size)] if repeated else []
    done = item | {"input": text}
    events = [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *({"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": each} for each in deltas),
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": {"status": "completed", "output": [done]}},
    ]
    decoded = ResponsesDecoder().feed([json.dumps(each).encode() for each in events])
    assert isinstance(decoded[-1], StreamEnd)
    (call,) = decoded[-1].content
    assert isinstance(call, ToolCallBlock)
    assert (call.id, call.name, call.free_text, call.parsed()) == ("c1", "patch", True, {"input": text})
    assert "".join(each.delta for each in decoded if isinstance(each, ToolUseArgs)) == call.arguments


def test_items_that_all_have_the_index_0_stay_apart() -> None:
    items = [
        {"type": "reasoning", "id": "r", "summary": [{"text": "hm"}]},
        {"type": "message", "id": "m", "content": [{"text": "I look."}]},
        {"type": "function_call", "id": "f1", "call_id": "c1", "name": "read", "arguments": '{"path":"a"}'},
        {"type": "function_call", "id": "f2", "call_id": "c2", "name": "read", "arguments": '{"path":"b"}'},
    ]
    values: list[object] = []
    for item in items:
        values.append({"type": "response.output_item.added", "output_index": 0, "item": item | {"arguments": ""}})
        if item["id"] != "f1":  # one of them is not said to be done
            values.append({"type": "response.output_item.done", "output_index": 0, "item": item})
        else:
            values.append(
                {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": item["arguments"]}
            )
    values.append({"type": "response.completed", "response": {"output": items, "usage": "none"}})
    events = ResponsesDecoder().feed([json.dumps(value).encode() for value in values])
    end = events[-1]
    assert isinstance(end, StreamEnd)
    assert [type(block).__name__ for block in end.content] == [
        "ReasoningBlock", "TextBlock", "ToolCallBlock", "ToolCallBlock"
    ]  # fmt: skip
    calls = [block.arguments for block in end.content if isinstance(block, ToolCallBlock)]
    assert calls == ['{"path":"a"}', '{"path":"b"}']
