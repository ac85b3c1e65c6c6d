"""A question before a call, on a real terminal, to a person who goes on typing."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from command import Zot
from pty_screen import PtyScreen

from zot_provider.testing import Call, ScriptedServer, Turn


@contextmanager
def asked(zot: Zot, server: ScriptedServer, **options: Any) -> Iterator[PtyScreen]:
    """zot on a terminal, whose model wants to run a command that nobody allows; it is left at the end."""
    server.add(Turn("I look.", calls=[Call("bash", {"command": "touch ran"})]), "As you like.")
    command = [sys.executable, "-m", "zot_agent", *zot.at(server), "--no-yolo"]
    environment = {**zot.env, "TERM": "xterm-256color"}
    with PtyScreen(command, environment=environment, cwd=str(zot.cwd), **options) as pty:
        yield pty
        pty.type("\x03\x03")
        pty.wait_end()
    assert not (zot.cwd / "ran").exists()


def test_letters_that_are_typed_on_answer_no_question(zot: Zot, server: ScriptedServer) -> None:
    with asked(zot, server, columns=400) as pty:
        pty.wait_for("ask, or / for commands")
        pty.type("go\r")
        typed = ""
        while "you can answer when you stop typing" not in pty.screen():
            typed += "ya"[len(typed) % 2]
            pty.type(typed[-1])
            pty.wait_until(lambda typed=typed: f"› {typed}" in pty.screen())
        assert "Run bash touch ran?" in pty.screen()
        pty.wait_for("Enter choose")
        assert not (zot.cwd / "ran").exists()
        pty.type("n")
        pty.wait_for("As you like.")
        assert typed in pty.screen()
        assert "refused" in pty.screen()


def test_a_question_about_a_prompt_that_was_sent_while_zot_started_takes_keys_at_once(
    zot: Zot, server: ScriptedServer
) -> None:
    with asked(zot, server) as pty:
        pty.type("go\r")
        pty.wait_for("Run bash touch ran?")
        pty.type("n")
        pty.wait_for("As you like.")
        assert b"you can answer when you stop typing" not in pty.received


def test_a_text_that_begins_with_the_letter_of_an_answer_is_typed_and_runs_nothing(
    zot: Zot, server: ScriptedServer
) -> None:
    with asked(zot, server) as pty:
        pty.type("go\r")
        pty.wait_for("Run bash touch ran?")
        pty.wait_for("Enter choose")
        pty.type("yes please")
        pty.wait_for("› yes please")
        assert "Run bash touch ran?" in pty.screen()
        assert not (zot.cwd / "ran").exists()
        pty.wait_for("Enter choose")
        pty.type("n\r")
        pty.wait_for("As you like.")
        assert "› yes please" in pty.screen()
