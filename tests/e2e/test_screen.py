"""The chat screen on a real terminal, from the first key to what it leaves behind."""

import json
import os
import shlex
import shutil
import signal
import sys
import termios
from pathlib import Path
from typing import Any

import pytest
from command import Zot
from pty_screen import CLEAR, KITTY, PtyScreen
from waiting import PATIENCE, wait_until

from zot_core.sessions.file import SessionFile, load
from zot_provider.testing import Call, Fault, ScriptedServer, Turn

WAIT = "echo here; sleep {0} & sleep {0}"


def screen(zot: Zot, *arguments: str, columns: int = 80, rows: int = 24) -> PtyScreen:
    """`zot` in a terminal of its own."""
    environment = {**zot.env, "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "zot_agent", *arguments]
    return PtyScreen(command, columns=columns, rows=rows, environment=environment, cwd=str(zot.cwd))


def opened(pty: PtyScreen) -> PtyScreen:
    """The same, once it can be typed into."""
    pty.wait_for("ask, or / for commands")
    return pty


def alive(mark: str) -> list[str]:
    """Command lines of running processes that hold `mark`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if mark in words and words.startswith("sleep"):
            found.append(words)
    return found


def restored(pty: PtyScreen) -> bool:
    """Whether the terminal is as it was: its settings, the main screen, a cursor, no mouse, no bracketed paste."""
    received = bytes(pty.received)
    for on, off in ((b"\x1b[?1049h", b"\x1b[?1049l"), (b"\x1b[?2004h", b"\x1b[?2004l"), (b"\x1b[?25l", b"\x1b[?25h")):
        assert received.rfind(off) >= received.rfind(on), (on, off)
    return termios.tcgetattr(pty.descriptor) == pty.at_start


def sound(zot: Zot) -> list[dict[str, Any]]:
    """The rows of all sessions, each of which must be whole."""
    rows = []
    for path in zot.sessions:
        text = path.read_text("utf-8")
        assert text.endswith("\n")
        rows += [json.loads(line) for line in text.splitlines()]
    return rows


def test_a_session_that_another_zot_has_open_is_continued_in_a_copy_after_a_question(
    zot: Zot, server: ScriptedServer
) -> None:
    server.add("red", "blue")
    assert zot.ask(server, "-p", "a color").code == 0
    stored = load(str(zot.session))
    theirs = SessionFile(str(zot.session), stored.meta, resume=stored)
    for answer in ("n", "y"):
        with screen(zot, *zot.at(server), "-c") as pty:
            pty.type("/un")  # no answer: typed before the question could be read
            pty.wait_for("Another zot has this session open. Continue in a copy?")
            pty.type(answer)
            if answer == "n":
                assert pty.wait_end() == 2
                assert b"close that one first, or fork it (--fork)" in pty.received
                continue
            pty.wait_for("▌ a color")
            pty.wait_for("› /un")
            pty.type("\x15another one\r")
            pty.wait_for("blue")
            pty.type("/exit\r")
            assert pty.wait_end() == 0
    theirs.close()
    assert [len(load(str(path)).messages) for path in zot.sessions] == [2, 4]


def test_a_task_from_the_first_start_to_a_session_gone_on_with(zot: Zot, server: ScriptedServer) -> None:
    write = Call("write", {"path": "hello.py", "content": "print('hello, world')\n"})
    server.add(
        Turn("I write it.", calls=[write]),
        Turn("Now I run it.", calls=[Call("bash", {"command": f"{sys.executable} hello.py"})]),
        "It prints **hello, world**.",
    )
    with opened(screen(zot, *zot.at(server))) as pty:
        pty.type("write a program\r")
        pty.wait_for("It prints hello, world.")
        shown = pty.screen()
        for part in ("▌ write a program", "● write hello.py", "print('hello, world')", "● bash", "    hello, world"):
            assert part in shown
        pty.type("/exit\r")
        assert pty.wait_end() == 0
        assert restored(pty)
        assert "It prints hello, world." in pty.screen()
    assert (zot.cwd / "hello.py").read_text() == "print('hello, world')\n"
    server.add("You are welcome.")
    with screen(zot, *zot.at(server), "-c") as pty:
        pty.wait_for("It prints hello, world.")
        assert "● write hello.py" in pty.screen()
        pty.type("thank you\r")
        pty.wait_for("You are welcome.")
        pty.type("\x04")
        assert pty.wait_end() == 0
    assert "It prints **hello, world**." in str(server.requests[-1].body)
    assert len(zot.sessions) == 1
    messages = [row["message"] for row in sound(zot) if row["type"] == "message"]
    assert len([each for each in messages if "hidden" not in each.get("meta", {})]) == 8


def test_a_prompt_of_the_command_line_is_sent_at_once(zot: Zot, server: ScriptedServer) -> None:
    server.add("Hello to you.")
    with screen(zot, *zot.at(server), "hello there") as pty:
        pty.wait_for("Hello to you.")
        assert "▌ hello there" in pty.screen()
        pty.type("\x03\x03")
        assert pty.wait_end() == 0
        assert restored(pty)
        assert "Hello to you." in pty.screen()


def test_esc_in_the_middle_of_an_answer(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("one " * 20_000, chunk=4, delay=0.3), "again")
    with opened(screen(zot, *zot.at(server))) as pty:
        pty.type("count\r")
        pty.wait_for("  one")
        pty.type("\x1b")
        pty.wait_until(lambda: "esc to stop" not in pty.screen())
        server.wait_idle()
        assert server.requests[0].closed_early
        pty.type("more\r")
        pty.wait_for("again")
        pty.type("\x04")
        assert pty.wait_end() == 0
    assert [role for role, _ in zot.said()] == ["user", "assistant", "user", "assistant"]


def test_esc_in_the_middle_of_a_tool_leaves_no_child(zot: Zot, server: ScriptedServer) -> None:
    mark = f"71.0{os.getpid()}"
    server.add(Turn(calls=[Call("bash", {"command": WAIT.format(mark)})]), "again")
    with opened(screen(zot, *zot.at(server))) as pty:
        pty.type("work\r")
        pty.wait_for("    here")
        wait_until(lambda: len(alive(mark)) == 2)
        pty.type("\x1b")
        pty.wait_for("■ bash")
        assert alive(mark) == []
        pty.type("more\r")
        pty.wait_for("again")
        pty.type("\x04")
        assert pty.wait_end() == 0
    assert [role for role, _ in zot.said()] == ["user", "assistant", "tool", "user", "assistant"]


def test_what_is_typed_during_work_is_sent_after_it(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "until [ -e go ]; do sleep 0.02; done"})]), "one", "two", "three")
    with opened(screen(zot, *zot.at(server))) as pty:
        pty.type("first\r")
        pty.wait_for("bash until")
        pty.type("second\rthird\r")
        pty.wait_for("queued: third")
        (zot.cwd / "go").touch()
        pty.wait_for("three")
        pty.type("\x04")
        assert pty.wait_end() == 0
    assert [text for role, text in zot.said() if role == "user"] == ["first", "second", "third"]


def test_a_storm_of_sizes_leaves_a_whole_screen(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("\n\n".join(f"paragraph {number}: {'word ' * 20}" for number in range(40)), chunk=20, delay=0.005))
    with opened(screen(zot, *zot.at(server))) as pty:

        def whole() -> bool:
            lines = pty.screen().splitlines()
            editors = [line for line in lines if line.startswith("›")]
            return lines[-1].endswith("scripted") and editors == lines[-2:-1] and editors[0].startswith("› ask")

        pty.type("tell\r")
        for number in range(120):
            pty.resize(20 + number * 37 % 140, 4 + number * 13 % 60)
            pty.read(0.01)
        pty.resize(100, 30)
        pty.wait_done("paragraph 39")
        pty.wait_until(whole)  # what was read last may end within a frame
        pty.type("\x04")
        assert pty.wait_end() == 0


def test_a_paste_of_a_megabyte_is_a_chip_and_is_sent_whole(zot: Zot, server: ScriptedServer) -> None:
    text = "".join(f"{number:06} {'x' * 92}\n" for number in range(10_500))
    server.add("I have read it.")
    with opened(screen(zot, *zot.at(server))) as pty:
        pty.paste(text)
        pty.wait_for("[pasted 10500 lines #1]")
        pty.type(" what is it?\r")
        pty.wait_for("I have read it.")
        pty.type("\x04")
        assert pty.wait_end() == 0
    assert zot.said()[0] == ("user", f"{text} what is it?")


def test_what_is_pasted_is_what_is_sent(zot: Zot, server: ScriptedServer) -> None:
    server.add("one", "two")
    long = "".join(f"\tline {number}\n" for number in range(30))
    with opened(screen(zot, *zot.at(server))) as pty:
        pty.paste("\tall:\n\t\techo hi\ta")
        pty.wait_for("›     all:\n          echo hi a")
        pty.type("\r")
        pty.wait_done("one")
        pty.paste(long)
        pty.wait_for("[pasted 30 lines #1]")
        pty.type("\r")
        pty.wait_done("two")
        pty.type("\x04")
        assert pty.wait_end() == 0
    assert [text for role, text in zot.said() if role == "user"] == ["\tall:\n\t\techo hi\ta", long.rstrip()]


def test_control_z_gives_the_terminal_back_and_fg_takes_it_again(zot: Zot, server: ScriptedServer) -> None:
    server.add("Good morning.")
    shell = shutil.which("bash")
    assert shell is not None
    environment = {
        **zot.env,
        "TERM": "xterm-256color",
        "PS1": "prompt> ",
        "ZOT": shlex.join([sys.executable, "-m", "zot_agent", *zot.at(server)]),
    }
    with PtyScreen([shell, "--norc", "--noprofile", "-i"], environment=environment, cwd=str(zot.cwd)) as pty:
        pty.wait_for("prompt>")
        pty.type(f"{CLEAR}; $ZOT\r")
        opened(pty)
        pty.type("draft\x1a")
        pty.wait_for("Stopped")
        assert "› draft" not in pty.screen()
        pty.type(f"{CLEAR}; stty -a | grep -o '[ ]icanon'\r")
        pty.wait_for(" icanon")
        pty.type("fg\r")
        pty.wait_for("› draft")
        pty.type("\r")
        pty.wait_for("Good morning.")
        pty.type("\x04")
        pty.wait_until(lambda: "› ask" not in pty.screen() and "Good morning." in pty.screen())
        pty.type(f"{CLEAR}; stty -a | grep -o '[ ]icanon'\r")
        pty.wait_for(" icanon")
        pty.type("exit\r")
        pty.wait_end()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_a_signal_ends_everything_and_loses_nothing(zot: Zot, server: ScriptedServer, number: int, code: int) -> None:
    mark = f"72.0{os.getpid()}{number}"
    server.add(Turn("I wait.", calls=[Call("bash", {"command": WAIT.format(mark)})]))
    with opened(screen(zot, *zot.at(server))) as pty:
        pty.type("work\r")
        pty.wait_for("    here")
        wait_until(lambda: len(alive(mark)) == 2)
        pty.type("next\rdraft")
        pty.wait_for("› draft")
        pty.signal(number)
        assert pty.wait_end() == code
        assert restored(pty)
        assert "I wait." in pty.screen()
    assert alive(mark) == []
    assert [row["message"]["role"] for row in sound(zot) if row["type"] == "message"] == ["user", "assistant", "tool"]
    with screen(zot, *zot.at(server), "-c") as pty:
        pty.wait_for("draft")
        assert "› next" in pty.screen()
        assert "I wait." in pty.screen()
        pty.type("\x03\x03")
        assert pty.wait_end() == 0


@pytest.mark.parametrize("way", ["/exit\r", "\x03\x03", signal.SIGTERM])
@pytest.mark.parametrize("work", ["!", ""])
def test_leaving_in_the_middle_of_a_command_ends_it(
    zot: Zot, server: ScriptedServer, way: str | signal.Signals, work: str
) -> None:
    mark = f"74.0{os.getpid()}"
    server.add(Turn(calls=[Call("bash", {"command": WAIT.format(mark)})]))
    with opened(screen(zot, *zot.at(server))) as pty:
        pty.type(f"!{WAIT.format(mark)}\r" if work else "work\r")
        pty.wait_for("    here")
        wait_until(lambda: len(alive(mark)) == 2)
        if isinstance(way, str):
            pty.type(way)
        else:
            pty.signal(way)
        assert pty.wait_end() == (0 if isinstance(way, str) else 143)
        assert restored(pty)
    assert alive(mark) == []
    sound(zot)


def test_shift_enter_begins_a_line_where_the_terminal_tells_it_from_enter(zot: Zot, server: ScriptedServer) -> None:
    server.add("two lines")
    environment = {**zot.env, "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "zot_agent", *zot.at(server)]
    with opened(PtyScreen(command, environment=environment, cwd=str(zot.cwd), answers=KITTY)) as pty:
        pty.wait_until(lambda: b"\x1b[>" in pty.received)
        pty.type("one\x1b[13;2utwo")
        pty.wait_for("  two")
        pty.type("\r")
        pty.wait_for("two lines")
        pty.type("\x1b[100;5u")
        assert pty.wait_end() == 0
        assert restored(pty)
    assert zot.said()[0] == ("user", "one\ntwo")


def test_a_draft_is_written_in_an_editor_of_ones_own(zot: Zot, server: ScriptedServer) -> None:
    program = zot.cwd / "editor.py"
    program.write_text("import sys; print('in the editor'); open(sys.argv[1], 'a').write(' and more')")
    zot.env["EDITOR"] = f"{sys.executable} {program}"
    with opened(screen(zot, *zot.at(server))) as pty:
        pty.type("a draft\x07")
        pty.wait_for("› a draft and more")
        pty.type("\x15\x04")
        assert pty.wait_end() == 0
        assert restored(pty)


def test_a_terminal_that_is_gone_ends_zot_and_its_children(zot: Zot, server: ScriptedServer) -> None:
    mark = f"73.0{os.getpid()}"
    server.add(Turn("I wait.", calls=[Call("bash", {"command": WAIT.format(mark)})]))
    with opened(screen(zot, *zot.at(server))) as pty:
        pty.type("work\r")
        pty.wait_for("    here")
        wait_until(lambda: len(alive(mark)) == 2)
        os.close(pty.descriptor)
        pty.descriptor = -1
        assert pty.process.wait(PATIENCE) in (0, 129)
    assert alive(mark) == []
    assert [row["message"]["role"] for row in sound(zot) if row["type"] == "message"] == ["user", "assistant", "tool"]


def test_what_was_typed_is_there_again_after_a_kill(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("so far", fault=Fault(pause=60.0)))
    with opened(screen(zot, *zot.at(server))) as pty:
        pty.type("work\r")
        pty.wait_for("so far")
        pty.type("next\rdraft")
        pty.wait_for("› draft")
        drafts = zot.home / "drafts"
        wait_until(
            lambda: any('"draft"' in each.read_text() and "next" in each.read_text() for each in drafts.glob("*.json"))
        )
        wait_until(lambda: any('"draft": "draft"' in each.read_text() for each in drafts.glob("*.json")))
        pty.signal(signal.SIGKILL)
        assert pty.wait_end() == -signal.SIGKILL
    server.add("gone on")
    with screen(zot, *zot.at(server), "-c") as pty:
        pty.wait_for("draft")
        assert "› next" in pty.screen()
        assert "▌ work" in pty.screen()
        pty.type("\r")
        pty.wait_for("gone on")
        pty.type("\x04")
        assert pty.wait_end() == 0
    assert zot.said()[-2] == ("user", "next\n\ndraft")
    sound(zot)


EVIL = (
    "".join(map(chr, (*range(1, 9), *range(11, 32), *range(0x7F, 0xA0))))
    + "\x1b]52;c;ZXZpbA==\x07\x1b]0;pwned\x07\x1b]2;pwned\x1b\\\x1b[2J\x1b[H\x1b[999;1H\x1b[?1049l\x1bc\x1b[8m"
    + "\x9d0;pwned\x9c\x9b2J\u202egnp\u2066x" + "\u200b" * 2000 + "e" + "\u0301" * 2000 + "\U000e0041"
)  # fmt: skip
FORBIDDEN = (
    *(b"\x1b]52", b"pwned\x07", b"pwned\x1b\\", b"\x1bc", b"\x1b[8m", b"\xc2\x9b", b"\xc2\x9d"),
    *(each.encode() for each in ("\u202e", "\u2066", "\u200b", "\U000e0041")),
)


def harmless(pty: PtyScreen) -> None:
    received = bytes(pty.received)
    assert [each for each in FORBIDDEN if each in received] == []
    assert received.count("\u0301".encode()) < 2000
    assert "pwned" not in pty.title


def test_hostile_text_is_drawn_as_text(zot: Zot, server: ScriptedServer) -> None:
    (zot.cwd / "evil.txt").write_bytes(EVIL.encode() + b"\xff\xfe\x80bad\n" + b"end of file\n")
    (zot.cwd / "evil.py").write_text(
        f"import sys; sys.stdout.buffer.write({(EVIL + 'end of tool').encode()!r} + b'\\xff')"
    )
    server.add(
        Turn(
            f"before {EVIL} after",
            reasoning=f"thinking {EVIL} thought",
            calls=[
                Call("bash", {"command": f"{sys.executable} evil.py"}),
                Call("read", {"path": "evil.txt"}),
                Call("edit", {"path": "evil.txt", "edits": [{"oldText": "end of file", "newText": f"new {EVIL}"}]}),
                Call(f"no{EVIL}such", {"path": EVIL}),
            ],
        ),
        "All is well.",
    )
    with opened(screen(zot, *zot.at(server), rows=60)) as pty:
        pty.type("show\r")
        pty.wait_for("All is well.")
        pty.wait_until(lambda: "esc to stop" not in pty.screen())
        harmless(pty)
        assert "after" in pty.screen()
        pty.type("\x0f")
        pty.wait_for("thinking")
        pty.type("\x1b[5~")
        harmless(pty)
        pty.type("/exit\r")
        assert pty.wait_end() == 0
        assert restored(pty)
        harmless(pty)


def test_lines_of_a_megabyte_do_not_stop_the_screen(zot: Zot, server: ScriptedServer) -> None:
    command = f"{sys.executable} -c \"print('y' * 1000000)\""
    server.add(Turn("z" * 1_000_000, chunk=100_000, calls=[Call("bash", {"command": command})]), "All is well.")
    with opened(screen(zot, *zot.at(server))) as pty:
        pty.type("show\r")
        pty.wait_for("All is well.")
        pty.type("\x1b[5~\x1b[5~\x0f\x1b[5~")
        pty.type("typed")
        pty.wait_for("› typed")
        pty.type("\x15\x04")
        assert pty.wait_end() == 0
        assert restored(pty)
