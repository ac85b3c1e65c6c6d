import asyncio
from collections.abc import Awaitable, Callable

import pytest
import urwid

from zot_tui.app import App
from zot_tui.keys.key import RUNE, Key
from zot_tui.testing import Driver, MemoryScreen


def drive(root: urwid.Widget, test: Callable[[Driver], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Driver(App(root, screen=MemoryScreen(30, 8))) as driver:
            await test(driver)

    asyncio.run(run())


def test_text_and_named_keys_are_typed_into_a_widget() -> None:
    async def test(driver: Driver) -> None:
        driver.type("helo<left>l<end> <lt>b> x < y")
        assert driver.screen() == "> hello <b> x < y"
        assert driver.cursor == (17, 0)
        driver.type("<home><delete>J")
        assert driver.screen() == "> Jello <b> x < y"

    drive(urwid.Filler(urwid.Edit("> "), "top"), test)


def test_a_widget_gets_keys_as_values_one_after_another() -> None:
    keys: list[Key] = []

    class Target(urwid.SolidFill):
        def press(self, key: Key) -> bool:
            keys.append(key)
            return True

    async def test(driver: Driver) -> None:
        driver.type("<esc>/m<ctrl+enter><shift+tab>")

    drive(Target(), test)
    assert keys == [
        Key("esc"),
        Key(RUNE, (), "/"),
        Key(RUNE, (), "m"),
        Key("enter", ("ctrl",)),
        Key("tab", ("shift",)),
    ]


def test_names_that_are_no_keys_and_control_characters_are_refused() -> None:
    async def test(driver: Driver) -> None:
        with pytest.raises(ValueError, match="'entr' is not a key"):
            driver.type("<entr>")
        with pytest.raises(ValueError, match="<enter>"):
            driver.type("a\n")

    drive(urwid.SolidFill(), test)


def test_styles_can_be_asked_for_by_row_and_by_cell() -> None:
    async def test(driver: Driver) -> None:
        assert driver.styles()[0] == [("error", "no"), (None, " " * 28)]
        assert driver.style_at(1, 0) == "error"
        assert driver.style_at(2, 0) is None
        with pytest.raises(IndexError):
            driver.style_at(30, 0)

    drive(urwid.Filler(urwid.Text(("error", "no")), "top"), test)


def test_a_resize_is_drawn_in_the_new_size() -> None:
    async def test(driver: Driver) -> None:
        driver.resize(20, 6)
        assert [len(row) for row in driver.rows()] == [20] * 6

    drive(urwid.SolidFill("."), test)


def test_clicks_reach_the_widget_under_them() -> None:
    clicked: list[str] = []
    button = urwid.Button("ok", on_press=lambda _: clicked.append("ok"))

    async def test(driver: Driver) -> None:
        driver.click(3, 0)

    drive(urwid.Filler(button, "top"), test)
    assert clicked == ["ok"]


def test_settling_draws_what_tasks_change_and_waits_for_no_timer() -> None:
    text = urwid.Text("before")

    async def test(driver: Driver) -> None:
        async def change() -> None:
            text.set_text("between")
            driver.app.redraw()
            await asyncio.sleep(0)
            text.set_text("after")
            driver.app.redraw()

        driver.app.after(3600, driver.app.exit)
        async with asyncio.TaskGroup() as group:
            group.create_task(change())
            await driver.settle()
            assert driver.screen() == "after"

    drive(urwid.Filler(text, "top"), test)


def test_waiting_for_a_text_ends_with_what_is_on_the_screen() -> None:
    async def test(driver: Driver) -> None:
        with pytest.raises(TimeoutError, match=r"'that' was not shown within 0\.01 s, but:\nthis"):
            await driver.wait_for("that", 0.01)

    drive(urwid.Filler(urwid.Text("this"), "top"), test)


async def test_an_app_that_redraws_without_end_is_told() -> None:
    class Restless(urwid.Filler):
        def render(self, size, focus=False):
            asyncio.get_running_loop().call_soon(app.redraw)
            self._invalidate()
            return super().render(size, focus)

        no_cache = ("render",)

    app = App(Restless(urwid.Text("x")), screen=MemoryScreen())
    async with Driver(app) as driver:
        with pytest.raises(RuntimeError, match="still requested a redraw"):
            await driver.settle()


def test_an_app_on_a_terminal_is_refused() -> None:
    with pytest.raises(TypeError, match="MemoryScreen"):
        Driver(App(urwid.SolidFill(), screen=object()))
