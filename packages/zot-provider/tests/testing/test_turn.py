import threading

import pytest

from zot_provider.events import (
    ReasoningDelta,
    StreamEnd,
    TextDelta,
    ToolUseArgs,
    ToolUseEnd,
    ToolUseStart,
    UsageReport,
)
from zot_provider.messages import ReasoningBlock, TextBlock, ToolCallBlock
from zot_provider.testing import Call, ScriptOver, Turn
from zot_provider.testing.turn import Script, turn_events
from zot_provider.usage import Usage


def test_a_turn_becomes_the_events_of_an_answer() -> None:
    turn = Turn("Hello", reasoning="Hm.", calls=[Call("read", {"path": "a"}, id="x")], usage=Usage(input=1), chunk=4)
    assert turn_events(turn, "w") == [
        ReasoningDelta("Hm."),
        TextDelta("Hell"),
        TextDelta("o"),
        ToolUseStart("x", "read"),
        ToolUseArgs("x", '{"pa'),
        ToolUseArgs("x", 'th":'),
        ToolUseArgs("x", ' "a"'),
        ToolUseArgs("x", "}"),
        ToolUseEnd("x"),
        UsageReport(Usage(input=1)),
        StreamEnd(
            "tool_use",
            [
                ReasoningBlock("Hm.", signature="signature", wire="w"),
                TextBlock("Hello"),
                ToolCallBlock("x", "read", '{"path": "a"}'),
            ],
        ),
    ]


def test_a_stop_that_is_given_is_kept() -> None:
    assert Turn("a").stop_reason == "end_turn"
    assert Turn(calls=[Call("a")]).stop_reason == "tool_use"
    assert Turn("a", stop="length").stop_reason == "length"


def test_arguments_may_be_no_json() -> None:
    assert Call("read", "{oops").text == "{oops"


def test_a_script_plays_turns_texts_and_functions_in_order() -> None:
    script = Script(["one", Turn("two"), lambda request: Turn(f"three {request}")])
    assert [script.next(number).text for number in range(3)] == ["one", "two", "three 2"]


def test_a_script_that_is_over_says_so() -> None:
    script = Script(["one"])
    script.next(None)
    with pytest.raises(ScriptOver, match="1 turns were written, this is request 2"):
        script.next(None)


def test_a_script_can_repeat_or_be_extended() -> None:
    script = Script(["a", "b"], repeat=True)
    assert [script.next(None).text for _ in range(5)] == ["a", "b", "a", "b", "a"]
    script = Script([])
    script.add("a")
    assert script.next(None).text == "a"
    with pytest.raises(ScriptOver):
        Script([], repeat=True).next(None)


def test_calls_without_an_id_get_one_of_their_own() -> None:
    turn = Turn(calls=[Call("a"), Call("b", id="mine"), Call("c")])
    script = Script([turn], repeat=True)
    ids = [call.id for _ in range(2) for call in script.next(None).calls]
    assert ids == ["call_1", "mine", "call_2", "call_3", "mine", "call_4"]
    assert [call.id for call in turn.calls] == ["", "mine", ""]


def test_threads_each_get_a_turn_of_their_own() -> None:
    script, got = Script([str(number) for number in range(200)]), []

    def ask() -> None:
        got.extend(script.next(None).text for _ in range(50))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got, key=int) == [str(number) for number in range(200)]
