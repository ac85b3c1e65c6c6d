"""The schemas are what the generator makes of the sources, and what is written keeps to them."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import zot_agent.rpc
import zot_core
from zot_agent.rpc import METHODS
from zot_core import events
from zot_core.conversation import events as told
from zot_core.conversation.event_json import encode_conversation_event
from zot_core.event_json import encode_event, encode_message
from zot_core.testing import Schema
from zot_provider.messages import ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.usage import Usage

GENERATOR = Path(__file__).parents[4] / "scripts" / "generate_rpc_schema.py"
EVENTS = Path(zot_core.__file__).parent / "events.schema.json"
RPC = Path(zot_agent.rpc.__file__).parent / "rpc.schema.json"
USAGE = Usage(1, 2, 3, 4, 0.5, 6)
LINES = ("one", [{"text": "two", "style": "error"}])
PANEL = told.Panel("p", "Title", ("one", "two"), "footer")

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


@pytest.mark.parametrize("path", [EVENTS, RPC])
def test_the_file_is_current(path: Path) -> None:
    spec = importlib.util.spec_from_file_location("generate_rpc_schema", GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)

    assert path.read_text("utf-8") == generator.texts()[path], "run make generate"


@pytest.mark.parametrize("name", list(METHODS))
def test_every_command_has_a_schema_that_its_checks_keep_to(read_schema: Callable[[Path], Schema], name: str) -> None:
    schema, method = read_schema(RPC), METHODS[name]
    examples: dict[str, Any] = {"string": "x", "boolean": True, "number": 3, "value": [{}], "strings": ["x"]}
    examples["images"] = [{"mime_type": "image/png", "data": "AAAA"}]
    full = {field.name: examples[field.kind] for field in method.fields}

    assert schema.faults({"type": name, "id": 7, **full}, "FromClient") == []
    assert method.check(full) == full
    for field in method.fields:
        if field.kind == "value":
            continue
        assert schema.faults({"type": name, **full, field.name: 7.5}, "FromClient")
        with pytest.raises(Exception, match=f"{field.name} must be"):
            method.check({**full, field.name: 7.5})


def test_what_is_no_event_does_not_fit(read_schema: Callable[[Path], Schema]) -> None:
    assert read_schema(EVENTS).faults({"type": "text_delta"})
    assert read_schema(EVENTS).faults({"type": "unheard_of"})
    assert read_schema(RPC).faults({"type": "response", "command": "ping", "success": True}, "FromServer")
