import json
import re
import subprocess
import sys
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wire_cases import BODIES, CONVERSATIONS, STREAMS, StreamCase
from zot_provider.errors import ModelError, ProviderError
from zot_provider.events import StreamEnd, StreamEvent, ToolUseEnd, ToolUseStart
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request
from zot_provider.transport.sse import SseSplitter
from zot_provider.wire import WIRES, load_wire
from zot_provider.wire.base import Quirks


def case_id(case: StreamCase) -> str:
    return f"{case.wire}: {case.id}"


def decode(case: StreamCase, batches: Iterable[list[bytes]]) -> tuple[list[StreamEvent], type[ProviderError] | None]:
    decoder = load_wire(case.wire).open_decoder()
    events: list[StreamEvent] = []
    try:
        for batch in batches:
            events += decoder.feed(batch)
        events += decoder.finish()
    except ProviderError as error:
        return events, type(error)
    return events, None


def decode_body(case: StreamCase, chunks: Iterable[bytes]) -> tuple[list[StreamEvent], type[ProviderError] | None]:
    splitter = (load_wire(case.wire).splitter or SseSplitter)()
    return decode(case, (splitter.feed(chunk) for chunk in chunks))


def test_each_wire_has_a_column_and_streams_in_the_table() -> None:
    assert set(BODIES) == set(WIRES)
    assert {case.wire for case in STREAMS} == set(WIRES)
    assert len({case_id(case) for case in STREAMS}) == len(STREAMS)


ODD_IDS = ["call 1", "toolu_" + "x" * 80, "zwölf", "a/b", " "]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("id", ODD_IDS)
def test_ids_and_names_of_another_server_are_sent_in_the_form_that_this_one_accepts(wire: str, id: str) -> None:
    history = [
        Message("user", [TextBlock("hi")]),
        Message("assistant", [ToolCallBlock(id, "my tool!", "{}"), ToolCallBlock(id, "x" * 99, "{}")]),
        Message("tool", [ToolResultBlock(id, [TextBlock("one")]), ToolResultBlock(id, [TextBlock("two")])]),
    ]
    text = json.dumps(load_wire(wire).encode(Request(Model("m", "p", reasoning=True), history), Quirks()))
    text = re.sub(r'"functionResponse": {"id": ("[^"]*")', r'"functionResponse": {"call_id": \1, "content": ""', text)
    longest = 40 if wire == "openai-chat" else 64
    calls = re.findall(r'"(?:id|call_id|toolUseId)": "([^"]*)", "(?:type|name)"', text)
    results = re.findall(r'"(?:tool_use_id|tool_call_id|call_id|toolUseId)": "([^"]*)", "(?:content|output)"', text)
    assert (len(set(calls)), len(calls)) == (2, 2)
    assert calls == results
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]+", each) and len(each) <= longest for each in calls)
    names = re.findall(r'"name": "([^"]*)"', text)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)


@pytest.mark.parametrize("wire", WIRES)
def test_a_model_gets_its_own_thinking_back_and_not_that_of_another_model_of_its_provider(wire: str) -> None:
    thought = ReasoningBlock("hm", "rs_1", "", "c2ln", wire=wire, provider="p", model="claude-a")
    if wire == "openai-responses":
        thought = thought.replace(encrypted_content="cipher")
    history = [
        Message("user", [TextBlock("hi")]),
        Message("assistant", [thought, TextBlock("ho")]),
        Message("user", [TextBlock("and?")]),
    ]
    texts = {
        id: json.dumps(load_wire(wire).encode(Request(Model(id, "p", reasoning=True), history), Quirks()))
        for id in ("claude-a", "claude-b")
    }
    assert {id: '"hm"' in text for id, text in texts.items()} == {"claude-a": True, "claude-b": False}


@pytest.mark.parametrize("name", WIRES)
def test_a_wire_is_found_by_the_name_it_has(name: str) -> None:
    assert load_wire(name).name == name


def test_an_unknown_wire_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        load_wire("morse")


@pytest.mark.parametrize("conversation", CONVERSATIONS)
@pytest.mark.parametrize("wire", WIRES)
def test_a_conversation_becomes_exactly_this_body(wire: str, conversation: str) -> None:
    body = load_wire(wire).encode(CONVERSATIONS[conversation], Quirks())
    assert body == BODIES[wire][conversation]
    json.dumps(body, allow_nan=False, ensure_ascii=False).encode()


@pytest.mark.parametrize("wire", WIRES)
def test_earlier_messages_are_encoded_the_same_again_for_the_cache(wire: str) -> None:
    request = CONVERSATIONS["a tool runs and the user goes on"]
    for sent in ("messages", "input", "contents"):
        first, second = (
            json.loads(
                json.dumps(load_wire(wire).encode(request.replace(messages=messages), Quirks())).replace(
                    ', "cache_control": {"type": "ephemeral"}', ""
                )
            ).get(sent, [])
            for messages in (request.messages[:1], request.messages[:3])
        )
        assert second[: len(first)] == first


@pytest.mark.parametrize("case", STREAMS, ids=case_id)
def test_a_stream_becomes_exactly_these_events(case: StreamCase) -> None:
    assert decode(case, [case.items]) == (case.events, case.error)


@pytest.mark.parametrize("case", STREAMS, ids=case_id)
def test_a_stream_of_single_events_becomes_the_same(case: StreamCase) -> None:
    assert decode(case, ([item] for item in case.items)) == (case.events, case.error)


@pytest.mark.parametrize("case", STREAMS, ids=case_id)
def test_a_stream_cut_in_two_anywhere_becomes_the_same(case: StreamCase) -> None:
    body = case.body[:4000]
    whole = decode_body(case, [body])
    for cut in range(len(body)):
        assert decode_body(case, [body[:cut], body[cut:]]) == whole


@given(st.sampled_from([case for case in STREAMS if len(case.body) < 10_000]), st.data())
def test_a_stream_cut_into_pieces_becomes_the_same(case: StreamCase, data: st.DataObject) -> None:
    body = case.body
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=12)))
    chunks = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    assert decode_body(case, chunks) == (case.events, case.error)


@given(
    st.sampled_from(list(WIRES)),
    st.lists(st.sampled_from([item for case in STREAMS for item in case.items]), max_size=6),
)
def test_any_events_give_an_orderly_answer_or_a_provider_error(wire: str, items: list[bytes]) -> None:
    case = StreamCase("any", wire, list(items))
    events, error = decode(case, [[item] for item in items])
    assert decode(case, [items]) == (events, error)
    ends = [index for index, event in enumerate(events) if isinstance(event, StreamEnd)]
    assert ends == ([] if error else [len(events) - 1])
    started = [event.id for event in events if isinstance(event, ToolUseStart)]
    assert len(set(started)) == len(started)
    if not error:
        assert sorted(started) == sorted(event.id for event in events if isinstance(event, ToolUseEnd))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "choices",
                    "delta",
                    "content",
                    "index",
                    "usage",
                    "error",
                    "tool_calls",
                    "function",
                    "item",
                    "response",
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(st.sampled_from(list(WIRES)), JSON, st.sampled_from([item for case in STREAMS for item in case.items[:1]]))
def test_json_of_any_shape_is_no_crash(wire: str, value: object, beside: bytes) -> None:
    try:
        known = json.loads(beside)
    except (ValueError, RecursionError):
        known = {}
    if isinstance(known, dict) and isinstance(value, dict):
        value = known | value
    decode(StreamCase("any", wire, []), [[json.dumps(value).encode()]])


@pytest.mark.parametrize("wire", WIRES)
def test_an_answer_that_has_ended_says_nothing_more(wire: str) -> None:
    case = next(case for case in STREAMS if case.wire == wire and case.error is None)
    decoder = load_wire(wire).open_decoder()
    assert not decoder.ended
    decoder.feed(case.items)
    assert decoder.ended
    assert decoder.feed(case.items) == []
    assert decoder.finish() == []


@pytest.mark.parametrize("wire", WIRES)
def test_a_failure_ends_the_decoder_and_is_raised_again(wire: str) -> None:
    case = next(case for case in STREAMS if case.wire == wire and case.error is ModelError and case.events)
    decoder = load_wire(wire).open_decoder()
    assert decoder.feed(case.items) == case.events
    assert decoder.ended
    with pytest.raises(ModelError):
        decoder.feed([])
    with pytest.raises(ModelError):
        decoder.finish()


@pytest.mark.parametrize("name", WIRES)
def test_a_wire_imports_nothing_heavy(name: str) -> None:
    code = f"import sys, {WIRES[name]}; print(*sys.modules)"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    others = {module for other, module in WIRES.items() if other != name}
    assert not loaded & (others | {"httpx", "asyncio", "pydantic", "ssl", "urllib.request", "typing_extensions"})
