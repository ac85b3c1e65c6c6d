"""The list that the model keeps, and what follows from it."""

from pathlib import Path

import pytest

from zot_core.conversation.driver import Conversation
from zot_core.conversation.event_json import encode_conversation_event
from zot_core.conversation.events import ConversationEvent, TodoUpdate
from zot_core.display import Todo, TodoDisplay
from zot_core.errors import ToolError
from zot_core.runtime.runtime import Runtime
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.todo import LENGTH, LONGEST, RECENT, current_list, todo
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.testing import Call, ScriptedClient, Turn

ONE = {"content": "read", "status": "completed"}
TWO = {"content": "write\n<b>", "status": "in_progress"}


def listed(*items: dict[str, str]) -> Call:
    return Call("todo", {"items": list(items)})


async def test_a_call_replaces_the_list_and_shows_it(context: ToolContext) -> None:
    result = await todo.run({"items": [ONE, TWO]}, context)
    assert result.text == "the list has 2 items, 1 of them completed"
    assert result.display == [TodoDisplay([Todo("read", "completed"), Todo("write\n<b>", "in_progress")])]
    assert todo.recall({"items": [ONE, TWO]}, result.text) == result.display
    assert (await todo.run({"items": []}, context)).text == "the list is empty"


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([ONE] * (LONGEST + 1), "the list has 101 items; keep at most 100"),
        ([ONE, {"content": " ", "status": "pending"}], "item 2 is empty"),
        ([{"content": "x" * (LENGTH + 1), "status": "pending"}], "item 1 is empty or has more than 500 characters"),
        ([{"content": "x", "status": "doing"}], "input should be 'pending', 'in_progress' or 'completed'"),
        ([{"content": "x"}], "status: field required"),
        ("all", "input should be a valid list"),
    ],
)
async def test_a_list_that_cannot_be_kept_is_refused(context: ToolContext, items: object, words: str) -> None:
    with pytest.raises(ToolError, match=words):
        await todo.run({"items": items}, context)


def test_the_list_of_a_history_is_that_of_the_last_call_which_succeeded() -> None:
    def call(id: str, arguments: str, *, failed: bool = False) -> list[Message]:
        result = ToolResultBlock(id, [TextBlock("x")], failed)
        return [Message("assistant", [ToolCallBlock(id, "todo", arguments)]), Message("tool", [result])]

    good = call("1", '{"items": [{"content": "a", "status": "pending"}]}')
    assert current_list([]) == []
    assert current_list(good[:1]) == []
    for later in ([], call("2", "{", failed=True), call("2", "[]"), call("2", '{"items": [1]}')):
        assert current_list([*good, *later]) == [Todo("a", "pending")]
    assert current_list([*good, *call("2", '{"items": []}')]) == []
    odd = call("2", '{"items": [{"content": {}, "status": []}]}')
    assert current_list([*good, *odd]) == [Todo("{}", "pending")]
    assert current_list([*good, *[Message("user", [TextBlock("hi")])] * (RECENT - len(good))]) == [Todo("a", "pending")]
    assert current_list([*good, *[Message("user", [TextBlock("hi")])] * RECENT]) == []


async def test_the_list_of_a_conversation_follows_its_history() -> None:
    client = ScriptedClient([Turn(calls=[listed(ONE)]), "one", Turn(calls=[listed(ONE, TWO)]), "two"])
    events: list[ConversationEvent] = []
    async with Conversation(Runtime("any", client=client)) as conversation:
        conversation.events.add(events.append)
        await conversation.prompt("first")
        assert conversation.todos.items == [Todo("read", "completed")]
        before = conversation.runtime.messages[-1].id
        await conversation.prompt("second")
        assert [each.status for each in conversation.todos.items] == ["completed", "in_progress"]
        await conversation.branches.go_to(before)
        assert conversation.todos.items == [Todo("read", "completed")]
        conversation.clear()
        assert conversation.todos.items == []
    seen = [each for each in events if isinstance(each, TodoUpdate)]
    assert [len(each.items) for each in seen] == [1, 2, 1, 0]
    assert encode_conversation_event(seen[1]) == [
        '{"type":"todo","items":[{"content":"read","status":"completed"},'
        '{"content":"write\\n<b>","status":"in_progress"}]}'
    ]


async def test_a_conversation_that_is_continued_has_its_list() -> None:
    client = ScriptedClient([Turn(calls=[listed(TWO)]), "one"])
    async with Runtime("any", client=client) as runtime:
        await runtime.ask("first")
        messages = runtime.messages
    async with Conversation(Runtime("any", client=ScriptedClient(), messages=messages)) as conversation:
        assert [each.status for each in conversation.todos.items] == ["in_progress"]


async def test_a_conversation_that_is_continued_after_two_compactions_has_its_list(tmp_path: Path) -> None:
    session = str(tmp_path / "talk.jsonl")
    answers = [Turn(calls=[listed(TWO)]), "one", "two", "three", "notes", "four", "five", "six", "notes"]
    async with Conversation(Runtime("any", client=ScriptedClient(answers), session=session)) as conversation:
        for _ in range(2):
            for _ in range(3):
                await conversation.prompt("on")
            await conversation.runtime.compact()
        assert [each.status for each in conversation.todos.items] == ["in_progress"]
    async with Conversation(Runtime("any", client=ScriptedClient(), session=session)) as conversation:
        assert conversation.todos.items == [Todo("write\n<b>", "in_progress")]
