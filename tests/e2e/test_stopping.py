"""Esc, Ctrl+C and SIGTERM end whatever is going on, and the terminal is as it was."""

import signal
import socket
import termios
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import NamedTuple, TypeAlias

import pytest
from command import Zot
from extension_folder import write_extension
from pty_screen import KITTY, PtyScreen
from waiting import PATIENCE

from zot_provider.testing import Call, Fault, ScriptedServer, Turn

LIMIT = PATIENCE / 4
"""Seconds for the end of the work. All of it would go on for longer, or for ever."""

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
EVENT = b'data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'


Handler: TypeAlias = Callable[[socket.socket], None]


class Scene(NamedTuple):
    """Work without end. `running` is on the screen while it goes on; `typed` begins it, once `offered` is there too.
    With `handler` the answers come from there."""

    answers: Sequence[Turn] = ()
    running: str = "esc to stop"
    typed: str = "go"
    offered: str = ""
    arguments: tuple[str, ...] = ()
    handler: Handler | None = None


def flood(first: bytes, piece: bytes) -> Handler:
    """A handler that sends `first` once, and `piece` until the other side closes."""

    def handle(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(first)
        while True:
            connection.sendall(piece)

    return handle


@contextmanager
def endless(handle: Handler) -> Iterator[str]:
    """A server that answers each connection with `handle`; its base URL."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):  # the client has had enough
            handle(connection)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def half(first: bytes) -> Handler:
    """A handler that sends `first`, and then nothing more."""

    def handle(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(first)
        while connection.recv(65536):
            pass

    return handle


PACKED = zlib.compress(b"failure", wbits=31)[:-4]

SERVERS: dict[str, tuple[Handler, str]] = {
    "a head that does not end": (half(HEAD), "thinking"),
    "an answer that does not go on": (half(HEAD + b"\r\n" + EVENT), "word"),
    "a packed error that does not go on": (
        half(b"HTTP/1.1 400 Bad\r\ncontent-encoding: gzip\r\n\r\n" + PACKED),
        "thinking",
    ),
    "an answer that does not end": (flood(HEAD + b"\r\n", EVENT * 100), "word"),
    "an event that does not end": (flood(HEAD + b"\r\n", b"x" * 65536), "thinking"),
}
STUBBORN = "trap '' INT TERM; echo here; while :; do sleep 9; done"


def stubborn(_: Zot) -> Scene:
    return Scene([Turn(calls=[Call("bash", {"command": STUBBORN})])], "    here")


def many_commands(_: Zot) -> Scene:
    calls = [Call("bash", {"command": f"{STUBBORN} # {number}"}) for number in range(60)]
    return Scene([Turn(calls=calls)], "bash trap")


def many_searches(zot: Zot) -> Scene:
    (zot.cwd / "line").write_text("x" * 5000)
    calls = [Call("grep", {"pattern": f"(?=(x+x+)+y){number}"}) for number in range(60)]
    return Scene([Turn(calls=calls)], "grep (?=")


def stars(zot: Zot) -> Scene:
    (zot.cwd / ".gitignore").write_text("".join(f"{'*a' * 60}{number}b\n" for number in range(4000)))
    for folder in range(40):
        (zot.cwd / f"{folder}").mkdir()
        for number in range(100):
            (zot.cwd / f"{folder}" / f"{'a' * 120}{number}").touch()
    return Scene([Turn(calls=[Call("glob", {"pattern": f"**/{'*a' * 60}b"})])], "glob **")


def expression(zot: Zot) -> Scene:
    (zot.cwd / "line").write_text("x" * 5000)
    return Scene([Turn(calls=[Call("grep", {"pattern": "(?=(x+x+)+y)"})])], "grep (?=")


def huge_edit(zot: Zot) -> Scene:
    lines = [f"line {number} of many\n" for number in range(300_000)]
    (zot.cwd / "huge").write_text("".join(lines))
    edits = [{"oldText": line, "newText": "-" * 20} for line in lines[::100]]
    return Scene([Turn(calls=[Call("edit", {"path": "huge", "edits": edits})])], "edit huge")


def countdown(_: Zot) -> Scene:
    return Scene([Turn(fault=Fault(status=529, headers={"retry-after": "60"}))], "trying again")


def fence(_: Zot) -> Scene:
    return Scene([Turn("```mcschema\n<!--\n" * 20 + "the end", chunk=4, delay=0.05)], "<!--")


SLOW = """
import signal, threading
signal.signal(signal.SIGTERM, signal.SIG_IGN)

@ext.tool
def hang() -> str:
    "Hang."
    threading.Event().wait()

@ext.command("hang", "waits for ever")
def hang_command(args):
    threading.Event().wait()
"""


def tool_of_an_extension(zot: Zot) -> Scene:
    folder = write_extension(zot.cwd.parent / "slow", SLOW)
    return Scene([Turn(calls=[Call("hang", {})])], " hang  ", arguments=("--ext", str(folder)))


def command_of_an_extension(zot: Zot) -> Scene:
    folder = write_extension(zot.cwd.parent / "slow", SLOW)
    return Scene([], "/hang · slow", "/hang", "waits for ever", ("--ext", str(folder)))


def guard_of_an_extension(zot: Zot) -> Scene:
    body = "import threading\next.intercept('tool_call')(lambda call: threading.Event().wait())"
    folder = write_extension(zot.cwd.parent / "slow", body)
    return Scene([Turn(calls=[Call("ls", {})])], "ls", arguments=("--ext", str(folder)))


def served(handler: Handler, running: str, _: Zot) -> Scene:
    return Scene(running=running, handler=handler)


SCENES: dict[str, Callable[[Zot], Scene]] = {
    "a command that ignores signals": stubborn,
    "60 commands that ignore signals": many_commands,
    "60 searches": many_searches,
    "an ignore file full of stars": stars,
    "a regular expression": expression,
    "a huge edit": huge_edit,
    "the countdown before a retry": countdown,
    "code whose lexer hangs": fence,
    "a tool of an extension": tool_of_an_extension,
    "a command of an extension": command_of_an_extension,
    "a guard of an extension": guard_of_an_extension,
    **{name: partial(served, *each) for name, each in SERVERS.items()},
}


@contextmanager
def begun(zot: Zot, server: ScriptedServer, name: str) -> Iterator[tuple[Scene, list[str]]]:
    """A scene, and the arguments of zot for it."""
    scene = SCENES[name](zot)
    server.add(*scene.answers)
    if scene.handler is None:
        yield scene, [*zot.at(server), *scene.arguments]
    else:
        with endless(scene.handler) as url:
            yield scene, ["--provider", "local", "--model", "m", "--base-url", url]


@contextmanager
def at_work(zot: Zot, server: ScriptedServer, name: str) -> Iterator[PtyScreen]:
    """A screen on which the work of a scene goes on."""
    environment = {**zot.env, "TERM": "xterm-256color"}
    with (
        begun(zot, server, name) as (scene, arguments),
        PtyScreen([*zot.command, *arguments], environment=environment, cwd=str(zot.cwd), answers=KITTY) as pty,
    ):
        pty.wait_for("ask, or / for commands")
        pty.type(scene.typed)
        pty.wait_for(scene.offered or scene.typed)
        pty.type("\r")
        pty.wait_for(scene.running)
        yield pty


def restored(pty: PtyScreen) -> bool:
    """Whether the terminal has its settings again and shows the main screen."""
    received = bytes(pty.received)
    assert received.rfind(b"\x1b[?1049l") > received.rfind(b"\x1b[?1049h")
    return bool(termios.tcgetattr(pty.descriptor) == pty.at_start)


@pytest.mark.parametrize("key", ["\x1b", "\x03"], ids=["esc", "ctrl+c"])
@pytest.mark.parametrize("name", SCENES)
def test_a_key_ends_the_work_and_another_one_the_program(zot: Zot, server: ScriptedServer, name: str, key: str) -> None:
    with at_work(zot, server, name) as pty:
        pty.type(key)
        pty.wait_until(lambda: "esc to stop" not in pty.screen(), LIMIT)
        pty.type("\x04")
        assert pty.wait_end(LIMIT) == 0
        assert restored(pty)


@pytest.mark.parametrize("name", SCENES)
def test_a_signal_ends_the_work_and_the_program(zot: Zot, server: ScriptedServer, name: str) -> None:
    with at_work(zot, server, name) as pty:
        pty.signal(signal.SIGTERM)
        assert pty.wait_end(LIMIT) == 143
        assert restored(pty)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("name", [name for name in SCENES if name not in ("a command of an extension",)])
def test_a_signal_ends_the_work_without_a_screen(
    zot: Zot, server: ScriptedServer, name: str, number: int, code: int
) -> None:
    with begun(zot, server, name) as (scene, arguments):
        begins = b'"tool_call"' if any(turn.calls for turn in scene.answers) else b'"turn_start"'
        begins = b'"auto_retry_start"' if any(turn.fault.status for turn in scene.answers) else begins
        process = zot.start("--json", *arguments, scene.typed)
        assert process.stdout is not None
        while begins not in (line := process.stdout.readline()):
            assert line, process.communicate()
        process.send_signal(number)
        out, err = process.communicate(timeout=LIMIT)
        assert process.returncode == code
        assert err.count(b"\n") == (begins == b'"auto_retry_start"')  # the countdown is a line
        assert out.splitlines()[-1] == b'{"type":"done"}'
