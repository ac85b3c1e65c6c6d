"""What an app does, on a screen in memory; how it treats a real terminal is in `test_terminal.py`."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from functools import partial

import pytest
import urwid

from zot_tui.app import App
from zot_tui.keys.key import Key
from zot_tui.pace import RATE
from zot_tui.terminal.canvas import canvas, column
from zot_tui.testing import Driver, MemoryScreen
from zot_tui.theme import builtin
from zot_tui.widgets.dialogs.questions import TextInput
from zot_tui.widgets.dialogs.stack import Stack
from zot_tui.widgets.transcript.cells import AnswerCell
from zot_tui.widgets.transcript.transcript import Transcript


class Counter(urwid.Widget):
    """A box that shows a number and counts how often it is asked to."""

    _sizing = frozenset([urwid.BOX])
    _selectable = True

    def __init__(self) -> None:
        super().__init__()
        self.number = 0
        self.renders = 0
        self.keys: list[str] = []

    def add(self) -> None:
        self.number += 1
        self._invalidate()

    def render(self, size, focus=False):
        self.renders += 1
        return urwid.SolidCanvas(str(self.number % 10), *size)

    def keypress(self, size: tuple[int, int], key: str) -> str | None:
        if key == "a":
            self.add()
            return None
        self.keys.append(key)
        return key


def drive(root: urwid.Widget | None, test: Callable[[Driver], Awaitable[None]], **options: object) -> App:
    async def run() -> App:
        app = App(root, screen=MemoryScreen(30, 8), **options)
        async with Driver(app) as driver:
            await test(driver)
        return app

    return asyncio.run(run())


def test_a_key_is_drawn_before_the_loop_goes_on() -> None:
    async def test(driver: Driver) -> None:
        driver.type("a")
        assert driver.screen()[0] == "1"
        driver.type("aaa")
        assert driver.screen()[0] == "4"
        assert driver.memory.draws == 5

    drive(Counter(), test)


class Typing(urwid.Widget):
    """A conversation above what is typed."""

    _sizing = frozenset([urwid.BOX])
    _selectable = True

    def __init__(self) -> None:
        super().__init__()
        self.transcript, self.typed = Transcript(), ""

    def render(self, size, focus=False):
        columns, rows = size
        return column([self.transcript.render((columns, rows - 1)), canvas([[("text", self.typed)]], columns)], columns)

    def keypress(self, size: tuple[int, int], key: str) -> None:
        self.typed += key
        self._invalidate()


def test_a_key_is_drawn_before_an_answer_that_grows_and_the_answer_soon_after() -> None:
    root, answer = Typing(), AnswerCell("one")
    root.transcript.append(answer)

    async def test(driver: Driver) -> None:
        root.transcript.patient = True
        root.transcript.outdated.connect(driver.app.redraw)
        root.transcript.grown.connect(partial(driver.app.redraw, waits=True))
        driver.app.pace.due.connect(root.transcript.show_growth)
        answer.append(" two")
        driver.type("a")
        assert [row.strip() for row in driver.rows() if row.strip()] == ["one", "a"]
        await driver.settle()
        assert [row.strip() for row in driver.rows() if row.strip()] == ["one two", "a"]
        answer.append(" three")
        root.transcript.append(AnswerCell("another"))
        driver.type("b")
        assert "one two three" in driver.screen()

    drive(root, test)


def test_changes_are_drawn_thirty_times_a_second_at_most_and_the_last_one_is() -> None:
    counter = Counter()

    async def test(driver: Driver) -> None:
        loop = asyncio.get_running_loop()
        start = loop.time()
        for _ in range(2000):
            counter.add()
            driver.app.redraw()
            await asyncio.sleep(0.0002)
        elapsed = loop.time() - start
        assert 2 <= driver.memory.draws <= 3 + elapsed * RATE
        await driver.settle()
        assert counter.number == 2000
        assert driver.screen()[0] == "0"

    drive(counter, test)


def test_what_changes_for_a_drawing_has_no_drawing_of_its_own() -> None:
    counter = Counter()

    async def test(driver: Driver) -> None:
        driver.app.pace.due.connect(counter.add)
        driver.app.pace.due.connect(driver.app.redraw)
        driver.app.redraw()
        await driver.settle()
        assert (driver.memory.draws, counter.number) == (2, 1)
        assert not driver.app.drawing

    drive(counter, test)


def test_nothing_is_drawn_while_nothing_changes() -> None:
    async def test(driver: Driver) -> None:
        draws = driver.memory.draws
        await driver.settle()
        assert not driver.app.drawing
        assert driver.memory.draws == draws == 1

    drive(Counter(), test)


def test_a_key_goes_to_the_root_as_a_value_or_under_urwids_name() -> None:
    keys: list[Key] = []

    class Target(Counter):
        def press(self, key: Key) -> bool:
            keys.append(key)
            return key.text != "x"

        def paste(self, text: str) -> None:
            """Take no pastes."""

    async def test(driver: Driver) -> None:
        driver.type("<ctrl+o>xa<ctrl+c>")
        assert not driver.app.end.reached

    drive(Target(), test)
    assert [str(key) for key in keys] == ["ctrl+o", "x", "a", "ctrl+c"]
    counter = Counter()
    drive(counter, lambda driver: press_and_wait(driver, "<ctrl+o>a<pageup>"))
    assert (counter.keys, counter.number) == (["ctrl o", "page up"], 1)
    drive(urwid.SolidFill("."), lambda driver: press_and_wait(driver, "x"))


async def press_and_wait(driver: Driver, keys: str) -> None:
    driver.type(keys)


class Pasted(Counter):
    """Remembers what is pasted."""

    def __init__(self) -> None:
        super().__init__()
        self.pasted: list[str] = []

    def press(self, key: Key) -> bool:
        return False

    def paste(self, text: str) -> None:
        self.pasted.append(text)


def test_a_paste_is_one_text_whatever_its_size() -> None:
    async def test(driver: Driver) -> None:
        driver.paste("line\n" * 200_000)

    root = Pasted()
    drive(root, test)
    assert root.pasted == ["line\n" * 200_000]


def test_a_paste_goes_to_the_open_dialog_and_is_lost_on_a_widget_that_takes_none() -> None:
    async def test(driver: Driver) -> None:
        asked = asyncio.ensure_future(stack.ask(TextInput("A key", masked=True)))
        await driver.settle()
        driver.paste("abc")
        driver.type("d<enter>")
        assert await asked == "abcd"

    stack = Stack(urwid.SolidFill("."))
    drive(stack, test)
    drive(urwid.SolidFill("."), lambda driver: paste_into(driver))


async def paste_into(driver: Driver) -> None:
    driver.paste("nobody wants it")


def test_an_app_without_a_root_is_empty_until_it_gets_one() -> None:
    async def test(driver: Driver) -> None:
        driver.type("x")
        driver.paste("x")
        driver.click(1, 1)
        assert driver.screen() == ""
        driver.app.root = urwid.SolidFill("x")
        await driver.settle()
        assert driver.rows() == ["x" * 30] * 8

    drive(None, test)


def test_ctrl_c_that_nobody_used_ends_the_app_as_the_signal_would() -> None:
    async def test(driver: Driver) -> None:
        driver.type("<ctrl+c>")
        await driver.app.wait()

    assert drive(Counter(), test).end.signum == signal.SIGINT


def test_ctrl_l_draws_everything_anew() -> None:
    async def test(driver: Driver) -> None:
        driver.type("<ctrl+l>")
        assert driver.memory.draws == 2

    drive(Counter(), test)


@pytest.mark.parametrize("where", ["key", "paste", "redraw", "timer"])
async def test_an_exception_in_a_callback_turns_the_screen_off_before_it_is_told(where: str) -> None:
    off: list[bool] = []

    class Broken(Counter):
        def render(self, size, focus=False):
            if self.number:
                raise ValueError("broken")
            return super().render(size, focus)

    def fail(*_: object) -> bool:
        raise ValueError("broken")

    async def run() -> None:
        root = Broken()
        root.press = root.paste = fail
        app = App(root, screen=MemoryScreen())
        async with Driver(app) as driver:
            if where == "key":
                driver.type("x")
            elif where == "paste":
                driver.paste("x")
            elif where == "redraw":
                root.add()
                app.redraw()
            else:
                app.after(0, fail)
            try:
                await app.wait()
            finally:
                off.append(not driver.memory.started)

    with pytest.raises(ValueError, match="broken"):
        await run()
    assert off == [True]


def test_an_exception_that_nobody_waited_for_is_told_at_the_end() -> None:
    def fail(_: object) -> bool:
        raise ValueError("broken")

    async def test(driver: Driver) -> None:
        driver.type("x")

    root = Counter()
    root.press = fail
    with pytest.raises(ValueError, match="broken"):
        drive(root, test)


def test_a_first_frame_that_cannot_be_drawn_is_told_at_once() -> None:
    class Broken(Counter):
        def render(self, size, focus=False):
            raise ValueError("broken")

    async def test(driver: Driver) -> None:
        raise AssertionError("not reached")

    with pytest.raises(ValueError, match="broken"):
        drive(Broken(), test)


def test_the_terminal_that_goes_away_ends_the_app() -> None:
    async def test(driver: Driver) -> None:
        driver.memory.hang_up()
        await driver.app.wait()

    app = drive(Counter(), test)
    assert app.end.disconnected


async def test_what_is_left_behind_is_printed_in_its_styles() -> None:
    screen = MemoryScreen()
    async with App(Counter(), screen=screen) as app:
        app.leave_behind = [[("muted", "to go on:")], [("text", "  zot "), ("key", "--continue")]]
    assert [[each for each in row if each[2].strip()] for row in screen.left] == [
        [("muted", None, b"to go on:")],
        [("text", None, b"  zot "), ("key", None, b"--continue")],
    ]


async def test_another_theme_is_drawn_at_once() -> None:
    screen = MemoryScreen()
    app = App(urwid.SolidFill(), screen=screen)
    await enter_and_leave(app)
    dark = screen.resolve_attr("error", 4)
    async with Driver(App(Counter(), screen=MemoryScreen(30, 8))) as driver:
        driver.app.theme = builtin("light")
        assert driver.memory.draws == 2
        assert driver.memory.resolve_attr("error", 4) != dark


async def enter_and_leave(app: App) -> None:
    async with app:
        pass


def test_another_root_takes_the_place_of_the_first() -> None:
    async def test(driver: Driver) -> None:
        driver.app.root = urwid.Filler(urwid.Text("other"), "top")
        await driver.settle()
        assert driver.screen() == "other"

    drive(Counter(), test)


def test_a_window_without_room_says_so_and_comes_back() -> None:
    async def test(driver: Driver) -> None:
        for columns, rows in ((19, 8), (30, 5), (1, 1), (3, 2)):
            driver.resize(columns, rows)
            assert driver.screen() == "too small"[: columns - 1] + "…" if columns < 9 else "too small"
        driver.resize(20, 6)
        assert driver.screen() == "\n".join(["0" * 20] * 6)

    drive(Counter(), test)


def test_the_background_is_asked_for_and_keys_go_on_meanwhile() -> None:
    async def test(driver: Driver) -> None:
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(driver.app.window.background(30))
            await asyncio.sleep(0)
            assert driver.memory.sent == ["\x1b]11;?\x1b\\"]
            driver.type("a")
            driver.answer("\x1b]10;rgb:00/00/00\x1b\\")
            driver.answer("\x1b]11;rgb:ff/ff/ff\x1b\\")
        assert asked.result() == "light"
        assert driver.screen()[0] == "1"

    drive(Counter(), test)


def test_a_terminal_that_does_not_answer_is_known_by_the_environment_and_a_late_answer_is_swallowed() -> None:
    counter = Counter()

    async def test(driver: Driver) -> None:
        assert await driver.app.window.background(0.01) == "dark"
        driver.answer("\x1b]11;rgb:ff/ff/ff\x1b\\")
        assert counter.keys == []

    drive(counter, test, environment={"COLORFGBG": "15;0"})


async def test_a_notice_is_given_only_to_who_looks_elsewhere() -> None:
    heard: list[bool] = []

    async def test(driver: Driver) -> None:
        driver.look(here=True)
        driver.app.window.notify("done")
        assert driver.memory.sent == []
        driver.look(here=False)
        driver.app.window.notify("done\x1b[2J\nnow")
        assert driver.memory.sent == ["\x1b]9;done now\x1b\\\a"]

    app = App(Counter(), screen=MemoryScreen(30, 8))
    app.window.focus_changed.connect(heard.append)
    async with Driver(app) as driver:
        await test(driver)
    assert heard == [True, False]


def test_a_terminal_that_has_said_nothing_about_its_focus_is_left_alone() -> None:
    async def test(driver: Driver) -> None:
        driver.app.window.notify("done")
        assert driver.memory.sent == []

    drive(Counter(), test)


def test_copying_goes_through_the_terminal() -> None:
    async def test(driver: Driver) -> None:
        assert await driver.app.copy("hi") == ("terminal",)
        assert driver.memory.sent == ["\x1b]52;c;aGk=\a"]

    drive(Counter(), test, environment={"PATH": "/nowhere"})


def test_the_mouse_can_be_given_back() -> None:
    async def test(driver: Driver) -> None:
        assert not driver.memory.mouse
        driver.app.mouse = True
        assert driver.memory.mouse
        driver.app.mouse = False
        assert not driver.memory.mouse

    drive(Counter(), test)


def test_while_another_program_has_the_terminal_nothing_is_drawn_and_afterwards_everything() -> None:
    counter = Counter()

    async def test(driver: Driver) -> None:
        with driver.app.suspended():
            assert not driver.memory.started
            counter.add()
            driver.app.redraw()
            await driver.settle()
            with driver.app.suspended():
                pass
            assert driver.memory.draws == 1
        assert driver.memory.started
        assert driver.screen()[0] == "1"

    drive(counter, test)
