import pytest

from zot_core.agent import user_message
from zot_core.agent.history import MessageHistory
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
