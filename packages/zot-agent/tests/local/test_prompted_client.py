import asyncio
import json
from typing import Any

import pytest

from zot_agent.local.prompted_client import Budget, Example, PromptedClient, choice_schema, load_examples
from zot_provider.errors import ModelError
from zot_provider.events import StreamEnd, StreamEvent, TextDelta, ToolUseArgs, ToolUseEnd, ToolUseStart, UsageReport
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request, ToolSpec
from zot_provider.testing import ScriptedClient, Turn
from zot_provider.usage import Usage

PATH = {"type": "string", "description": "where"}
LOOK = ToolSpec("look", "look at a file", {"type": "object", "properties": {"path": PATH}, "required": ["path"]})
LIST = ToolSpec("list", "list", {"type": "object", "properties": {"path": PATH, "limit": {}}})
WIPE = ToolSpec("wipe", "remove", {"type": "object", "properties": {"path": PATH}, "required": ["path"]})
EXAMPLES = [
    Example("see x.txt", {"path": "x.txt", "tool": "look"}),
    Example("names?", {"path": ".", "tool": "list"}),
    Example("hi", {"tool": "none"}),
]


def user(text: str) -> Message:
    return Message("user", [TextBlock(text)])


def request(*messages: Message, tools: list[ToolSpec]) -> Request:
    return Request(Model("m", "local"), list(messages), system="long " * 1000, tools=tools, reasoning="high")


def called(text: str, *, is_error: bool = False) -> list[Message]:
    call = ToolCallBlock("call_1", "look", '{"path": "a.txt"}')
    result = ToolResultBlock("call_1", [TextBlock(text)], is_error)
    return [Message("assistant", [call]), Message("tool", [result])]


def play(asked: Request, *turns: Any, **settings: Any) -> tuple[list[StreamEvent], list[Request]]:
    inner = ScriptedClient(turns)
    client = PromptedClient(inner, examples=EXAMPLES, **settings)

    async def collect() -> list[StreamEvent]:
        return [event async for batch in client.stream(asked) for event in batch]

    return asyncio.run(collect()), inner.requests


def test_a_choice_becomes_a_tool_use_with_its_usage() -> None:
    turn = Turn(json.dumps({"path": "a.txt", "tool": "look"}), usage=Usage(7, 3))
    events, _ = play(request(user("look at a.txt"), tools=[LIST, LOOK]), turn)
    usage, start, args, end, stop = events
    assert usage == UsageReport(Usage(7, 3))
    assert isinstance(start, ToolUseStart)
    assert start.name == "look"
    assert isinstance(args, ToolUseArgs)
    assert json.loads(args.delta) == {"path": "a.txt"}
    assert end == ToolUseEnd(start.id)
    assert stop == StreamEnd("tool_use", [ToolCallBlock(start.id, "look", args.delta)])


def test_two_choices_have_ids_of_their_own() -> None:
    asked = request(user("look at a.txt"), tools=[LOOK])
    turn = Turn('{"path": "a.txt", "tool": "look"}')
    first, second = (play(asked, turn)[0][1] for _ in range(2))
    assert isinstance(first, ToolUseStart)
    assert isinstance(second, ToolUseStart)
    assert first.id != second.id


def test_the_choice_is_asked_for_with_a_schema_examples_and_few_words() -> None:
    asked = request(
        user("earlier"), Message("assistant", [TextBlock("yes")]), user("names in src?"), tools=[LIST, WIPE]
    )
    _, (sent,) = play(asked, Turn('{"path": "src", "tool": "list"}'))
    assert sent.tools == []
    assert sent.temperature == 0
    assert sent.reasoning == "off"
    assert sent.max_tokens is not None
    assert len(sent.system) < 1200
    assert sent.response_schema == choice_schema([LIST], "names in src?")
    # No example of a tool that is not offered, nothing of earlier turns.
    assert [message.text for message in sent.messages] == [
        "names?", '{"path": ".", "tool": "list"}', "hi", '{"tool": "none"}', "names in src?",
    ]  # fmt: skip


def test_a_text_argument_is_a_word_of_the_question_or_the_working_directory() -> None:
    schema = choice_schema([LOOK, LIST], 'Show "b.txt", please: what is in ./src or .env?')
    words = ["Show", "b.txt", "please", "what", "is", "in", "./src", "or", ".env", "."]
    look, listing, none = schema["anyOf"]
    assert look["properties"]["path"]["enum"] == words
    assert listing["properties"]["path"]["enum"] == words
    assert list(look["properties"]) == look["required"] == ["path", "tool"]
    assert none["properties"] == {"tool": {"const": "none"}}


def test_arguments_that_are_no_free_text_keep_their_schema() -> None:
    number, kind = {"type": "integer"}, {"type": "string", "enum": ["a", "b"]}
    properties = {"count": number, "kind": kind, "left_out": PATH}
    tool = ToolSpec("t", "", {"type": "object", "properties": properties, "required": ["count", "kind"]})
    (offered, _) = choice_schema([tool], "three of a")["anyOf"]
    assert offered["properties"] == {"count": number, "kind": kind, "tool": {"const": "t"}}


@pytest.mark.parametrize("answer", ['{"tool": "none"}', '{"tool": "wipe", "path": "a"}', '{"path": "a', "well", "[1]"])
def test_without_a_choice_the_question_is_asked_plainly(answer: str) -> None:
    choice, chat = Turn(answer, usage=Usage(5, 1)), Turn("Hello there, my friend.", usage=Usage(2, 2))
    events, (_, sent) = play(request(user("hi"), tools=[LOOK]), choice, chat)
    assert sent.response_schema is None
    assert [message.text for message in sent.messages] == ["hi"]
    assert [event for event in events if isinstance(event, UsageReport)] == [
        UsageReport(Usage(5, 1)), UsageReport(Usage(2, 2)),
    ]  # fmt: skip
    assert events[-1] == StreamEnd("end_turn", [TextBlock("Hello there, my friend.")])


def test_tools_without_an_example_are_never_offered() -> None:
    _, (sent,) = play(request(user("wipe a.txt"), tools=[WIPE]), Turn("No, I shall not do that."))
    assert sent.response_schema is None


def test_a_result_is_shown_from_its_beginning_and_the_question_comes_last() -> None:
    text = "first words " + "x" * 5000
    asked = request(user("what is it?"), *called(text), tools=[LOOK])
    events, (sent,) = play(asked, Turn("It is a lot of x."), budget=Budget(result=100))
    shown, read, question = (message.text for message in sent.messages)
    assert shown == text[:100] + " ..."
    assert read
    assert question == "what is it?"
    assert sent.tools == []
    assert sent.response_schema is None
    assert events[-1] == StreamEnd("end_turn", [TextBlock("It is a lot of x.")])


@pytest.mark.parametrize("text", ["no such file: a.txt", ""])
def test_a_failed_or_empty_result_is_answered_too(text: str) -> None:
    _, (sent,) = play(request(user("read it"), *called(text, is_error=True), tools=[LOOK]), Turn("It is not there."))
    assert sent.messages[0].text == text or "nothing" in sent.messages[0].text


def test_what_zot_says_in_between_is_no_question() -> None:
    hidden = Message("user", [TextBlock("[Mode ask]")], hidden="the model knows: mode ask")
    _, (sent,) = play(request(user("see x.txt"), hidden, tools=[LOOK]), Turn('{"path": "x.txt", "tool": "look"}'))
    assert sent.messages[-1].text == "see x.txt"
    asked = request(user("what is it?"), *called("a text"), hidden, tools=[LOOK])
    _, (sent,) = play(asked, Turn("It is a text."))
    assert [sent.messages[0].text, sent.messages[-1].text] == ["a text", "what is it?"]


def test_of_a_long_question_the_beginning_and_the_end_are_kept() -> None:
    asked = request(user("begin " + "y " * 4000 + "end?"), tools=[])
    _, (sent,) = play(asked, Turn("Yes, it is so."))
    assert sent.messages[0].text.startswith("begin")
    assert sent.messages[0].text.endswith("end?")
    assert len(sent.messages[0].text) < 1700


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_an_answer_is_over_with_its_first_sentence_but_all_tokens_count(chunk: int) -> None:
    turn = Turn("Version 1.5 prints tickets. Version 1.5 prints tick", chunk=chunk, stop="length", usage=Usage(9, 9))
    events, _ = play(request(user("read it"), *called("v"), tools=[]), turn)
    text = "".join(event.delta for event in events if isinstance(event, TextDelta))
    assert text == "Version 1.5 prints tickets."
    assert UsageReport(Usage(9, 9)) in events
    assert events[-1] == StreamEnd("end_turn", [TextBlock(text)])


def test_a_larger_model_may_write_on() -> None:
    turn = Turn("One sentence is here. And another.")
    events, _ = play(request(user("hi"), tools=[]), turn, budget=Budget(sentence=False))
    assert events[-1] == StreamEnd("end_turn", [TextBlock("One sentence is here. And another.")])


def test_a_failure_of_the_model_passes() -> None:
    with pytest.raises(ModelError, match="out of memory"):
        play(request(user("hi"), tools=[LOOK]), Turn(error=ModelError("out of memory")))


async def test_leaving_early_closes_the_stream_and_close_closes_the_client() -> None:
    inner = ScriptedClient([Turn("a long answer in many pieces", chunk=2, delay=0.001)])
    client = PromptedClient(inner, examples=EXAMPLES)
    stream = client.stream(request(user("hi"), tools=[]))
    await anext(stream)
    await stream.aclose()
    await client.close()
    assert inner.cancelled == 1
    assert inner.closed


def test_the_examples_that_come_with_zot_name_tools_last_and_no_file_of_the_demo() -> None:
    from zot_agent.cli.local.demo import PROMPT

    examples = load_examples()
    assert {example.call["tool"] for example in examples} == {"none", "read"}
    for example in examples:
        assert list(example.call)[-1] == "tool"
        path = example.call.get("path", ".")
        assert path == "." or (path in example.question and path not in PROMPT)
