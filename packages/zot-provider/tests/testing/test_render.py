import json
from functools import reduce

import pytest
from hypothesis import given

from wire_cases.strategies import TURNS, as_sent
from zot_provider.errors import ModelError, StreamCut
from zot_provider.events import StreamEnd, StreamEvent, ToolUseArgs, ToolUseEnd, UsageReport, join_deltas
from zot_provider.messages import ReasoningBlock
from zot_provider.testing import Call, Turn
from zot_provider.testing.render import RENDERERS, render
from zot_provider.testing.turn import turn_events
from zot_provider.transport.sse import SseSplitter
from zot_provider.usage import Usage
from zot_provider.wire import WIRES, load_wire


def joined(events: list[StreamEvent]) -> list[StreamEvent]:
    """The arguments of each call in one piece."""
    found: list[StreamEvent] = []
    for event in events:
        last = found[-1] if found else None
        if isinstance(event, ToolUseArgs) and isinstance(last, ToolUseArgs) and last.id == event.id:
            found[-1] = ToolUseArgs(event.id, last.delta + event.delta)
        else:
            found.append(event)
    return found


def simplified(events: list[StreamEvent]) -> list[StreamEvent]:
    """Ends of calls last, then one usage report with the sum, then the end; thinking as all wires bring it."""
    usage = reduce(Usage.__add__, (event.usage for event in events if isinstance(event, UsageReport)), Usage())
    *others, end = [event for event in events if not isinstance(event, UsageReport)]
    others.sort(key=lambda event: isinstance(event, ToolUseEnd))
    assert isinstance(end, StreamEnd)
    content = [ReasoningBlock(block.summary) if isinstance(block, ReasoningBlock) else block for block in end.content]
    content = [block for block in content if block != ReasoningBlock()]  # the signature of another block
    usage = usage.replace(reasoning=usage.reasoning or 0)  # the Responses API always sends a number
    return [*joined(others), UsageReport(usage), StreamEnd(end.stop, content)]


def decoded(turn: Turn, wire: str) -> list[StreamEvent]:
    splitter, decoder = (load_wire(wire).splitter or SseSplitter)(), load_wire(wire).open_decoder()
    return [*decoder.feed(splitter.feed(b"".join(render(turn, wire)))), *decoder.finish()]


def test_the_responses_stream_has_the_events_of_the_api_in_its_order() -> None:
    turn = Turn("text", reasoning="hm", calls=[Call("read", {"path": "a"}, "c1")])
    events = [json.loads(event.partition(b"data: ")[2]) for event in render(turn, "openai-responses")]
    assert [event["type"].removeprefix("response.") for event in events] == [
        "created", "in_progress",
        "output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta",
        "reasoning_summary_text.done", "reasoning_summary_part.done", "output_item.done",
        "output_item.added", "content_part.added", "output_text.delta", "output_text.done", "content_part.done",
        "output_item.done",
        "output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done",
        "completed",
    ]  # fmt: skip
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    for event in events[2:-1]:
        assert "output_index" in event
        assert "item" in event or "item_id" in event
    assert [item["type"] for item in events[-1]["response"]["output"]] == ["reasoning", "message", "function_call"]


def test_each_wire_can_be_rendered() -> None:
    assert set(RENDERERS) == set(WIRES)


@pytest.mark.parametrize("wire", WIRES)
@given(turn=TURNS)
def test_a_decoder_restores_a_rendered_turn(wire: str, turn: Turn) -> None:
    turn = as_sent(turn, wire)
    # Pieces may be joined: the head of a text is held while it may begin with a tag.
    assert join_deltas(simplified(decoded(turn, wire))) == join_deltas(simplified(turn_events(turn, wire)))


@pytest.mark.parametrize("wire", WIRES)
def test_an_error_is_reported_the_way_the_wire_does(wire: str) -> None:
    error = ModelError("too many", code="rate_limit_error", message="too many")
    with pytest.raises(ModelError) as caught:
        decoded(Turn(error=error), wire)
    assert (caught.value.code, caught.value.message, caught.value.retryable) == ("rate_limit_error", "too many", True)


@pytest.mark.parametrize("wire", WIRES)
def test_an_error_of_any_other_kind_has_the_usual_code(wire: str) -> None:
    with pytest.raises(ModelError) as caught:
        decoded(Turn(error=OSError("disk full")), wire)
    assert (caught.value.message, caught.value.retryable) == ("disk full", True)


@pytest.mark.parametrize("wire", WIRES)
def test_without_its_last_two_events_a_stream_is_cut(wire: str) -> None:
    splitter, decoder = (load_wire(wire).splitter or SseSplitter)(), load_wire(wire).open_decoder()
    whole = [event for event in render(Turn("Hello"), wire) if b"stop_reason" not in event or b"message_start" in event]
    whole = [event for event in whole if b"stopReason" not in event]
    whole = [event for event in whole if b'finish_reason":"' not in event]
    decoder.feed(splitter.feed(b"".join(whole[:-1])))
    with pytest.raises(StreamCut):
        decoder.finish()


def test_an_unknown_wire_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        render(Turn(), "morse")
