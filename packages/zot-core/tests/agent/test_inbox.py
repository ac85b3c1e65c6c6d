from zot_core.agent import user_message
from zot_core.agent.inbox import Inbox


def filled() -> Inbox:
    inbox = Inbox()
    inbox.follow_up(user_message("later"))
    inbox.steer(user_message("now"))
    inbox.follow_up(user_message("much later"))
    inbox.steer(user_message("at once"))
    return inbox


def test_steering_messages_come_all_at_once_and_only_once() -> None:
    inbox = filled()

    assert [message.text for message in inbox.take_steering()] == ["now", "at once"]
    assert inbox.take_steering() == []
    assert len(inbox) == 2


def test_follow_ups_come_one_by_one_in_order() -> None:
    inbox = filled()

    assert [[message.text for message in inbox.take_follow_up()] for _ in range(3)] == [["later"], ["much later"], []]


def test_taking_all_gives_steering_first_and_leaves_nothing() -> None:
    inbox = filled()

    assert [message.text for message in inbox.take_all()] == ["now", "at once", "later", "much later"]
    assert len(inbox) == 0
