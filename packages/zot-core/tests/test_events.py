from typing import get_args

from zot_core import events
from zot_core.events import AgentEvent, ToolCall
from zot_provider.messages import ToolCallBlock
from zot_provider.record import Record


def test_every_event_has_a_type_of_its_own() -> None:
    types = [event.type for event in get_args(AgentEvent)]
    assert len(set(types)) == len(types)


def test_every_event_of_the_module_is_in_the_union() -> None:
    defined = {
        value
        for value in vars(events).values()
        if isinstance(value, type) and issubclass(value, Record) and value.__module__ == events.__name__
    }
    assert defined <= set(get_args(AgentEvent))


def test_a_call_is_encoded_as_the_model_wrote_it() -> None:
    assert ToolCall.of(ToolCallBlock("1", "bash", '{"broken')) == ToolCall("1", "bash", '{"broken')
