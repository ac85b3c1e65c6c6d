import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.client.body import BodyWriter
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
from zot_provider.request import Request, ToolSpec
from zot_provider.wire import WIRES, load_wire
from zot_provider.wire.base import Quirks

MODEL = Model("claude-m", "v", reasoning=True)
QUIRKS = Quirks(cache_control=True)
IDS = st.sampled_from(["a", "b", "c"])
TEXT = st.builds(TextBlock, st.sampled_from(["hi", "", " ", "é\u2028"]))
IMAGE = st.just(ImageBlock("image/png", "AA=="))
CALL = st.builds(ToolCallBlock, IDS, st.just("read"), st.sampled_from(["{}", '{"a": 1}', "{broken", ""]))
RESULT = st.builds(ToolResultBlock, IDS, st.lists(TEXT | IMAGE, max_size=2), st.booleans())
PROVIDERS = ["v", "w", "x"]
THOUGHT = st.builds(
    ReasoningBlock,
    st.just("hm"),
    signature=st.just("s"),
    encrypted_content=st.sampled_from(["", "e"]),
    wire=st.sampled_from(list(WIRES)),
    provider=st.sampled_from(["", *PROVIDERS]),
)
MESSAGE = st.one_of(
    st.builds(Message, st.just("user"), st.lists(TEXT | IMAGE, max_size=2)),
    st.builds(Message, st.just("assistant"), st.lists(TEXT | CALL | THOUGHT, max_size=3)),
    st.builds(Message, st.just("tool"), st.lists(RESULT, max_size=3)),
)


def whole(name: str, request: Request) -> object:
    return json.loads(json.dumps(load_wire(name).encode(request, QUIRKS)))


def step(number: int) -> list[Message]:
    call: Block = ToolCallBlock(f"c{number}", "bash", '{"command": "true"}')
    return [
        Message("assistant", [call]),
        Message("tool", [ToolResultBlock(f"c{number}", [TextBlock("done")])]),
    ]


@pytest.mark.parametrize("name", WIRES)
@given(history=st.lists(MESSAGE, max_size=12), stride=st.integers(1, 3))
def test_the_body_of_a_growing_conversation_is_what_the_wire_makes_of_it_at_once(
    name: str, history: list[Message], stride: int
) -> None:
    writer = BodyWriter(load_wire(name), QUIRKS)
    for end in range(0, len(history) + 1, stride):
        request = Request(MODEL, history[:end], system="be kind", reasoning="low")
        assert json.loads(writer.write(request)) == whole(name, request)
        writer.prepare(request)


@pytest.mark.parametrize("name", WIRES)
@given(
    first=st.lists(MESSAGE, max_size=6),
    second=st.lists(MESSAGE, max_size=6),
    prepared=st.lists(st.integers(0, 3), min_size=4, max_size=4),
)
def test_conversations_in_turn_do_not_mix(
    name: str, first: list[Message], second: list[Message], prepared: list[int]
) -> None:
    writer = BodyWriter(load_wire(name), QUIRKS)
    requests = [Request(MODEL, history) for history in (first, second, first, first[:3] + second)]
    for request, other in zip(requests, prepared, strict=True):
        assert json.loads(writer.write(request)) == whole(name, request)
        writer.prepare(requests[other])


@pytest.mark.parametrize("name", WIRES)
@given(history=st.lists(MESSAGE, max_size=12), switches=st.lists(st.sampled_from(PROVIDERS), min_size=1, max_size=12))
def test_a_conversation_that_changes_its_provider_gives_the_same_bodies_as_a_fresh_writer(
    name: str, history: list[Message], switches: list[str]
) -> None:
    shared = BodyWriter(load_wire(name), QUIRKS)
    own = {provider: BodyWriter(load_wire(name), QUIRKS) for provider in PROVIDERS}
    for end in range(len(history) + 1):
        provider = switches[end % len(switches)]
        request = Request(MODEL.replace(provider=provider), history[:end], system="be kind", reasoning="low")
        fresh = BodyWriter(load_wire(name), QUIRKS).write(request)
        assert shared.write(request) == own[provider].write(request) == fresh
        assert json.loads(fresh) == whole(name, request)


@pytest.mark.parametrize("name", WIRES)
def test_a_conversation_that_replaces_an_answer_by_a_user_message_is_encoded_whole(
    name: str,
) -> None:
    first, answer, last = (Message(role, [TextBlock(role)]) for role in ("user", "assistant", "user"))
    writer = BodyWriter(load_wire(name), QUIRKS)
    for history in ([first, answer, last], [first, last, answer, last]):
        request = Request(MODEL, history)
        assert json.loads(writer.write(request)) == whole(name, request)


@pytest.mark.parametrize("name", WIRES)
def test_a_changed_model_has_the_whole_conversation_encoded_for_it(name: str) -> None:
    history = [Message("user", [TextBlock("look"), ImageBlock("image/png", "AA==")]), *step(1), *step(2)]
    writer = BodyWriter(load_wire(name), QUIRKS)
    for model in (MODEL, MODEL.replace(images=False), MODEL):
        request = Request(model, history)
        assert json.loads(writer.write(request)) == whole(name, request)


@pytest.mark.parametrize("name", WIRES)
def test_what_was_prepared_is_not_encoded_again_in_the_next_request(name: str) -> None:
    writer = BodyWriter(load_wire(name), QUIRKS)
    history = [Message("user", [TextBlock("go")]), *step(1), *step(2)]
    writer.write(Request(MODEL, list(history)))
    writer.prepare(Request(MODEL, list(history)))
    changed = ToolResultBlock("c1", [TextBlock("changed in place")])
    history[2].content = [changed]  # which nobody may do: it shows what is read again
    history += step(3)
    assert "changed in place" not in writer.write(Request(MODEL, history))


@pytest.mark.parametrize("name", WIRES)
def test_the_text_of_what_has_been_said_stays_the_same_to_the_letter(name: str) -> None:
    writer = BodyWriter(load_wire(name), QUIRKS)
    history = [Message("user", [TextBlock("go")])]
    written = []
    for number in range(5):
        history += step(number)
        written.append(writer.write(Request(MODEL, list(history))))
    settled = writer._text
    assert settled
    assert settled in written[-1]
    assert settled[: len(settled) // 2] in written[-2]


@pytest.mark.parametrize("name", WIRES)
@given(changes=st.lists(st.tuples(st.booleans(), st.sampled_from([None, 1, True]), st.booleans()), max_size=6))
def test_instructions_and_tools_that_change_are_written_as_they_are(
    name: str, changes: list[tuple[bool, object, bool]]
) -> None:
    writer = BodyWriter(load_wire(name), QUIRKS)
    for kind, default, short in changes:
        schema = {"type": "object", "properties": {"a": {"description": "long " * (1 if short else 200)}}}
        if default is not None:  # True == 1, but their texts differ
            schema["properties"]["a"]["default"] = default  # type: ignore[index]
        tools = [] if default is None and short else [ToolSpec("read", "reads", schema)]
        request = Request(MODEL, step(1), system=("be kind. " if kind else "be short. ") * 200, tools=tools)
        assert json.dumps(json.loads(writer.write(request))) == json.dumps(
            json.loads(BodyWriter(load_wire(name), QUIRKS).write(request))
        )
        assert json.loads(writer.write(request)) == whole(name, request)
