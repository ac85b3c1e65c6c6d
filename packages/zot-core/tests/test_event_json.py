import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.event_json import encode_blocks, encode_event, encode_message, raw_arguments
from zot_core.events import (
    AgentEvent,
    AssistantMessage,
    AssistantStart,
    AutoRetryEnd,
    AutoRetryStart,
    CompactDone,
    CompactStart,
    Done,
    ErrorEvent,
    JobEnd,
    JobStart,
    Notice,
    ReasoningDelta,
    SubagentProgress,
    SubagentStart,
    SubagentStop,
    TextDelta,
    ToolCall,
    ToolProgress,
    ToolResultEvent,
    ToolStart,
    ToolUseArgs,
    ToolUseEnd,
    ToolUseStart,
    TurnEnd,
    TurnStart,
    UsageEvent,
    UserMessage,
)
from zot_provider.messages import ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.usage import Usage

TIME = "2026-04-19T11:30:00Z"
IMAGE = ImageBlock("image/png", "iVBORw0KGgo=")

EXAMPLES: list[tuple[AgentEvent, str]] = [
    (TurnStart(1), '{"type":"turn_start","step":1}'),
    (
        UserMessage(Message("user", [TextBlock("fix the failing test"), IMAGE], TIME)),
        '{"type":"user_message","content":[{"type":"text","text":"fix the failing test"},'
        '{"type":"image","mime_type":"image/png","bytes":8,"id":"633e93e285fbc812"}],"time":"2026-04-19T11:30:00Z"}',
    ),
    (AssistantStart(), '{"type":"assistant_start"}'),
    (TextDelta('é "quoted"\n'), '{"type":"text_delta","delta":"é \\"quoted\\"\\n"}'),
    (ReasoningDelta("hm"), '{"type":"reasoning_delta","delta":"hm"}'),
    (ToolUseStart("toolu_xyz", "read"), '{"type":"tool_use_start","id":"toolu_xyz","name":"read"}'),
    (ToolUseArgs("toolu_xyz", '{"pa'), '{"type":"tool_use_args","id":"toolu_xyz","delta":"{\\"pa"}'),
    (ToolUseEnd("toolu_xyz"), '{"type":"tool_use_end","id":"toolu_xyz"}'),
    (
        ToolCall("toolu_xyz", "read", '{"path": "..."}'),
        '{"type":"tool_call","id":"toolu_xyz","name":"read","args":{"path": "..."}}',
    ),
    (
        ToolCall("toolu_xyz", "read", '{"path": '),
        '{"type":"tool_call","id":"toolu_xyz","name":"read","args":{},"args_raw":"{\\"path\\": "}',
    ),
    (ToolStart("toolu_xyz", "read"), '{"type":"tool_start","id":"toolu_xyz","name":"read"}'),
    (ToolProgress("toolu_xyz", "half"), '{"type":"tool_progress","id":"toolu_xyz","text":"half"}'),
    (
        ToolResultEvent("toolu_xyz", "read", False, [TextBlock("..."), IMAGE], '{"path":"a"}', {"lines": 3}),
        '{"type":"tool_result","id":"toolu_xyz","name":"read","is_error":false,"content":[{"type":"text","text":"..."},'
        '{"type":"image","mime_type":"image/png","bytes":8,"id":"633e93e285fbc812"}],"args":{"path":"a"},"details":{"lines":3}}',
    ),
    (
        ToolResultEvent("toolu_xyz", "read", True, []),
        '{"type":"tool_result","id":"toolu_xyz","name":"read","is_error":true,"content":[]}',
    ),
    (
        ToolResultEvent("toolu_xyz", "read", True, [], fate="refused"),
        '{"type":"tool_result","id":"toolu_xyz","name":"read","is_error":true,"content":[],"fate":"refused"}',
    ),
    (
        AssistantMessage(
            Message(
                "assistant",
                [ReasoningBlock("hm"), TextBlock("..."), ToolCallBlock("toolu_xyz", "read", '{"path":"..."}')],
                TIME,
            )
        ),
        '{"type":"assistant_message","content":[{"type":"text","text":"..."},'
        '{"type":"tool_call","id":"toolu_xyz","name":"read","args":{"path":"..."}}],"time":"2026-04-19T11:30:00Z"}',
    ),
    (
        UsageEvent(Usage(1, 2, 3, 4, 0.5), Usage(1234, 567, 890, 0, 0.0123, 7)),
        '{"type":"usage","input":1,"output":2,"cache_read":3,"cache_write":4,"cost_usd":0.5,"reasoning":null,'
        '"cumulative":{"input":1234,"output":567,"cache_read":890,"cache_write":0,"cost_usd":0.0123,"reasoning":7}}',
    ),
    (
        AutoRetryStart(1, 3, 1873, "openai: the server answered 429"),
        '{"type":"auto_retry_start","attempt":1,"max_attempts":3,"delay_ms":1873,'
        '"error_message":"openai: the server answered 429"}',
    ),
    (AutoRetryEnd(True, 2), '{"type":"auto_retry_end","success":true,"attempt":2}'),
    (
        AutoRetryEnd(False, 3, "still busy"),
        '{"type":"auto_retry_end","success":false,"attempt":3,"final_error":"still busy"}',
    ),
    (
        UsageEvent(Usage(1, 2), Usage(3, 4)),
        '{"type":"usage","input":1,"output":2,"cache_read":0,"cache_write":0,"cost_usd":null,"reasoning":null,'
        '"cumulative":{"input":3,"output":4,"cache_read":0,"cache_write":0,"cost_usd":null,"reasoning":null}}',
    ),
    (
        UsageEvent(Usage(1, 2), Usage(3, 4), "2"),
        '{"type":"usage","input":1,"output":2,"cache_read":0,"cache_write":0,"cost_usd":null,"reasoning":null,'
        '"cumulative":{"input":3,"output":4,"cache_read":0,"cache_write":0,"cost_usd":null,"reasoning":null},'
        '"agent_id":"2"}',
    ),
    (TurnEnd("end_turn"), '{"type":"turn_end","stop":"end_turn"}'),
    (TurnEnd("error", "not today"), '{"type":"turn_end","stop":"error","error":"not today"}'),
    (
        CompactStart("manual", 12, 345),
        '{"type":"compact_start","reason":"manual","message_count":12,"tokens_before":345}',
    ),
    (
        CompactDone("## Goal\n", 4, 345, 67),
        '{"type":"compact_done","summary":"## Goal\\n","kept":4,"tokens_before":345,"tokens_after":67}',
    ),
    (JobStart("1", "make"), '{"type":"job_start","id":"1","command":"make"}'),
    (
        JobEnd("1", "make", "ended", 2),
        '{"type":"job_end","id":"1","command":"make","state":"ended","exit_code":2}',
    ),
    (
        JobEnd("1", "make", "stopped", None),
        '{"type":"job_end","id":"1","command":"make","state":"stopped","exit_code":null}',
    ),
    (
        SubagentStart("2", "explore", "look", "m", "1", "call_1", session="/s/a.jsonl"),
        '{"type":"subagent_start","agent_id":"2","name":"explore","task":"look","model":"m","parent":"1",'
        '"tool_call":"call_1","background":false,"session":"/s/a.jsonl"}',
    ),
    (
        SubagentProgress("2", "read: a.py", 12, 0.5),
        '{"type":"subagent_progress","agent_id":"2","line":"read: a.py","tokens":12,"seconds":0.5}',
    ),
    (
        SubagentStop("2", "explore", "aborted", "it was stopped", 3, 12, None, 1.5),
        '{"type":"subagent_stop","agent_id":"2","name":"explore","end":"aborted","error":"it was stopped","steps":3,'
        '"tokens":12,"cost_usd":null,"seconds":1.5,"branch":"","worktree":""}',
    ),
    (Notice("warn", "hidden"), '{"type":"notice","level":"warn","message":"hidden"}'),
    (ErrorEvent("no key", 2), '{"type":"error","message":"no key"}'),
    (
        ErrorEvent("status 503", retryable=True, candidates=["acme/a1"]),
        '{"type":"error","message":"status 503","retryable":true,"candidates":["acme/a1"]}',
    ),
    (
        ErrorEvent("no key", retryable=True, auth=True),
        '{"type":"error","message":"no key","retryable":true,"candidates":[],"auth":true}',
    ),
    (Done(), '{"type":"done"}'),
    (Done("aborted"), '{"type":"done"}'),
    (Done("max_steps"), '{"type":"done","reason":"max_steps"}'),
]


@pytest.mark.parametrize(
    ("event", "text"), EXAMPLES, ids=[f"{event.type}-{at}" for at, (event, _) in enumerate(EXAMPLES)]
)
def test_an_event_has_the_documented_form(event: AgentEvent, text: str) -> None:
    assert encode_event(event) == text
    json.loads(text)


def test_there_is_an_example_of_every_event() -> None:
    assert {type(event) for event, _ in EXAMPLES} == set(get_args(AgentEvent))


def test_a_tool_result_inside_of_a_message_names_its_call() -> None:
    block = ToolResultBlock("toolu_xyz", [TextBlock("...")], is_error=False)
    assert encode_blocks([block]) == (
        '[{"type":"tool_result","call_id":"toolu_xyz","is_error":false,"content":[{"type":"text","text":"..."}]}]'
    )
    refused = ToolResultBlock("toolu_xyz", [], is_error=True, fate="refused")
    assert json.loads(encode_blocks([refused]))[0]["fate"] == "refused"


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("", ('"args":{}', "")),
        ("  \n", ('"args":{}', "")),
        ('{"a":\r\n 1}', ('"args":{"a":   1}', "")),
        ('{"a":1e5, "a":2}', ('"args":{"a":1e5, "a":2}', "")),
        ('{"a":NaN}', ('"args":{}', ',"args_raw":"{\\"a\\":NaN}"')),
        ("[1]", ('"args":{}', ',"args_raw":"[1]"')),
    ],
)
def test_arguments_stand_as_the_model_wrote_them_if_they_are_an_object(text: str, members: tuple[str, str]) -> None:
    assert raw_arguments(text) == members


@pytest.mark.parametrize("value", [{"path": Path("x")}, {"x": float("nan")}, {("a",): 1}])
def test_details_without_a_json_form_are_left_out(value: dict[str, Any]) -> None:
    assert "details" not in json.loads(encode_event(ToolResultEvent("1", "x", False, [], details=value)))


texts = st.text(max_size=20)
arguments = st.one_of(
    texts,
    st.dictionaries(texts, st.none() | st.booleans() | st.floats() | texts, max_size=3).map(json.dumps),
    st.dictionaries(texts, texts, max_size=3).map(lambda value: json.dumps(value, indent=1, ensure_ascii=False)),
)
shown = st.builds(TextBlock, texts) | st.builds(ImageBlock, texts, texts)
blocks = st.one_of(
    shown,
    st.builds(ToolCallBlock, texts, texts, arguments),
    st.builds(ToolResultBlock, texts, st.lists(shown, max_size=2), st.booleans()),
    st.builds(ReasoningBlock, texts),
)
messages = st.builds(Message, st.sampled_from(["user", "assistant", "tool"]), st.lists(blocks, max_size=4), texts)
count = st.integers(0, 10**9)
usages = st.builds(Usage, count, count, count, count, st.floats(0, 1e6), st.none() | count)
details = st.dictionaries(texts, st.integers() | texts | st.floats() | st.lists(texts, max_size=2), max_size=3)
FIELDS: dict[type, dict[str, st.SearchStrategy[Any]]] = {
    UserMessage: {"message": messages},
    AssistantMessage: {"message": messages},
    TurnStart: {"step": count},
    ToolCall: {"arguments": arguments},
    ToolResultEvent: {
        "content": st.lists(shown, max_size=3),
        "is_error": st.booleans(),
        "arguments": st.none() | arguments,
        "details": details,
        "display": st.just([]),
        "fate": st.sampled_from(["ran", "refused", "not_run", "stopped"]),
    },
    UsageEvent: {"usage": usages, "cumulative": usages},
    TurnEnd: {"stop": st.sampled_from(["end_turn", "tool_use", "length", "error", "aborted"])},
    CompactStart: {
        "reason": st.sampled_from(["manual", "threshold", "overflow"]),
        "message_count": count,
        "tokens_before": count,
    },
    CompactDone: {"kept": count, "tokens_before": count, "tokens_after": count},
    Notice: {"level": st.sampled_from(["info", "warn", "error"])},
    ErrorEvent: {"exit_code": count, "retryable": st.booleans(), "candidates": st.lists(texts), "auth": st.booleans()},
    Done: {"reason": st.sampled_from(["completed", "aborted", "error", "refused", "max_steps", "deadline"])},
}


def any_event() -> st.SearchStrategy[AgentEvent]:
    kinds = []
    for kind in get_args(AgentEvent):
        fields = dict.fromkeys(kind.__match_args__, texts) | FIELDS.get(kind, {})
        kinds.append(st.builds(kind, **fields))
    return st.one_of(kinds)


def refuse(name: str) -> None:
    raise ValueError(name)


@given(any_event())
def test_every_event_is_one_line_of_valid_json_with_its_type(event: AgentEvent) -> None:
    line = encode_event(event)

    assert "\n" not in line
    assert "\r" not in line
    value = json.loads(line, parse_constant=refuse)
    assert value["type"] == event.type
    assert next(iter(value)) == "type"


@pytest.mark.parametrize("shown", [{}, {"display_text": "a ***"}, {"hidden": "not for you"}])
def test_a_message_has_the_words_of_the_model_and_what_the_user_sees_beside_them(shown: dict[str, str]) -> None:
    blocks = [TextBlock("a SECRET"), ToolCallBlock("1", "ls", "{}"), TextBlock("and more"), ReasoningBlock("hm")]

    message = Message("assistant", blocks, TIME, **shown)  # type: ignore[arg-type]
    told = json.loads(encode_message(message))

    assert (told["role"], told["time"]) == ("assistant", TIME)
    assert [block["text"] for block in told["content"] if block["type"] == "text"] == ["a SECRET", "and more"]
    assert {name: told[name] for name in ("display_text", "hidden") if name in told} == shown
    assert {"type": "tool_call", "id": "1", "name": "ls", "args": {}} in told["content"]
    assert "reasoning" not in [block["type"] for block in told["content"]]
    assert "summarized_tokens" not in told
    assert json.loads(encode_message(message.replace(summarized_tokens=0)))["summarized_tokens"] == 0


def test_no_reader_of_lines_cuts_an_event_in_two() -> None:
    event = ToolCall("1", "bash", '{"a": "\u2028"}')

    for text in (encode_event(TextDelta("a\u2028b\u2029c\x85d\r\n\x0b\x0c\x1c")), encode_event(event)):
        assert text.splitlines() == [text]
    assert json.loads(encode_event(TextDelta("a\u2028b\x85"))) == {"type": "text_delta", "delta": "a\u2028b\x85"}
    assert json.loads(encode_event(event))["args"] == {"a": "\u2028"}
