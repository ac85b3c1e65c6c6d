"""Code on the chat screen that a lexer would never be done with."""

import signal
import sys
import termios

import pytest
from command import Zot
from pty_screen import PtyScreen

from zot_provider.testing import Call, ScriptedServer, Turn


def screen(zot: Zot, server: ScriptedServer, *arguments: str) -> PtyScreen:
    environment = {**zot.env, "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "zot_agent", *zot.at(server), *arguments]
    return PtyScreen(command, environment=environment, cwd=str(zot.cwd))


@pytest.mark.parametrize(("way", "code"), [("\x03\x03", 0), (signal.SIGTERM, 143)])
def test_code_whose_lexer_loops_for_ever_does_not_stop_the_screen(
    zot: Zot, server: ScriptedServer, way: str | signal.Signals, code: int
) -> None:
    (zot.cwd / "a.mcschema").write_text("<!--\n")
    server.add(
        Turn("I read it.", calls=[Call("read", {"path": "a.mcschema"})]),
        Turn("```mcschema\n<!--\n```\n\nThere it is.", chunk=4),
    )
    with screen(zot, server) as pty:
        pty.wait_for("ask, or / for commands")
        pty.type("show\r")
        pty.wait_for("There it is.")
        pty.type("\x04")
        assert pty.wait_end() == 0
    with screen(zot, server, "-c") as pty:
        pty.wait_for("There it is.")
        if isinstance(way, signal.Signals):
            pty.signal(way)
        else:
            pty.type(way)
        assert pty.wait_end() == code
        assert pty.received.rfind(b"\x1b[?1049l") > pty.received.rfind(b"\x1b[?1049h")
        assert termios.tcgetattr(pty.descriptor) == pty.at_start
