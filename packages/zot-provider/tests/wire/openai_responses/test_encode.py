import json

import pytest

from zot_provider.events import StreamEnd
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request, Sampling, ToolSpec
from zot_provider.testing import Call, Turn
from zot_provider.testing.render import render
from zot_provider.wire.base import Quirks
from zot_provider.wire.openai_responses import WIRE

MODEL = Model("m", "v", reasoning=True)
ASKED = Message("user", [TextBlock("go")])


def test_the_key_is_a_bearer_token() -> None:
    assert WIRE.auth("k") == {"authorization": "Bearer k"}
    assert WIRE.auth("") == {}


@pytest.mark.parametrize(("asked", "sent"), [(100, 100), (1, 16), (None, None)])
def test_the_limit_of_an_answer_is_one_the_api_takes(asked: int | None, sent: int | None) -> None:
    assert WIRE.encode(Request(MODEL, [ASKED], max_tokens=asked), Quirks()).get("max_output_tokens") == sent


def test_thinking_without_its_encrypted_form_is_not_sent() -> None:
    history = [ASKED, Message("assistant", [ReasoningBlock("hm", "rs_1", wire=WIRE.name), TextBlock("done")])]
    sent = WIRE.encode(Request(MODEL, history), Quirks())["input"]
    assert [item["type"] for item in sent] == ["message", "message"]


def test_thinking_without_an_id_or_a_summary_gets_an_id_that_stays_the_same() -> None:
    thought = ReasoningBlock(encrypted_content="cipher", wire=WIRE.name)
    history = [ASKED, Message("assistant", [thought, TextBlock("done"), thought, TextBlock("done")])]
    sent = [WIRE.encode(Request(MODEL, history), Quirks())["input"] for _ in range(2)]
    assert sent[0] == sent[1]
    first, second = (item for item in sent[0] if item["type"] == "reasoning")
    assert first == {"type": "reasoning", "id": first["id"], "summary": [], "encrypted_content": "cipher"}
    assert first["id"].startswith("rs_")
    assert second["id"] not in ("", first["id"])


def test_the_cache_key_is_sent_where_the_provider_takes_one() -> None:
    request = Request(MODEL, [ASKED], cache_key="c")
    assert WIRE.encode(request, Quirks(prompt_cache_key=True))["prompt_cache_key"] == "c"
    assert "prompt_cache_key" not in WIRE.encode(request, Quirks())


def test_effort_is_left_out_where_the_provider_takes_none() -> None:
    body = WIRE.encode(Request(MODEL, [ASKED], reasoning="high"), Quirks(reasoning_effort=False))
    assert "reasoning" not in body
    assert body["include"] == ["reasoning.encrypted_content"]


def test_each_text_of_the_model_has_an_id_that_stays_the_same_as_the_conversation_grows() -> None:
    history = [ASKED, Message("assistant", [TextBlock("ok")]), ASKED, Message("assistant", [TextBlock("ok")])]
    sent = [WIRE.encode(Request(MODEL, history[:count]), Quirks())["input"] for count in (2, 4)]
    assert sent[1][:2] == sent[0]
    answers = [item for item in sent[1] if item["role"] == "assistant"]
    assert len({item["id"] for item in answers}) == 2
    for item in answers:
        assert item["id"].startswith("msg_")
        assert item["status"] == "completed"
        assert item["content"] == [{"type": "output_text", "text": "ok", "annotations": []}]


def test_the_model_reads_in_which_phase_it_wrote_a_text() -> None:
    texts = [TextBlock("I look.", "commentary"), TextBlock("Done.", "final_answer"), TextBlock("Older.")]
    sent = WIRE.encode(Request(MODEL, [ASKED, Message("assistant", list(texts))]), Quirks())["input"]
    assert [item.get("phase") for item in sent[1:]] == ["commentary", "final_answer", None]


def test_what_the_model_wrote_is_sent_back_as_it_came() -> None:
    turn = Turn("Done.", reasoning="Hm.", calls=[Call("read", {"path": "ä"}, "call_1")])
    data = [event.partition(b"data: ")[2] for event in render(turn, WIRE.name)]
    end = WIRE.open_decoder().feed(data)[-1]
    assert isinstance(end, StreamEnd)
    came = json.loads(data[-1])["response"]["output"]
    sent = WIRE.encode(Request(MODEL, [ASKED, Message("assistant", end.content)]), Quirks())["input"][1:]
    del came[1]["content"][0]["logprobs"]  # no model wants these back
    assert [item["type"] for item in came] == ["reasoning", "message", "function_call"]
    for item, back in zip(came, sent, strict=False):
        assert back == {name: item[name] for name in back} | ({"id": back["id"]} if item["type"] == "message" else {})


PATCH = ToolSpec(
    "patch",
    "Change files.",
    {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]},
    Sampling("lark", 'start: "a"+'),
)
CLOSED = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
GRAMMARS = Quirks(grammar_models=("m",))


def test_a_tool_with_a_grammar_is_a_custom_tool_where_the_model_takes_one() -> None:
    request = Request(MODEL, [ASKED], tools=[PATCH])
    (tool,) = WIRE.encode(request, GRAMMARS)["tools"]
    grammar = {"type": "grammar", "syntax": "lark", "definition": 'start: "a"+'}
    assert tool == {"type": "custom", "name": "patch", "description": "Change files.", "format": grammar}
    for quirks in (Quirks(), Quirks(grammar_models=("n",))):
        (tool,) = WIRE.encode(request, quirks)["tools"]
        assert (tool["type"], tool["parameters"], tool["strict"]) == ("function", PATCH.schema, False)


@pytest.mark.parametrize(
    ("schema", "sampling", "strict"),
    [
        (CLOSED, Sampling("json_schema"), True),
        (CLOSED, None, False),
        (CLOSED | {"required": []}, Sampling("json_schema"), False),
    ],
)
def test_a_model_is_held_to_a_closed_schema_if_the_tool_wants_that(
    schema: dict[str, object], sampling: Sampling | None, strict: bool
) -> None:
    request = Request(MODEL, [ASKED], tools=[ToolSpec("t", "", schema, sampling)])
    assert WIRE.encode(request, Quirks())["tools"][0]["strict"] is strict


def test_free_text_goes_back_as_the_model_wrote_it_and_elsewhere_as_arguments() -> None:
    call = ToolCallBlock("c1", "patch", '{"input":"a\\n\\"é\\u00e9"}', free_text=True)
    result = Message("tool", [ToolResultBlock("c1", [TextBlock("done")])])
    request = Request(MODEL, [ASKED, Message("assistant", [call]), result], tools=[PATCH])
    _, called, answered = WIRE.encode(request, GRAMMARS)["input"]
    assert called == {"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": 'a\n"éé'}
    assert answered == {"type": "custom_tool_call_output", "call_id": "c1", "output": "done"}
    _, called, answered = WIRE.encode(request, Quirks())["input"]
    assert (called["type"], answered["type"]) == ("function_call", "function_call_output")
    assert json.loads(called["arguments"]) == {"input": 'a\n"éé'}
