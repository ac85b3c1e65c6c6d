from zot_agent.ui.rows.agenda import FOLLOW_UP, QUEUED, STEERING, QueueRows, Unread


def test_texts_that_wait_for_something_else_look_different_without_colours_too() -> None:
    rows = QueueRows()
    rows.show([Unread(STEERING, "left"), Unread(FOLLOW_UP, "and then"), Unread(QUEUED, "\nlater\nmore")])
    drawn = rows.render((60,))
    assert [row.decode().rstrip() for row in drawn.text] == [
        "↳ steering: left  read after this step",
        "→ follow-up: and then  read after this answer",
        "  queued: later  sent when zot is done",
    ]
    assert len({row[0][0] for row in drawn.content()}) == 3
