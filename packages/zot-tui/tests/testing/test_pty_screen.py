import signal
import sys
import termios

import pytest
from pty_screen import PtyScreen

ECHO = "import sys\nfor line in sys.stdin: print('got', line.strip())"


def test_a_command_reads_what_is_typed_and_shows_what_it_prints() -> None:
    with PtyScreen([sys.executable, "-c", ECHO], columns=30, rows=4) as screen:
        screen.type("héllo\r")
        screen.wait_for("got héllo")
        screen.wait_until(lambda: screen.cursor == (0, 2))
        assert screen.screen() == "héllo\ngot héllo"
        screen.type("\x04")
        assert screen.wait_end() == 0


def test_the_command_has_the_terminal_as_its_own_and_gets_signals_from_keys() -> None:
    with PtyScreen([sys.executable, "-c", "import time; print('up'); time.sleep(600)"]) as screen:
        screen.wait_for("up")
        screen.type("\x03")
        assert screen.wait_end() == -signal.SIGINT


def test_the_window_has_the_size_it_was_given() -> None:
    code = """
import os, signal
signal.signal(signal.SIGWINCH, lambda *_: None)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])
while True: print(*os.get_terminal_size(), flush=True); signal.sigwait([signal.SIGWINCH])
"""
    with PtyScreen([sys.executable, "-c", code], columns=33, rows=7) as screen:
        screen.wait_for("33 7")
        screen.resize(44, 9)
        screen.wait_for("44 9")


def test_the_alternate_screen_gives_way_to_the_main_one() -> None:
    code = r"""
print('main', end='\n', flush=True)
print('\x1b[?1049h\x1b[Hother', end='', flush=True); input()
print('\x1b[?1049lafter', end='', flush=True)
"""
    with PtyScreen([sys.executable, "-c", code]) as screen:
        screen.wait_for("other")
        assert screen.alternate
        assert "main" not in screen.screen()
        screen.type("\r")
        screen.wait_end()
        assert not screen.alternate
        assert screen.screen() == "main\nafter"


def test_sequences_that_pyte_does_not_know_are_left_out() -> None:
    code = r"""
import sys
for piece in (
    "a\x1b[?4m\x1b[>4;1m\x1b[>5u\x1b_Gi=1;x\x1b\\b\x1bP>|q\x1b", "\\c\x1b]9;note\x07d\x1b]2;ti", "tle\x07e\x1b[3"
):
    sys.stdout.write(piece); sys.stdout.flush()
sys.stdout.write("1mf\n")
"""
    with PtyScreen([sys.executable, "-c", code]) as screen:
        screen.wait_end()
        assert screen.screen() == "abcdef"
        assert screen.title == "title"
        assert not screen.style_at(2, 0).bold
        assert (screen.style_at(0, 0).fg, screen.style_at(5, 0).fg) == ("default", "red")


def test_queries_are_answered() -> None:
    code = r"""
import os, sys, tty
tty.setcbreak(0); sys.stdout.write("\x1b[c\x1b[?u"); sys.stdout.flush()
print(repr(os.read(0, 1)), flush=True); os.read(0, 99); print("done", flush=True)
"""
    with PtyScreen([sys.executable, "-c", code], answers={b"\x1b[c": b"!first", b"\x1b[?u": b"second"}) as screen:
        screen.wait_for("done")
        assert "b'!'" in screen.screen()


def test_what_never_comes_is_told_with_the_screen() -> None:
    with PtyScreen([sys.executable, "-c", "print('this')"]) as screen, pytest.raises(TimeoutError, match="this"):
        screen.wait_for("that")


def test_settings_of_the_terminal_can_be_compared() -> None:
    with PtyScreen([sys.executable, "-c", "import tty; tty.setraw(0); print('raw', flush=True); input()"]) as screen:
        screen.wait_for("raw")
        assert not screen.settings[3] & termios.ICANON
        assert screen.at_start[3] & termios.ICANON
        assert screen.settings != screen.at_start


def test_a_command_that_does_not_want_to_end_is_ended() -> None:
    code = """
import signal
signal.signal(signal.SIGHUP, signal.SIG_IGN)
print('up', flush=True)
while True: signal.pause()
"""
    with PtyScreen([sys.executable, "-c", code], end_seconds=0.5) as screen:
        # The line break may be a write of its own, which fails when the terminal is gone.
        screen.wait_until(lambda: screen.cursor == (0, 1))
    assert screen.process.returncode == -signal.SIGKILL
