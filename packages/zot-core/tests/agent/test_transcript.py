import pytest

from zot_core.agent import user_message
from zot_core.agent.transcript import Transcript
from zot_core.errors import SessionError
from zot_core.hooks import Observe
from zot_provider.messages import Message, TextBlock, ToolResultBlock


def result(id: str) -> Message:
    return Message("tool", [ToolResultBlock(id, [TextBlock(id)])])


def test_the_results_of_a_batch_are_told_one_by_one_and_are_one_message() -> None:
    told: list[Message] = []
    appended: Observe[Message] = Observe()
    appended.add(told.append)
    transcript = Transcript([], appended)

    transcript.append(result("a"))
    transcript.append(result("b"))
    transcript.append(user_message("hi"))

    assert told[:2] == [result("a"), result("b")]
    assert [len(message.content) for message in transcript.messages] == [2, 1]


def test_what_is_handed_out_can_be_changed_without_effect() -> None:
    transcript = Transcript([user_message("a")], Observe())

    transcript.messages.clear()

    assert len(transcript) == 1


def test_the_revision_grows_with_every_change() -> None:
    transcript = Transcript([], Observe())
    revisions = [transcript.revision]
    transcript.append(result("a"))
    revisions.append(transcript.revision)
    transcript.append(result("b"))
    revisions.append(transcript.revision)
    transcript.reset([])
    revisions.append(transcript.revision)

    assert revisions == sorted(set(revisions))


def test_a_reset_tells_nobody() -> None:
    told: list[Message] = []
    appended: Observe[Message] = Observe()
    appended.add(told.append)
    transcript = Transcript([user_message("a")], appended)

    transcript.reset([user_message("b")])

    assert [message.text for message in transcript.messages] == ["b"]
    assert told == []


def test_a_message_that_cannot_be_written_stays_in_memory() -> None:
    def full(message: Message) -> None:
        raise SessionError("full")

    appended: Observe[Message] = Observe()
    appended.add(full)
    transcript = Transcript([], appended)

    with pytest.raises(SessionError):
        transcript.append(user_message("a"))

    assert len(transcript) == 1
