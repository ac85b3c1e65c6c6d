import pytest

from zot_core.agent import user_message
from zot_core.agent.history import MessageHistory, NewMessages
from zot_core.errors import SessionError
from zot_core.hooks import Observe
from zot_provider.messages import Message, TextBlock, ToolResultBlock


def result(id: str) -> Message:
    return Message("tool", [ToolResultBlock(id, [TextBlock(id)])])


def test_the_results_of_a_batch_are_reported_one_by_one_and_merged_into_one_message() -> None:
    notified: list[Message] = []
    appended: Observe[Message] = Observe()
    appended.add(notified.append)
    history = MessageHistory([], appended)

    history.append(result("a"))
    history.append(result("b"))
    history.append(user_message("hi"))

    assert notified[:2] == [result("a"), result("b")]
    assert [len(message.content) for message in history.messages] == [2, 1]


def test_changing_the_returned_list_has_no_effect() -> None:
    history = MessageHistory([user_message("a")], Observe())

    history.messages.clear()

    assert len(history) == 1


def test_the_revision_grows_with_every_change() -> None:
    history = MessageHistory([], Observe())
    revisions = [history.revision]
    history.append(result("a"))
    revisions.append(history.revision)
    history.append(result("b"))
    revisions.append(history.revision)
    history.reset([])
    revisions.append(history.revision)

    assert revisions == sorted(set(revisions))


def test_a_reset_tells_nobody() -> None:
    notified: list[Message] = []
    appended: Observe[Message] = Observe()
    appended.add(notified.append)
    history = MessageHistory([user_message("a")], appended)

    history.reset([user_message("b")])

    assert [message.text for message in history.messages] == ["b"]
    assert notified == []


def test_a_message_that_cannot_be_written_stays_in_memory() -> None:
    def full(message: Message) -> None:
        raise SessionError("full")

    appended: Observe[Message] = Observe()
    appended.add(full)
    history = MessageHistory([], appended)

    with pytest.raises(SessionError):
        history.append(user_message("a"))

    assert len(history) == 1


def test_a_reader_gets_each_message_once_and_all_of_a_replaced_history() -> None:
    history = MessageHistory([user_message("a")], Observe())
    new = NewMessages(history)
    assert [each.text for each in new.read()[0]] == ["a"]
    assert new.read() == ([], False)

    history.append(user_message("b"))
    assert [each.text for each in new.read()[0]] == ["b"]

    history.reset([user_message("c"), user_message("d"), user_message("e")])
    messages, again = new.read()
    assert again
    assert [each.text for each in messages] == ["c", "d", "e"]


def test_a_reader_gets_results_again_that_were_added_to_the_last_message() -> None:
    history = MessageHistory([user_message("a")], Observe())
    history.append(result("1"))
    new = NewMessages(history)
    new.read()

    history.append(result("2"))

    messages, again = new.read()
    assert again
    assert [block.call_id for block in messages[-1].content if isinstance(block, ToolResultBlock)] == ["1", "2"]
