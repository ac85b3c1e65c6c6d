import json

from hypothesis import given
from hypothesis import strategies as st

from wire_cases.strategies import PIXEL, histories
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.wire.base import Quirks
from zot_provider.wire.normalize import NO_IMAGE, NO_RESULT, normalize


def repair(history: list[Message], *, model: str = "m", provider: str = "p", images: bool = True) -> list[Message]:
    return normalize(history, "w", Model(model, provider, images=images), Quirks())


def user(*texts: str) -> Message:
    return Message("user", [TextBlock(text) for text in texts])


def call(id: str, arguments: str = "{}") -> ToolCallBlock:
    return ToolCallBlock(id, "read", arguments)


def result(id: str, text: str = "ok") -> ToolResultBlock:
    return ToolResultBlock(id, [TextBlock(text)])


def test_a_valid_history_is_unchanged() -> None:
    history = [
        user("go"),
        Message("assistant", [TextBlock("I look."), call("a"), call("b")]),
        Message("tool", [result("a"), result("b")]),
        Message("assistant", [TextBlock("done")]),
    ]
    assert repair(history) == history


def test_the_history_itself_is_not_touched() -> None:
    history = [user("one"), user("two"), Message("assistant", [call("a", "no JSON"), ReasoningBlock("x", wire="v")])]
    before = repr(history)
    repair(history, images=False)
    assert repr(history) == before


def test_a_call_without_a_result_gets_an_error_result() -> None:
    assert repair([Message("assistant", [call("a"), call("b")]), Message("tool", [result("b")])]) == [
        Message("assistant", [call("a"), call("b")]),
        Message("tool", [ToolResultBlock("a", [TextBlock(NO_RESULT)], is_error=True), result("b")]),
    ]
    assert NO_RESULT == "tool call was aborted; no result recorded."


def test_results_follow_their_calls_in_call_order() -> None:
    history = [
        Message("assistant", [call("a"), call("b")]),
        Message("tool", [result("b")]),
        user("hurry"),
        Message("tool", [result("a")]),
    ]
    assert repair(history) == [
        Message("assistant", [call("a"), call("b")]),
        Message("tool", [result("a"), result("b")]),
        user("hurry"),
    ]


def test_a_result_without_a_call_is_dropped() -> None:
    history = [Message("tool", [result("a")]), Message("assistant", [TextBlock("hi")]), Message("tool", [result("b")])]
    assert repair(history) == [Message("assistant", [TextBlock("hi")])]


def test_a_result_after_the_next_answer_is_dropped() -> None:
    history = [
        Message("assistant", [call("a")]),
        Message("assistant", [TextBlock("hi")]),
        Message("tool", [result("a")]),
    ]
    assert repair(history)[1] == Message("tool", [ToolResultBlock("a", [TextBlock(NO_RESULT)], is_error=True)])


def test_ids_that_servers_use_again_become_unique() -> None:
    history = [
        Message("assistant", [call("0"), call("0")]),
        Message("tool", [result("0", "first"), result("0", "second")]),
        Message("assistant", [call("0"), call("")]),
        Message("tool", [result("0", "third"), result("", "fourth")]),
    ]
    assert repair(history) == [
        Message("assistant", [call("0"), call("0_2")]),
        Message("tool", [result("0", "first"), result("0_2", "second")]),
        Message("assistant", [call("0_3"), call("call")]),
        Message("tool", [result("0_3", "third"), result("call", "fourth")]),
    ]


def test_empty_texts_and_messages_are_dropped_and_what_then_touches_is_joined() -> None:
    history = [user("one"), Message("assistant", [TextBlock(" \n")]), user(), user("", "two")]
    assert repair(history) == [user("one", "two")]


def test_reasoning_of_another_provider_is_dropped_and_that_of_an_unnamed_one_is_not() -> None:
    mine, other = ReasoningBlock("mine", wire="w", provider="p"), ReasoningBlock("other", wire="w", provider="q")
    unnamed, foreign = ReasoningBlock("old", wire="w"), ReasoningBlock("mine", wire="v", provider="p")
    history = [Message("assistant", [mine, other, unnamed, foreign, TextBlock("done")])]
    assert repair(history, provider="p") == [Message("assistant", [mine, unnamed, TextBlock("done")])]
    assert repair(history, provider="r") == [Message("assistant", [unnamed, TextBlock("done")])]


def test_reasoning_of_another_model_is_dropped_and_that_of_an_unnamed_one_is_not() -> None:
    mine, other = ReasoningBlock("mine", wire="w", model="m"), ReasoningBlock("other", wire="w", model="n")
    unnamed = ReasoningBlock("old", wire="w")
    history = [Message("assistant", [mine, other, unnamed, TextBlock("done")])]
    assert repair(history, model="m") == [Message("assistant", [mine, unnamed, TextBlock("done")])]
    assert repair(history, model="n") == [Message("assistant", [other, unnamed, TextBlock("done")])]


def test_reasoning_of_another_wire_is_dropped() -> None:
    mine, other = ReasoningBlock("mine", wire="w"), ReasoningBlock("other", wire="v")
    history = [Message("assistant", [other, mine, TextBlock("hi")])]
    assert repair(history) == [Message("assistant", [mine, TextBlock("hi")])]


def test_reasoning_at_the_end_of_an_answer_is_dropped() -> None:
    mine = ReasoningBlock("mine", wire="w")
    history = [Message("assistant", [mine]), Message("assistant", [TextBlock("hi"), mine])]
    assert repair(history) == [Message("assistant", [TextBlock("hi")])]


def test_blocks_that_a_role_cannot_have_are_dropped() -> None:
    history = [
        Message("user", [call("a"), TextBlock("hi"), ReasoningBlock("x", wire="w")]),
        Message("assistant", [PIXEL, result("a"), TextBlock("ho")]),
    ]
    assert repair(history) == [user("hi"), Message("assistant", [TextBlock("ho")])]


def test_arguments_that_are_no_json_object_are_shown_to_the_model_as_they_are() -> None:
    broken = ["{", "[]", '"text"', '{"a": NaN}', '{"a": "\\ud800"}', '{"a": "\ud800"}', "[" * 100_000]
    calls = [call(str(number), arguments) for number, arguments in enumerate(broken)]
    sent = repair([Message("assistant", list(calls))])[0].tool_calls
    assert [json.loads(call.arguments)["invalid_arguments"] for call in sent] == [
        text.replace("\ud800", "\ufffd") for text in broken
    ]


def test_arguments_keep_the_text_the_model_wrote() -> None:
    text = '{"n": 1e5, "f": 1.0, "big": 123456789012345678901234567890}'
    assert repair([Message("assistant", [call("a", text), call("b", " ")])])[0].tool_calls == [
        call("a", text),
        call("b", "{}"),
    ]


def test_lone_surrogates_are_replaced() -> None:
    history = [
        user("a\ud800b"),
        Message("assistant", [call("i\udc00d")]),
        Message("tool", [result("i\udc00d", "\ud83d")]),
    ]
    assert repair(history) == [
        user("a\ufffdb"),
        Message("assistant", [call("i_d_09aa7fd6")]),
        Message("tool", [result("i_d_09aa7fd6", "\ufffd")]),
    ]


def test_images_become_words_for_a_model_that_sees_none() -> None:
    history = [
        Message("user", [PIXEL]),
        Message("assistant", [call("a")]),
        Message("tool", [ToolResultBlock("a", [PIXEL])]),
    ]
    assert repair(history, images=True) == history
    assert repair(history, images=False) == [
        user(NO_IMAGE),
        Message("assistant", [call("a")]),
        Message("tool", [result("a", NO_IMAGE)]),
    ]


@given(histories(["v", "w"]), st.booleans())
def test_any_history_becomes_a_valid_one(history: list[Message], images: bool) -> None:
    copy = repair(history, images=images)
    seen: set[str] = set()
    before = None
    for index, message in enumerate(copy):
        assert message.content
        assert message.role != before
        before = message.role
        calls = [call.id for call in message.tool_calls]
        assert not seen & set(calls)
        assert len(set(calls)) == len(calls)
        seen |= set(calls)
        if message.role == "assistant":
            follows = copy[index + 1] if index + 1 < len(copy) else None
            results = follows.content if follows is not None and follows.role == "tool" else []
            assert [block.call_id for block in results if isinstance(block, ToolResultBlock)] == calls
        if message.role == "tool":
            assert copy[index - 1].role == "assistant"
    assert repair(copy, images=images) == copy
