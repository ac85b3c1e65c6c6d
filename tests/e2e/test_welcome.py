"""The first screen on a real terminal: what a person without a key pastes there."""

import sys

from command import Zot
from pty_screen import PtyScreen


def test_a_key_that_is_pasted_on_the_first_screen_is_taken_for_this_run(zot: Zot) -> None:
    key = "sk-ant-api03-0123456789abcdef"
    environment = {name: value for name, value in zot.env.items() if not name.endswith("_API_KEY")}
    environment["TERM"] = "xterm-256color"
    with PtyScreen([sys.executable, "-m", "zot_agent"], environment=environment, cwd=str(zot.cwd)) as pty:
        pty.wait_for("How do you want to start?")
        pty.paste("paste a")
        pty.wait_for("1/")
        pty.type("\r")
        pty.wait_for("Paste a key")
        pty.wait_for("Enter accept")
        pty.paste(f"{key}\n")
        pty.wait_for("•" * 8)
        assert key not in pty.screen()
        pty.type("\r")
        pty.wait_for("ask, or / for commands")
        assert "claude" in pty.screen()
        pty.type("\x04")
        assert pty.wait_end() == 0
    assert not [path for path in zot.home.rglob("*") if path.is_file() and key in path.read_text(errors="replace")]


def test_a_terminal_that_can_only_print_lines_is_told_of_the_way_that_can(zot: Zot) -> None:
    for names in ({}, {"ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": ""}):
        environment = {**zot.env, "TERM": "dumb", **names}
        with PtyScreen([sys.executable, "-m", "zot_agent"], environment=environment, cwd=str(zot.cwd)) as pty:
            assert pty.wait_end() == 2
            told = bytes(pty.received).decode()
        line = 'zot: this terminal (TERM=dumb) cannot show the chat screen; use zot -p "your question"'
        assert told.splitlines() == [line]
