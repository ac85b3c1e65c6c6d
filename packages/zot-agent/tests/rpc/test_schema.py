"""The schemas are what the generator makes of the sources, and what is written keeps to them."""

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NotRequired, TypedDict, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_schema import Schema
from operation_faults import FAULTS, OPERATIONS, examples, largest

import zot_agent.rpc
import zot_core
from zot_agent.extensions.calls.open_calls import handler
from zot_agent.operations.fields import OperationFailed
from zot_agent.operations.names import FIELDS
from zot_agent.operations.registry import find
from zot_agent.rpc.handshake import Pong
from zot_agent.verbs.prompts import Started
from zot_core import events
from zot_core.conversation import events as told
from zot_core.conversation.event_json import encode_conversation_event
from zot_core.event_json import encode_event, encode_message
from zot_ext.protocol.calls import METHODS as CALLS
from zot_ext.protocol.fields import FieldKind
from zot_provider.messages import ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.usage import Usage

SCRIPTS = Path(__file__).parents[4] / "scripts"
EVENTS = Path(zot_core.__file__).parent / "events.schema.json"
RPC = Path(zot_agent.rpc.__file__).parent / "rpc.schema.json"
USAGE = Usage(1, 2, 3, 4, 0.5, 6)
LINES = ("one", [{"text": "two", "style": "error"}])
PANEL = told.Panel("p", "Title", ("one", "two"), "footer")


class _Part(TypedDict):
    """A part."""

    level: Literal["low", "high"] | None


class _Sample(TypedDict):
    """Each kind of annotation."""

    texts: list[str]
    price: float | None
    inner: list[_Part]
    more: NotRequired[Literal[True]]
    any: Any


counts = st.integers(0, 1 << 40)
texts = st.text(st.characters(exclude_categories=["Cs"]))
inner = st.one_of(st.builds(TextBlock, texts), st.builds(ImageBlock, st.just("image/png"), st.just("AAAA")))
amounts = st.floats(0, 1e6)
usages = st.builds(Usage, counts, counts, counts, counts, amounts, st.none() | counts)
blocks = st.one_of(
    inner,
    st.builds(ToolCallBlock, texts, texts, texts | st.just('{"a":1}')),
    st.builds(ToolResultBlock, texts, st.lists(inner, max_size=2), st.booleans()),
    st.builds(ReasoningBlock, texts),
)
messages = st.builds(
    Message,
    st.sampled_from(["user", "assistant", "tool"]),
    st.lists(blocks, max_size=3),
    texts,
    st.sampled_from([None, "other"]),
    st.sampled_from(["", "why"]),
)


def strategy(cls: type) -> st.SearchStrategy[Any]:
    """Events of a class."""
    special: dict[type, st.SearchStrategy[Any]] = {
        events.UserMessage: st.builds(events.UserMessage, messages),
        events.AssistantMessage: st.builds(events.AssistantMessage, messages),
        events.UsageEvent: st.builds(events.UsageEvent, usages, usages, texts),
        events.ToolResultEvent: st.builds(
            events.ToolResultEvent, texts, texts, st.booleans(), st.lists(inner, max_size=2), st.none() | st.just("{}"),
            st.dictionaries(texts, counts, max_size=2),
        ),
        events.SubagentProgress: st.builds(events.SubagentProgress, seconds=amounts),
        events.SubagentStop: st.builds(events.SubagentStop, seconds=amounts, cost_usd=st.none() | amounts),
        told.MessageAdded: st.builds(told.MessageAdded, texts, messages),
        told.PanelOpen: st.just(told.PanelOpen("ext", PANEL)),
        told.PanelShow: st.builds(told.PanelShow, texts, st.builds(told.PlacedPanel, lines=st.just(LINES))),
        told.PanelRender: st.just(told.PanelRender("ext", PANEL)),
    }  # fmt: skip
    return special.get(cls, st.builds(cls))


@given(event=st.one_of(*map(strategy, get_args(events.AgentEvent))))
def test_every_event_fits_both_schemas(read_schema: Callable[[Path], Schema], event: events.AgentEvent) -> None:
    value = json.loads(encode_event(event))

    assert read_schema(EVENTS).faults(value) == []
    assert read_schema(RPC).faults(value, "FromServer") == []


@given(event=st.one_of(*map(strategy, get_args(told.ExtensionEvent))))
def test_every_event_of_an_extension_fits_both_schemas(
    read_schema: Callable[[Path], Schema], event: told.ExtensionEvent
) -> None:
    (line,) = encode_conversation_event(event)

    assert read_schema(EVENTS).faults(json.loads(line)) == []
    assert read_schema(RPC).faults(json.loads(line), "FromServer") == []


@given(message=messages)
def test_every_message_fits_the_schema(read_schema: Callable[[Path], Schema], message: Message) -> None:
    assert read_schema(RPC).faults(json.loads(encode_message(message)), "Message") == []


def script(name: str) -> ModuleType:
    """A generator."""
    sys.path.insert(0, str(SCRIPTS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(SCRIPTS))


@pytest.mark.parametrize("path", [EVENTS, RPC])
def test_the_file_is_current(path: Path) -> None:
    assert path.read_text("utf-8") == script("generate_rpc_schema").texts()[path], "run make generate"


@pytest.mark.parametrize("name", list(CALLS))
def test_every_answer_to_an_extension_is_a_typed_dictionary_with_words(name: str) -> None:
    found: dict[str, dict[str, Any]] = {}
    answers = script("answer_schema")
    operation = find(name)
    answer = answers.answer_class(handler(name) if operation is None else operation.handler)
    if answer is not None:
        answers.add_definitions(answer, found)
    assert [each for each, definition in found.items() if not definition["description"].endswith(".")] == []


def test_an_answer_that_is_no_typed_dictionary_is_refused() -> None:
    def plain(context: object) -> dict[str, Any]:
        return {}

    def two(context: object) -> Pong | Started:
        return {"pong": True}

    for wrong in (plain, two):
        with pytest.raises(SystemExit, match="the answer must be a typed dictionary"):
            script("answer_schema").answer_class(wrong)


@given(
    texts=st.lists(texts, max_size=2),
    level=st.sampled_from(["low", None]),
    more=st.booleans(),
    price=st.none() | amounts,
)
def test_the_schema_of_an_answer_takes_what_its_annotations_allow(
    texts: list[str], level: str | None, more: bool, price: float | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found: dict[str, dict[str, Any]] = {}
    reference = script("answer_schema").add_definitions(_Sample, found)
    path = tmp_path_factory.mktemp("schema") / "schema.json"
    path.write_text(json.dumps({**reference, "$defs": found}))
    value: dict[str, Any] = {"texts": texts, "price": price, "inner": [{"level": level}], "any": 1}
    value |= {"more": True} if more else {}
    assert Schema(path).faults(value) == []
    for wrong in ({"texts": [3]}, {"price": "1"}, {"inner": [{}]}, {"inner": [{"level": "no"}]}, {"more": False}):
        assert Schema(path).faults({**value, **wrong})
    assert Schema(path).faults({name: each for name, each in value.items() if name != "any"})


@pytest.mark.parametrize("name", FIELDS)
def test_every_operation_has_a_schema_that_its_checks_keep_to(read_schema: Callable[[Path], Schema], name: str) -> None:
    schema, operation = read_schema(RPC), OPERATIONS[name]
    full = examples(operation)
    assert schema.faults({"type": name, "id": 7, **full}, "FromClient") == []
    if operation.alias:
        assert schema.faults({"type": operation.alias, **full}, "FromClient") == []
    assert operation.check(full) == full
    for field in operation.fields:
        if field.kind.type:
            assert schema.faults({"type": name, **full, field.name: 7.5}, "FromClient")
        for value in largest(field.kind):
            assert operation.check(full | {field.name: value})[field.name] == value
            assert schema.faults({"type": name, **full, field.name: value}, f"command.{name}") == []
    for each, fields, _, words in FAULTS:
        value = {"type": name, **{field: given for field, given in fields.items() if given is not None}}
        assert each != name or schema.faults(value, f"command.{name}"), words


numbers = st.integers(-3, 1 << 40) | st.floats(-3, 1 << 40) | st.integers(-3, 12).map(float)
words = st.text(max_size=3) | st.sampled_from(["\n", "a\n", "\u2028", "yes", "user", "both", "no"])
json_values = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
    max_leaves=4,
)


def near(kind: FieldKind) -> st.SearchStrategy[Any]:
    """Values of a kind, and others that are nearly of it."""
    found: st.SearchStrategy[Any] = json_values
    if kind.choices:
        found |= st.sampled_from(kind.choices)
    if kind.parts:
        parts: dict[str, st.SearchStrategy[Any]] = {name: near(part) for name, part in kind.parts.items()}
        found |= st.fixed_dictionaries({}, optional=parts)
    return found if kind.each is None else found | st.lists(near(kind.each), max_size=2)


@pytest.mark.parametrize("name", [name for name, fields in FIELDS.items() if fields])
@given(data=st.data())
def test_the_schema_allows_a_value_of_a_field_exactly_if_the_operation_does(
    read_schema: Callable[[Path], Schema], name: str, data: st.DataObject
) -> None:
    operation = OPERATIONS[name]
    field = data.draw(st.sampled_from(operation.fields))
    given = examples(operation) | {field.name: data.draw(near(field.kind))}
    allowed = True
    try:
        operation.check(given)
    except OperationFailed:
        allowed = False
    assert (read_schema(RPC).faults({"type": name, **given}, f"command.{name}") == []) == allowed


def test_what_is_no_event_does_not_fit(read_schema: Callable[[Path], Schema]) -> None:
    assert read_schema(EVENTS).faults({"type": "text_delta"})
    assert read_schema(EVENTS).faults({"type": "unheard_of"})
    assert read_schema(RPC).faults({"type": "response", "command": "ping", "success": True}, "FromServer")
