import asyncio
from typing import Any

import pytest
import urwid

from zot_tui.widgets.picker import Item, Picker
from zot_tui.widgets.questions import Choice, Confirm, TextInput
from zot_tui.widgets.stack import Stack

SIZE = (30, 16)


def shown(stack: Stack, size: tuple[int, int] = SIZE) -> list[str]:
    return [row.decode().rstrip() for row in stack.render(size, focus=True).text]


def confirm(title: str = "Sure?") -> Confirm[bool]:
    return Confirm(title, [Choice("y", "Yes", True), Choice("n", "No", False)])


async def opened(stack: Stack, *dialogs: Any, behind: bool = False) -> list[asyncio.Task[Any]]:
    """Tasks that wait for the answers, the dialogs being open."""
    tasks = []
    for dialog in dialogs:
        tasks.append(asyncio.ensure_future(stack.ask(dialog, behind=behind)))
        await asyncio.sleep(0)
    return tasks


def test_a_dialog_goes_in_and_its_answer_comes_out() -> None:
    async def scenario() -> Any:
        changes: list[bool] = []
        stack = Stack(urwid.SolidFill("."), on_change=lambda: changes.append(stack.top is not None))
        (task,) = await opened(stack, confirm())
        assert stack.keypress(SIZE, "y") is None
        assert changes == [True, False]
        return await task

    assert asyncio.run(scenario()) is True


def test_escape_gives_none() -> None:
    async def scenario() -> Any:
        stack = Stack(urwid.SolidFill("."))
        (task,) = await opened(stack, confirm())
        stack.keypress(SIZE, "esc")
        return await task

    assert asyncio.run(scenario()) is None


def test_a_dialog_stands_at_the_bottom_above_what_stays_in_sight() -> None:
    async def scenario() -> list[str]:
        stack = Stack(urwid.SolidFill("."), below=lambda columns: 1)
        (task,) = await opened(stack, confirm())
        rows = shown(stack)
        stack.close_all()
        await task
        return rows

    assert asyncio.run(scenario()) == [
        *["." * 30] * 8,
        "─" * 30,
        "  Sure?",
        "",
        "› y  Yes",
        "  n  No",
        "",
        "  Enter choose · Esc cancel",
        "." * 30,
    ]


def test_the_newest_dialog_has_the_keys_and_the_one_below_comes_back() -> None:
    async def scenario() -> list[Any]:
        stack = Stack(urwid.SolidFill("."))
        picker = Picker("Choose", [Item(1, "one"), Item(2, "two")])
        first, second = await opened(stack, picker, confirm())
        for key in ("n", "down", "enter"):
            stack.keypress(SIZE, key)
        return [await first, await second]

    assert asyncio.run(scenario()) == [2, False]


def test_a_question_that_comes_by_itself_waits_behind() -> None:
    async def scenario() -> list[Any]:
        stack = Stack(urwid.SolidFill("."))
        (typing,) = await opened(stack, TextInput("Name"))
        (asked,) = await opened(stack, confirm(), behind=True)
        for key in ("y", "enter", "n"):
            stack.keypress(SIZE, key)
        return [await typing, await asked]

    assert asyncio.run(scenario()) == ["y", False]


def test_keys_that_follow_an_answer_go_to_the_base() -> None:
    async def scenario() -> str:
        edit = urwid.Edit()
        stack = Stack(urwid.Filler(edit))
        (task,) = await opened(stack, confirm())
        for key in "yes":
            stack.keypress(SIZE, key)
        await task
        return str(edit.edit_text)

    assert asyncio.run(scenario()) == "es"


def test_a_cancelled_question_takes_its_dialog_away() -> None:
    async def scenario() -> None:
        stack = Stack(urwid.SolidFill("."))
        below, above = await opened(stack, confirm("first"), confirm("second"))
        below.cancel()
        with pytest.raises(asyncio.CancelledError):
            await below
        assert stack.top is not None
        assert any("second" in row for row in shown(stack))
        above.cancel()
        with pytest.raises(asyncio.CancelledError):
            await above
        assert stack.top is None
        assert shown(stack) == ["." * 30] * 16

    asyncio.run(scenario())


def test_a_dialog_can_be_asked_again_but_not_twice_at_once() -> None:
    async def scenario() -> list[Any]:
        stack = Stack(urwid.SolidFill("."))
        dialog = confirm()
        (task,) = await opened(stack, dialog)
        with pytest.raises(RuntimeError, match="open already"):
            await stack.ask(dialog)
        stack.keypress(SIZE, "y")
        first = await task
        (task,) = await opened(stack, dialog)
        stack.keypress(SIZE, "n")
        return [first, await task]

    assert asyncio.run(scenario()) == [True, False]


def test_a_paste_that_began_before_a_question_does_not_answer_it() -> None:
    async def scenario() -> bool:
        stack = Stack(urwid.SolidFill("."))
        stack.keypress(SIZE, "begin paste")
        (task,) = await opened(stack, confirm())
        for key in ("y", "enter", "end paste"):
            stack.keypress(SIZE, key)
        still_open = stack.top is not None
        stack.close_all()
        await task
        return still_open

    assert asyncio.run(scenario())


def test_every_size_of_screen_is_filled() -> None:
    async def scenario() -> None:
        stack = Stack(urwid.SolidFill("."), below=lambda columns: 2)
        picker = Picker("Choose", [Item(number, f"item {number}") for number in range(50)])
        (task,) = await opened(stack, picker)
        for size in ((20, 6), (120, 50), (3, 1), (40, 12), (8, 3)):
            canvas = stack.render(size, focus=True)
            assert (canvas.cols(), canvas.rows()) == size
        stack.close_all()
        await task

    asyncio.run(scenario())
