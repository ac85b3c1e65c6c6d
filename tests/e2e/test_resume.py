"""`zot -r`: the session to continue is chosen on the screen."""

from command import Zot
from pty_screen import PtyScreen

from zot_provider.testing import ScriptedServer


def test_the_session_to_continue_is_chosen_at_the_start(zot: Zot, server: ScriptedServer) -> None:
    server.add("It was the lexer.", "unrelated", "Nothing more.")
    for prompt in ("fix the parser", "something else"):
        assert zot.ask(server, "-p", prompt).code == 0
    command = [*zot.command, *zot.at(server), "-r", "and now?"]
    with PtyScreen(command, environment=zot.env | {"TERM": "xterm-256color"}, cwd=str(zot.cwd)) as screen:
        screen.wait_for("fix the parser")
        screen.type("parser")
        screen.wait_for("zot  It was the lexer.")
        screen.type("\r")
        screen.wait_for("Nothing more.")
        screen.type("\x04")
        assert screen.wait_end() == 0
    roles = [message["role"] for message in server.requests[-1].body["messages"]]
    assert roles[-3:] == ["user", "assistant", "user"]


def test_without_a_screen_no_session_can_be_chosen(zot: Zot) -> None:
    assert zot.run("-p", "-r", "hello").line() == "-r chooses a session on the screen; use -c or --session ID here"


def test_a_line_that_was_lost_is_said_and_the_request_is_valid(zot: Zot, server: ScriptedServer) -> None:
    server.add("first", "second")
    zot.ask(server, "-p", "one")
    (path,) = (zot.home / "sessions").rglob("*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    lost = next(at for at, line in enumerate(lines) if b'"one"' in line)
    lines[lost] = bytes(len(lines[lost]) - 1) + b"\n"
    path.write_bytes(b"".join(lines))
    done = zot.ask(server, "-p", "-c", "two")
    assert (done.code, done.out) == (0, "second\n")
    assert done.err == f"zot: {path} is damaged: a line is no JSON and left out of the conversation\n"
    roles = [message["role"] for message in server.requests[-1].body["messages"]]
    assert roles[-3:] == ["user", "assistant", "user"]
