"""vi's keys in the editor of the chat screen, on a real terminal."""

import json
import sys
import termios
from typing import Any

import pytest
from command import Zot
from pty_screen import KITTY, PtyScreen

from zot_provider.testing import ScriptedServer, Turn

BAR, BLOCK, UNDERLINE, OWN = b"\x1b[6 q", b"\x1b[2 q", b"\x1b[4 q", b"\x1b[0 q"
NORMAL = "\n  normal · "


def screen(zot: Zot, server: ScriptedServer, config: dict[str, Any], **named: Any) -> PtyScreen:
    zot.home.mkdir()
    (zot.home / "config.json").write_text(json.dumps(config))
    environment = {**zot.env, "TERM": "xterm-256color"}
    pty = PtyScreen(
        [sys.executable, "-m", "zot_agent", *zot.at(server)], environment=environment, cwd=str(zot.cwd), **named
    )
    pty.wait_for("ask, or / for commands")
    return pty


def shape(pty: PtyScreen) -> bytes:
    """The cursor that was asked for last."""
    return max((BAR, BLOCK, UNDERLINE, OWN), key=pty.received.rfind)


def test_a_prompt_is_edited_as_in_vi_and_sent(zot: Zot, server: ScriptedServer) -> None:
    server.add("It is.", "Again.")
    with screen(zot, server, {"editor_mode": "vi"}) as pty:
        pty.wait_until(lambda: BAR in pty.received)
        pty.type("is this wrong\x1b")
        pty.wait_until(lambda: NORMAL in pty.screen())
        assert shape(pty) == BLOCK
        pty.type("bdiwaright?")
        pty.wait_for("› is this right?")
        assert "normal" not in pty.screen()
        assert shape(pty) == BAR
        pty.type("\x1b")
        pty.wait_for(NORMAL)
        pty.type("ddu0Rwas\x1b")
        pty.wait_for("› wasthis right?")
        pty.type("u.u\r")
        pty.wait_for("It is.")
        pty.wait_until(lambda: "normal" not in pty.screen())
        pty.type("typed at once\r")
        pty.wait_for("Again.")
        pty.type("\x04")
        assert pty.wait_end() == 0
        assert shape(pty) == OWN
        assert termios.tcgetattr(pty.descriptor) == pty.at_start
    assert [text for role, text in zot.said() if role == "user"] == ["is this right?", "typed at once"]


def test_the_cursor_is_given_back_for_another_program_and_taken_again(zot: Zot, server: ScriptedServer) -> None:
    program = zot.cwd / "editor.py"
    program.write_text("import sys; print('in the editor', flush=True); open(sys.argv[1], 'a').write(' and more')")
    zot.env["EDITOR"] = f"{sys.executable} {program}"
    with screen(zot, server, {"editor_mode": "vi"}) as pty:
        pty.type("a draft\x1b")
        pty.wait_for(NORMAL)
        before = len(pty.received)
        pty.type("\x07")
        pty.wait_for("› a draft and more")
        during = bytes(pty.received[before:])
        assert during.index(OWN) < during.index(b"in the editor") < during.rindex(BLOCK)
        pty.type("\x03\x03")
        assert pty.wait_end() == 0
        assert shape(pty) == OWN


def test_esc_closes_suggestions_then_leaves_insert_mode_then_stops(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("one " * 20_000, chunk=4, delay=0.3), "again")
    with screen(zot, server, {"editor_mode": "vi"}) as pty:
        pty.type("count\r")
        pty.wait_for("  one")
        pty.type("/the")
        pty.wait_for("change the colours")
        pty.type("\x1b")
        pty.wait_until(lambda: "change the colours" not in pty.screen())
        assert "normal" not in pty.screen()
        pty.type("\x1b")
        pty.wait_for(NORMAL)
        assert "esc to stop" in pty.screen()
        pty.type("\x1b")
        pty.wait_until(lambda: "esc to stop" not in pty.screen())
        assert "› /the" in pty.screen()
        pty.type("\x03\x03")
        assert pty.wait_end() == 0


def test_history_lies_beyond_the_first_and_the_last_line(zot: Zot, server: ScriptedServer) -> None:
    server.add("one", "two")
    with screen(zot, server, {}) as pty:
        pty.type("/vi\r")
        pty.wait_for("normal mode")
        for text in ("first", "second"):
            pty.type(f"{text}\r")
            pty.wait_for("▌ " + text)
            pty.wait_until(lambda: "esc to stop" not in pty.screen())
        pty.type("draft\x1b")
        pty.wait_for(NORMAL)
        pty.type("kk")
        pty.wait_for("› first")
        pty.type("jj")
        pty.wait_for("› draft")
        pty.type("dd/vi\r")
        pty.wait_for("vi keys are off")
        assert shape(pty) == OWN
        pty.type("\x04")
        assert pty.wait_end() == 0


@pytest.mark.parametrize(("answers", "told"), [({b"\x1b[c": b"\x1b[?62;22c"}, True), (KITTY, False)])
def test_chords_that_this_terminal_does_not_tell_are_named(
    zot: Zot, server: ScriptedServer, answers: dict[bytes, bytes], told: bool
) -> None:
    keymap = {"ctrl+enter": "/new", "capslock": "/help", "ctrl+p": "/model"}
    with screen(zot, server, {"keymap": keymap}, answers=answers) as pty:
        pty.wait_for("keymap: capslock cannot be used: no terminal reports it")
        assert ("keymap: ctrl+enter cannot be used" in pty.screen()) is told
        assert "ctrl+p" not in pty.screen()
        pty.type("\x04")
        assert pty.wait_end() == 0
