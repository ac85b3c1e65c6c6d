"""The first screen on a real terminal: what a person without a key pastes there."""

import json
import sys

from command import Zot
from pty_screen import PtyScreen
from waiting import PATIENCE

from zot_provider.testing import Call, ScriptedServer, Turn

KEY = "sk-ant-api03-0123456789abcdef"


def test_a_key_that_is_pasted_on_the_first_screen_is_checked_and_stored(zot: Zot) -> None:
    with (
        ScriptedServer(["from the model"], key=KEY) as server,
        first_screen(zot, server.base_url("anthropic-messages")) as pty,
    ):
        pty.wait_for("How do you want to start?")
        pty.paste("paste an")
        pty.wait_for("1/")
        pty.type("\r")
        pty.wait_for("Paste a key")
        pty.wait_for("Enter accept")
        pty.paste("sk-ant-api03-of-somebody-else\n")
        pty.wait_for("•" * 8)
        pty.type("\r")
        pty.wait_for("anthropic refuses this key (status 401)")
        pty.paste(KEY)
        pty.wait_for("•" * 8)
        assert KEY not in pty.screen()
        pty.type("\r")
        pty.wait_for("May tools run without asking?")
        pty.wait_for("Enter choose")
        pty.type("n")
        pty.wait_until(lambda: "May tools run" not in pty.screen(), PATIENCE, "the answer")
        assert b"you can answer when you stop typing" in pty.received
        pty.type("hello\r")
        pty.wait_for("from the model")
        pty.type("\x04")
        assert pty.wait_end() == 0
    assert [
        path.name for path in zot.home.rglob("*") if path.is_file() and KEY in path.read_text(errors="replace")
    ] == ["auth.json"]
    assert json.loads((zot.home / "config.json").read_text()) == {"permissions": {"mode": "ask"}}


def test_a_key_that_could_not_be_checked_is_stored_and_said_to_be_unchecked(zot: Zot) -> None:
    with ScriptedServer(key=KEY) as server:  # nobody answers there when it has ended
        address = server.base_url("anthropic-messages")
    with first_screen(zot, address) as pty:
        pty.wait_for("How do you want to start?")
        pty.paste("paste an")
        pty.wait_for("1/")
        pty.type("\r")
        pty.wait_for("Paste a key")
        pty.wait_for("Enter accept")
        pty.paste(KEY)
        pty.wait_for("•" * 8)
        pty.type("\r")
        pty.wait_for("May tools run without asking?")
        assert "it could not be checked" in " ".join(pty.screen().split())
        pty.wait_for("Enter choose")
        pty.type("\x1b")
        pty.wait_until(lambda: "May tools run" not in pty.screen(), 30, "the answer")
        pty.type("\x04")
        assert pty.wait_end() == 0
    assert KEY in (zot.home / "auth.json").read_text()
    assert not (zot.home / "config.json").exists()


def test_a_closed_question_is_asked_again_and_meanwhile_tools_ask(zot: Zot) -> None:
    call = Turn(calls=[Call("bash", {"command": "touch made"})])
    with ScriptedServer([call, "refused", "hello again"]) as server:
        address, key = server.base_url("anthropic-messages"), zot.env["ANTHROPIC_API_KEY"]
        with first_screen(zot, address, key) as pty:
            pty.wait_for("May tools run without asking?")
            pty.wait_for("Enter choose")
            pty.type("\x1b")
            pty.wait_until(lambda: "May tools run" not in pty.screen(), 30, "the answer")
            pty.type("make it\r")
            pty.wait_for("Run bash")
            pty.type("n")
            pty.wait_for("refused")
            pty.type("\x04")
            assert pty.wait_end() == 0
        assert any(zot.home.glob("sessions/*/*"))
        assert not (zot.cwd / "made").exists()
        with first_screen(zot, address, key) as pty:
            pty.wait_for("May tools run without asking?")
            pty.wait_for("Enter choose")
            pty.type("\r")
            pty.wait_until(lambda: "May tools run" not in pty.screen(), 30, "the answer")
            pty.type("\x04")
            assert pty.wait_end() == 0
    assert json.loads((zot.home / "config.json").read_text()) == {"permissions": {"mode": "ask"}}


def test_the_accounts_are_listed_and_esc_goes_back_until_it_quits(zot: Zot) -> None:
    with ScriptedServer() as server, first_screen(zot, server.base_url("anthropic-messages")) as pty:
        pty.wait_for("How do you want to start?")
        pty.type("account")
        pty.wait_for("1/")
        pty.type("\r")
        pty.wait_for("a ChatGPT plan")
        pty.type("\x1b")
        pty.wait_for("How do you want to start?")
        pty.type("\x1b")
        assert pty.wait_end() == 2
    assert server.requests == []


def test_what_is_typed_at_the_start_is_not_an_answer_to_the_first_question(zot: Zot) -> None:
    with (
        ScriptedServer(["from the model"]) as server,
        first_screen(zot, server.base_url("anthropic-messages"), zot.env["ANTHROPIC_API_KEY"]) as pty,
    ):
        pty.wait_for("ask, or /")
        pty.type("make a hello module")
        pty.wait_for("May tools run without asking?")
        pty.wait_for("Enter choose")
        assert "make a hello module" in pty.screen()
        assert b"you can answer when you stop typing" in pty.received
        pty.type("e")
        pty.wait_until(lambda: "May tools run" not in pty.screen(), PATIENCE, "the answer")
        pty.type("\r")
        pty.wait_for("from the model")
        pty.type("\x04")
        assert pty.wait_end() == 0
    assert server.requests[0].body["messages"][-1]["content"][0]["text"] == "make a hello module"


def first_screen(zot: Zot, address: str, key: str = "") -> PtyScreen:
    """Start zot without a mode, and without a key unless one is given; `address` is that of the provider."""
    left_out = (zot.env["ANTHROPIC_API_KEY"], zot.env["ZOT_PERMISSION_MODE"])
    environment = {name: value for name, value in zot.env.items() if value not in left_out}
    environment |= {"ANTHROPIC_API_KEY": key} if key else {}
    environment |= {
        "TERM": "xterm-256color",
        "ANTHROPIC_BASE_URL": address,
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }
    return PtyScreen([sys.executable, "-m", "zot_agent"], environment=environment, cwd=str(zot.cwd))


def test_a_terminal_that_can_only_print_lines_is_told_of_the_way_that_can(zot: Zot) -> None:
    for names in ({}, {"ANTHROPIC_API_KEY": "", "OPENAI_API_KEY": ""}):
        environment = {**zot.env, "TERM": "dumb", **names}
        with PtyScreen([sys.executable, "-m", "zot_agent"], environment=environment, cwd=str(zot.cwd)) as pty:
            assert pty.wait_end() == 2
            told = bytes(pty.received).decode()
        line = 'zot: this terminal (TERM=dumb) cannot show the chat screen; use zot -p "your question"'
        assert told.splitlines() == [line]
