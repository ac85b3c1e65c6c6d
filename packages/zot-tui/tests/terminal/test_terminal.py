"""How a terminal is used and given back: real processes in real pseudo-terminals."""

import os
import re
import shutil
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest
import urwid
from pty_screen import CLEAR, KITTY, PtyScreen
from zot_forks import FORKED

from zot_tui.terminal.canvas import attribute_of
from zot_tui.terminal.terminal import TerminalOutput, reduced
from zot_tui.text.ansi import Sgr

# Shows the last keys, the length of a paste, and a counter that other tasks move.
PROGRAM = """
import asyncio, os, signal, sys, urwid
from zot_tui.app import App
from zot_tui.text.ansi import Sgr
from zot_tui.terminal.canvas import Rows

class Log:
    held = staticmethod(lambda key, released: False)
    said = ["ready"]
    ticks = 0
    app = None
    def rows(self, columns):
        counts = f"ticks {self.ticks} size {self.app.window.size}"
        return [[("text", " ".join(self.said)[-columns:])], [("accent", counts)], *self.more]
    more = []
    def say(self, text):
        self.said.append(text)
        self.widget.changed()
        self.app.redraw()
    def press(self, key):
        if str(key) in ("ctrl+c", "ctrl+z"):
            return False
        self.say(str(key))
        if str(key) == "s":
            self.say(f"pid:{os.getpid()}")
        if str(key) == "q":
            self.app.exit()
        return True

    def paste(self, text):
        self.say(f"paste:{len(text)}")

log = Log()

async def main(body=None):
    log.widget = Rows(log.rows)
    root = urwid.Filler(log.widget, "top")
    root.press, root.paste = log.press, log.paste
    log.app = app = App(root, held=lambda *key: log.held(*key))
    app.window.focus_changed.connect(lambda here: log.say("here" if here else "away"))
    app.leave_behind = [[("error", "bye")]]
    async with app:
        if body is not None:
            await body(app)
        await app.wait()
    print("signal", app.end.signum)
"""
PLAIN = PROGRAM + "\nasyncio.run(main())"


def running(source: str = PLAIN, **options: object) -> PtyScreen:
    screen = PtyScreen([*FORKED, source], **options)
    screen.wait_for("ready")
    return screen


def is_restored(screen: PtyScreen) -> bool:
    return screen.settings == screen.at_start and not screen.alternate and screen.cursor is not None


def last(received: bytes, *sequences: str) -> list[str]:
    """The sequence of each pair (on, off) that was sent last."""
    return [max(pair.split(), key=lambda each: received.rfind(each.encode())) for pair in sequences]


MODES = (
    "\x1b[?1007l \x1b[?1007h",
    "\x1b[?2004h \x1b[?2004l",
    "\x1b[?1004h \x1b[?1004l",
    "\x1b[?1049h \x1b[?1049l",
    "\x1b[>5u \x1b[<u",
)


def test_everything_is_switched_off_again_at_the_end() -> None:
    with running(answers=KITTY | {b"\x1b[?1007$p": b"\x1b[?1007;1$y"}) as screen:
        screen.wait_until(lambda: b"\x1b[>5u" in screen.received)
        assert screen.alternate
        assert last(screen.received, *MODES) == [pair.split()[0] for pair in MODES]
        assert not screen.settings[3] & (termios.ECHO | termios.ICANON | termios.ISIG)

        screen.type("q")
        assert screen.wait_end() == 0
        assert is_restored(screen)
        assert last(screen.received, *MODES) == [pair.split()[1] for pair in MODES]
        assert screen.screen() == "bye\nsignal None"


@pytest.mark.parametrize(
    ("environment", "color"),
    [({"COLORTERM": "truecolor"}, "ff9a94"), ({"TERM": "xterm"}, "brightred"), ({"NO_COLOR": "1"}, "default")],
)
def test_what_is_left_behind_keeps_the_colours_that_the_terminal_has(environment: dict[str, str], color: str) -> None:
    with running(environment=os.environ | environment) as screen:
        screen.type("q")
        assert screen.wait_end() == 0
        assert [screen.style_at(column, 0).fg for column in (0, 2, 3)] == [color, color, "default"]
        assert screen.style_at(0, 1).fg == "default"


@pytest.mark.parametrize(
    ("term", "letters", "band"), [("xterm", "brightgreen", "default"), ("xterm-256color", "ffafff", "005f00")]
)
def test_letters_have_the_colour_of_their_band_where_there_are_no_bands(term: str, letters: str, band: str) -> None:
    over = "from zot_tui.text.runs import Over\n" + PLAIN.replace(
        '("error", "bye")', '(Over("syntax.keyword", "diff.added_line"), "def")'
    )
    with running(over, environment={**os.environ, "TERM": term, "COLORTERM": "", "TERM_PROGRAM": ""}) as screen:
        screen.type("q")
        assert screen.wait_end() == 0
        assert (screen.style_at(0, 0).fg, screen.style_at(0, 0).bg) == (letters, band)


@pytest.mark.parametrize("band", ["diff.added_line", "text", "muted"])
def test_what_a_search_found_is_seen_where_there_are_no_bands(band: str) -> None:
    rows = f'(Mark("match", "{band}"), "ab"), ("match", "c"), ("{band}", "d")'
    source = "from zot_tui.text.runs import Mark\n" + PLAIN.replace('("error", "bye")', rows)
    with running(source, environment={**os.environ, "TERM": "xterm", "COLORTERM": "", "TERM_PROGRAM": ""}) as screen:
        screen.type("q")
        assert screen.wait_end() == 0
        found, alone, other = (screen.style_at(column, 0) for column in (1, 2, 3))
        assert (found.fg, found.bold, found.bg) == (alone.fg, True, "default")
        assert found.fg != other.fg


def test_what_is_left_behind_has_the_background_of_a_theme_that_has_one() -> None:
    themed = "from zot_tui.theme import builtin\n" + PLAIN.replace(
        "App(root, ", 'App(root, theme=builtin("high-contrast"), '
    )
    with running(themed, environment=os.environ | {"COLORTERM": "truecolor"}) as screen:
        screen.type("q")
        assert screen.wait_end() == 0
        assert [screen.style_at(column, 0).bg for column in (0, 40)] == ["000000", "000000"]
        assert screen.style_at(0, 1).bg == "default"


FAILING = """
async def body(app):
    def fail(): raise ValueError("broken on purpose")
    app.after(0.01, fail)
"""


def test_an_exception_is_told_on_the_restored_terminal() -> None:
    with PtyScreen([*FORKED, PROGRAM + FAILING + "asyncio.run(main(body))"], rows=40) as screen:
        assert screen.wait_end() == 1
        assert is_restored(screen)
        assert "ValueError: broken on purpose" in screen.screen()
        assert "ready" not in screen.screen()


def test_an_exception_beside_the_app_is_told_on_the_restored_terminal() -> None:
    source = PROGRAM + "async def body(app): raise KeyError('beside')\nasyncio.run(main(body))"
    with PtyScreen([*FORKED, source], rows=40) as screen:
        assert screen.wait_end() == 1
        assert is_restored(screen)
        assert "KeyError: 'beside'" in screen.screen()


def test_a_program_that_just_exits_restores_the_terminal() -> None:
    source = PROGRAM + "import os\nasync def body(app): loop = asyncio.get_running_loop(); sys.exit(3)\n"
    with PtyScreen([*FORKED, source + "asyncio.run(main(body))"]) as screen:
        assert screen.wait_end() == 3
        assert is_restored(screen)


def test_a_loop_that_is_left_without_its_block_is_restored_at_exit() -> None:
    source = """
import asyncio, urwid
from zot_tui.app import App
loop = asyncio.new_event_loop()
async def enter():
    await App(urwid.SolidFill("x")).__aenter__()
loop.run_until_complete(enter())
loop.close()
"""
    with PtyScreen([*FORKED, source]) as screen:
        screen.wait_end()
        assert b"\x1b[?1049h" in screen.received
        assert is_restored(screen)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_app_and_restores_the_terminal(number: signal.Signals) -> None:
    with running() as screen:
        screen.signal(number)
        assert screen.wait_end() == 0
        assert is_restored(screen)
        assert screen.screen() == f"bye\nsignal {int(number)}"


def test_a_terminal_that_goes_away_ends_the_app(tmp_path: Path) -> None:
    source = PROGRAM + f"asyncio.run(main())\nopen({str(tmp_path / 'end')!r}, 'w').write(str(log.app.end.disconnected))"
    source = source.replace('print("signal", app.end.signum)', "pass")
    screen = running(source)
    screen.close()
    assert screen.process.returncode == 0
    assert (tmp_path / "end").read_text() == "True"


def test_keys_are_told_apart_with_and_without_a_keyboard_protocol() -> None:
    with running(answers=KITTY) as screen:
        screen.wait_until(lambda: b"\x1b[>5u" in screen.received)
        screen.type("\x1b[13;5u\x1b[13;2u\x1b[27u\x1b[105;5u\t")
        screen.wait_for("ctrl+enter shift+enter esc ctrl+i tab")
    with running() as screen:
        screen.type("\x1b")
        screen.wait_for("ready esc")
        screen.type("\r\n\x13\x16\x1bx")
        screen.wait_for("enter ctrl+j ctrl+s ctrl+v alt+x")


def test_a_sequence_in_two_pieces_is_one_key() -> None:
    source = PLAIN.replace("App(urwid", "App(screen=Terminal(escape_wait=60), root=urwid")
    with running("from zot_tui.terminal.terminal import Terminal" + source) as screen:
        screen.type("x\x1b[1;")
        screen.wait_for("ready x")
        screen.type("5C")
        screen.wait_for("ready x ctrl+right")


def test_what_was_typed_before_the_start_is_not_lost() -> None:
    source = "import sys; print('early', flush=True); sys.stdin.fileno()\nimport time\n" + PLAIN
    with PtyScreen([*FORKED, source]) as screen:
        screen.type("ab\rc")
        screen.wait_for("ready a b enter c")


def test_a_paste_of_a_megabyte_is_one_event() -> None:
    with running() as screen:
        screen.paste("eine Zeile mit Ä\n" * 60_000)
        screen.wait_for(f"paste:{17 * 60_000}")
        screen.type("x")
        screen.wait_for(" x")


def test_answers_of_the_terminal_are_never_typed() -> None:
    with running() as screen:
        screen.type("a\x1b]11;rgb:ffff/ffff/ffff\x1b\\b\x1b[?2026;2$yc\x1b[?62;22cd\x1bP>|xterm(1)\x1b\\e\x1b[3;4Rf")
        screen.wait_for("ready a b c d e f")


def test_the_background_is_asked_of_the_terminal() -> None:
    source = PROGRAM + "async def body(app): log.say(str(await app.window.background(30)))\nasyncio.run(main(body))"
    with running(source, answers={b"\x1b]11;?\x1b\\": b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\"}) as screen:
        screen.wait_for("ready light")


def test_focus_is_told() -> None:
    with running() as screen:
        screen.type("\x1b[O\x1b[I")
        screen.wait_for("ready away here")


def test_frames_are_synchronized_where_the_terminal_can() -> None:
    with running(answers=KITTY) as screen:
        screen.wait_until(lambda: b"\x1b[=7;1u" in screen.received)
        start = len(screen.received)
        screen.type("x")
        screen.wait_for("ready x")
        screen.wait_until(lambda: screen.received.endswith(b"\x1b[?2026l"))
        assert screen.received[start:].startswith(b"\x1b[?2026h")


def test_keys_that_are_held_down_and_let_go_are_told_apart_where_somebody_asks() -> None:
    body = """
async def body(app):
    app.screen.key_kinds = True
    log.held = lambda key, released: bool(log.say(f"{key}{'-' if released else '='}")) or str(key) == "w"
    press = log.press
    def pressed(key):
        if str(key) == "o":
            app.screen.key_kinds = False
        return press(key)
    app.root.press = pressed
asyncio.run(main(body))
"""
    with running(PROGRAM + body, answers=KITTY) as screen:
        screen.wait_until(lambda: b"\x1b[=31;1u" in screen.received)
        screen.type("\x1b[119;;119u\x1b[119;1:2;119u\x1b[119;1:3u\x1b[1;1:2A\x1b[1;1:3A\x1b[13;1:3u\x1b[57441;1:3u")
        screen.wait_for("ready w w= w- up= up up- enter-")
        screen.type("\x1b[111;;111u")
        screen.wait_until(lambda: screen.received.rfind(b"\x1b[=7;1u") > screen.received.rfind(b"\x1b[=31;1u"))
        screen.type("\x1b[27;1:3uq")
        screen.wait_end()
        assert screen.received.rfind(b"\x1b[<u") > screen.received.rfind(b"\x1b[=7;1u")


def test_a_key_that_is_let_go_while_the_screen_ends_is_not_typed_into_the_shell() -> None:
    shell = """
import os, tty
tty.setcbreak(0)
os.write(1, b"\\x1b[5n")
read = b""
while not read.endswith(b"0n"):
    read += os.read(0, 99)
print("the shell reads", read)
"""
    body = "async def body(app): app.screen.shape = 'bar'\nasyncio.run(main(body))\n"
    answers = KITTY | {b"\x1b[0 q": b"\x1b[113;1:3u", b"\x1b[5n": b"\x1b[0n"}  # when the end begins
    with running(PROGRAM + body + shell, answers=answers) as screen:
        screen.wait_until(lambda: b"\x1b[=7;1u" in screen.received)
        screen.type("q")
        screen.wait_for(r"the shell reads b'\x1b[0n'")


@pytest.mark.parametrize(("answer", "restored"), [("", True), ("1", True), ("2", False), ("0", False)])
def test_the_wheel_types_no_arrow_keys_and_does_again_at_the_end_where_it_did(answer: str, *, restored: bool) -> None:
    answers = {b"\x1b[?1007$p": f"\x1b[?1007;{answer}$y".encode()} if answer else {}
    with running(answers=answers) as screen:
        off = screen.received.index(b"\x1b[?1007l")
        assert screen.received.index(b"\x1b[?1007$p") < off
        screen.type("\x1a")
        screen.wait_until(lambda: screen.received.count(b"\x1b[?1007l") == 2)
        assert screen.received.count(b"\x1b[?1007h") == restored
        screen.type("q")
        screen.wait_end()
        assert screen.received.count(b"\x1b[?1007h") == 2 * restored
        assert screen.received.count(b"\x1b[?1007$p") == (1 if answer else 2)


def test_arrow_keys_that_are_let_go_at_once_are_the_wheel_in_a_terminal_without_a_mode_for_it() -> None:
    body = """
async def body(app):
    app.root.mouse_event = lambda size, name, button, column, row, focus: log.say(f"{name[6:]}{button}")
asyncio.run(main(body))
"""
    taps = "\x1b[A\x1b[1;1:3A"
    with running(PROGRAM + body, answers=KITTY) as screen:
        screen.wait_until(lambda: b"\x1b[=7;1u" in screen.received)
        screen.type("x" + taps * 5 + "y" + "\x1b[B\x1b[1;1:3B" * 2 + "z" + taps)
        screen.wait_for("ready x press4 y press5 z up")
        screen.type("\x1b[A\x1b[1;1:2A\x1b[1;1:2A\x1b[1;1:3A")
        screen.wait_for("z up up up up")
    with running(PROGRAM + body) as screen:
        screen.type("\x1b[A" * 3)
        screen.wait_for("ready up up up")


def test_the_title_is_cleaned_and_comes_back() -> None:
    body = "async def body(app): app.screen.title = 'zot\\x07: \\x1b[2Jhi'; app.redraw()\n"
    source = PROGRAM + body + "asyncio.run(main(body))"
    with running(source) as screen:
        screen.wait_until(lambda: screen.title == "zot: hi")
        screen.type("q")
        screen.wait_end()
        assert screen.received.index(b"\x1b[22;2t") < screen.received.index(b"\x1b[23;2t")


def test_a_key_is_last_draw_once_while_redraws_are_asked_for_a_thousand_times_a_second() -> None:
    source = (
        PROGRAM
        + """
async def tick(app):
    while not app.end.reached:
        log.ticks += 1
        log.widget.changed()
        app.redraw()
        await asyncio.sleep(0.001)
async def body(app):
    global task
    task = asyncio.get_running_loop().create_task(tick(app))
def press(key):
    log.say(str(key))
    asyncio.get_running_loop().call_soon(check, log.app.pace.last, str(key))
    return key.text == "q" and (log.app.exit() or True)
def check(before, name):
    if log.app.pace.last <= before:  # the loop went on without a frame
        log.said.append("late:" + name)
log.press = press
asyncio.run(main(body))
"""
    )
    with running(source) as screen:
        screen.wait_for("ticks 3")
        for letter in "abcdefghijklmnop":
            screen.type(letter)
            screen.wait_for(letter)
        assert "late" not in screen.screen()
        screen.wait_for("a b c d e f g h i j k l m n o p")
        screen.type("q")
        screen.wait_end()


def test_a_storm_of_resizes_ends_with_the_last_size() -> None:
    with running() as screen:
        for turn in range(300):
            screen.resize(40 + turn % 50, 10 + turn % 20)
            screen.read(0)
        screen.resize(95, 12)  # as wide as none before: a row is drawn again only for another width
        screen.type("x")
        screen.wait_for("size (95, 12)")
        screen.wait_for("ready x")
        assert screen.screen() == "ready x\nticks 0 size (95, 12)"
        screen.type("q")
        assert screen.wait_end() == 0
        assert is_restored(screen)


def test_an_idle_app_takes_no_time_of_the_processor() -> None:
    source = (
        PROGRAM
        + """
import time
async def body(app):
    app.draw()
    before, polls = time.process_time(), 0
    await asyncio.sleep(1)
    log.say("idle" if time.process_time() - before < 0.02 else f"busy {time.process_time() - before}")
asyncio.run(main(body))
"""
    )
    with running(source) as screen:
        screen.wait_for("ready idle")


EDITOR = """
import subprocess
async def body(app):
    with app.suspended():
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "print('editing', input('name: '), flush=True); input()")
        await process.wait()
    log.say("back")
"""


def test_an_editor_gets_the_terminal_as_it_was_and_gives_it_back() -> None:
    with PtyScreen([*FORKED, PROGRAM + EDITOR + "asyncio.run(main(body))"], answers=KITTY) as screen:
        screen.wait_for("name:")
        screen.wait_until(lambda: is_restored(screen))
        screen.type("me\r")
        screen.wait_for("editing me")
        screen.type("\r")
        screen.wait_for("ready back")
        assert screen.alternate
        screen.type("x")
        screen.wait_for("ready back x")


def test_ctrl_z_stops_the_whole_job_and_fg_brings_the_screen_back() -> None:
    shell = shutil.which("bash")
    assert shell is not None
    environment = {**os.environ, "PS1": "prompt> ", "TERM": "xterm", "PROGRAM": PLAIN}
    with PtyScreen([shell, "--norc", "--noprofile", "-i"], environment=environment) as screen:
        screen.wait_for("prompt>")
        for way in ("key", "signal"):
            screen.type(f'{CLEAR}; {sys.executable} -c "$PROGRAM"\r')
            screen.wait_for("ready")
            screen.type("x")
            screen.wait_for("ready x")
            if way == "key":
                screen.type("\x1a")
            else:
                screen.type("s")
                screen.wait_until(lambda: "pid:" in screen.screen())
                os.kill(int(screen.screen().split("pid:")[1].split()[0]), signal.SIGTSTP)
            screen.wait_for("Stopped")
            assert not screen.alternate
            screen.type(f"{CLEAR}; stty -a | grep -o '[ ]icanon'\r")
            screen.wait_for(" icanon")
            screen.type("fg\r")
            screen.wait_until(lambda: screen.alternate)
            screen.wait_for("ready x")
            screen.type("y")
            screen.wait_for(" y")
            screen.type("q")
            screen.wait_until(lambda: not screen.alternate)
            screen.wait_for("signal None")
        screen.type("exit\r")


def test_without_a_shell_to_let_it_go_on_ctrl_z_is_harmless() -> None:
    with running() as screen:
        screen.type("\x1a")
        screen.wait_until(lambda: screen.received.count(b"\x1b[?1049h") == 2)
        screen.type("x")
        screen.wait_for("ready x")


def test_output_that_is_no_terminal_is_refused() -> None:
    source = PLAIN.replace("asyncio.run(main())", "import os; os.dup2(os.open('/dev/null', 1), 1); asyncio.run(main())")
    with PtyScreen([*FORKED, source], rows=40) as screen:
        assert screen.wait_end() == 1
        assert "the screen needs a terminal" in screen.screen()
        assert screen.settings == screen.at_start


COLOURED = PROGRAM.replace("more = []", "more = [[(Sgr('#ff0000', '#00ff00', ('bold',)), 'loud')]]")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"COLORTERM": "truecolor"}, b"38;2;255;0;0;1;48;2;0;255;0m"),
        ({"TERM": "xterm-256color"}, b"38;5;196;1;48;5;46m"),
        ({"TERM": "xterm"}, b"91;1;102m"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, b"39;1;49m"),
    ],
)
def test_colours_are_those_that_the_terminal_has(variables: dict[str, str], expected: bytes) -> None:
    environment = {**os.environ, "TERM": "xterm", **variables}
    with running(COLOURED + "asyncio.run(main())", environment=environment) as screen:
        screen.wait_for("loud")
        assert expected + b"loud" in screen.received


def test_reduced_attributes_keep_what_is_no_colour() -> None:
    spec = urwid.AttrSpec("#ff8800,bold,underline", "default", colors=16777216)

    assert reduced(spec, 1) == urwid.AttrSpec("default,bold,underline", "default", colors=16)
    assert reduced(spec, 256).foreground_high
    assert reduced(urwid.AttrSpec("light red", "default"), 16) == urwid.AttrSpec("light red", "default", colors=16)


def test_a_terminal_of_256_colours_gets_the_one_of_a_number_by_its_number() -> None:
    """kitty takes it for the number of an image."""
    for number in range(16, 256):
        found = reduced(attribute_of(Sgr(str(number), str(number), ("bold",))), 256)
        assert (found.foreground_number, found.background_number, found.bold) == (number, number, True)


def test_a_sink_writes_all_of_it_where_writing_does_not_block() -> None:
    count = "import sys; print(len(sys.stdin.buffer.read()))"
    with subprocess.Popen([sys.executable, "-c", count], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        sink = TerminalOutput(process.stdin.fileno())
        sink.write("ä" * 1_000_000)
        sink.flush()
        output, _ = process.communicate()
    assert int(output) == 2_000_000


def test_a_sink_tells_errors_until_it_is_lost() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    sink = TerminalOutput(writer)
    try:
        sink.write("x")
        with pytest.raises(BrokenPipeError):
            sink.flush()
        sink.lost = True
        sink.write("x")
        sink.flush()
    finally:
        os.close(writer)


SHAPED = """
async def body(app):
    app.screen.shape = "bar"
    app.screen.shape = "block"
    app.screen.shape = "block"
    with app.suspended():
        print("away", flush=True)
    asyncio.get_running_loop().call_soon(log.say, "back")
asyncio.run(main(body))
"""
CURSORS = (b"\x1b[6 q", b"\x1b[2 q", b"\x1b[0 q", b"away")


def cursors(data: bytes) -> list[bytes]:
    """The shapes of the cursor that were asked for, and where the terminal was given away."""
    return [found for found in re.findall(rb"\x1b\[\d q|away", data) if found in CURSORS]


def test_the_cursor_has_its_shape_while_the_screen_is_on() -> None:
    bar, block, own, away = CURSORS
    with PtyScreen([*FORKED, PROGRAM + SHAPED]) as screen:
        screen.wait_for("back")
        assert cursors(bytes(screen.received)) == [bar, block, own, away, block]
        screen.type("q")
        assert screen.wait_end() == 0
        assert cursors(bytes(screen.received)) == [bar, block, own, away, block, own]


def test_a_console_that_would_print_it_is_not_asked_for_a_cursor() -> None:
    environment = {**os.environ, "TERM": "linux"}
    with PtyScreen([*FORKED, PROGRAM + SHAPED], environment=environment) as screen:
        screen.wait_for("back")
        screen.type("q")
        assert screen.wait_end() == 0
        assert cursors(bytes(screen.received)) == [b"away"]


KEYBOARD = """
async def body(app):
    log.say(f"first {app.screen.keyboard}")
    while app.screen.keyboard is None:
        await asyncio.sleep(0.01)
    log.say(f"then {app.screen.keyboard}")
asyncio.run(main(body))
"""


@pytest.mark.parametrize(
    ("answers", "keyboard"),
    [
        (KITTY, "kitty"),
        ({b"\x1b[c": b"\x1b[?1;2c"}, "legacy"),
        ({b"\x1b[?4m": b"\x1b[>4;0m", b"\x1b[c": b"\x1b[?64c"}, "modify other keys"),
    ],
)
def test_how_a_terminal_tells_of_keys_is_known_once_it_has_said(answers: dict[bytes, bytes], keyboard: str) -> None:
    with PtyScreen([*FORKED, PROGRAM + KEYBOARD], answers=answers) as screen:
        screen.wait_for(f"first None then {keyboard}")
        screen.type("q")
        assert screen.wait_end() == 0
