import pytest

from zot_tui.terminal.notification import CELLS, NotificationWay, notification


@pytest.mark.parametrize(
    ("environment", "sequence"),
    [
        (
            {"TERM": "xterm-kitty"},
            "\x1b]99;i=zot:d=0;zot\x1b\\\x1b]99;i=zot:p=body;done; now\x1b\\\a",
        ),
        ({}, "\x1b]9;done; now\x1b\\\a"),
        ({"TERM": "foot-extra"}, "\x1b]777;notify;zot;done, now\x1b\\\a"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "\x1b]777;notify;zot;done, now\x1b\\\a"),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/x"}, "\x1bPtmux;\x1b\x1b]9;done; now\x1b\x1b\\\x1b\\\a"),
    ],
)
def test_a_notification_is_what_the_terminal_knows(environment: dict[str, str], sequence: str) -> None:
    assert notification("done;\x1b]0;x\x07 now\x9c", "desktop", environment) == sequence


@pytest.mark.parametrize(("way", "sequence"), [("bell", "\a"), ("off", "")])
def test_the_bell_alone_and_nothing_are_ways_too(way: NotificationWay, sequence: str) -> None:
    assert notification("done", way, {}) == sequence


def test_a_notification_is_not_longer_than_a_line() -> None:
    assert len(notification("x" * 1000, "desktop", {})) < CELLS + 10
