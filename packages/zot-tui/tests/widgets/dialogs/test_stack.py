import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import urwid

from zot_tui.keys.key import Key, parse_key
from zot_tui.widgets.dialogs.picker import Picker, PickerItem
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice, TextInput
from zot_tui.widgets.dialogs.stack import ALONE, PAUSE, READ, WAITS, Stack

SIZE = (30, 16)


def shown(stack: Stack, size: tuple[int, int] = SIZE) -> list[str]:
    return [row.decode().rstrip() for row in stack.render(size, focus=True).text]


def confirm(title: str = "Sure?") -> Confirm[bool]:
    return Confirm(title, [ConfirmChoice("y", "Yes", True), ConfirmChoice("n", "No", False)])


def pick(title: str = "Sure?") -> Picker[bool]:
    return Picker(title, [PickerItem(True, "Yes"), PickerItem(False, "No")])


async def opened(stack: Stack, *dialogs: Any, behind: bool = False) -> list[asyncio.Task[Any]]:
    """Tasks that wait for the answers, the dialogs being open."""
    tasks = []
    for dialog in dialogs:
        tasks.append(asyncio.ensure_future(stack.ask(dialog, behind=behind)))
        await asyncio.sleep(0)
    return tasks


async def test_a_dialog_goes_in_and_its_answer_comes_out() -> None:
    changes: list[bool] = []
    stack = Stack(urwid.SolidFill("."))
    stack.changed.connect(lambda: changes.append(stack.top is not None))
    (task,) = await opened(stack, pick())
    assert stack.press(parse_key("enter"))
    assert changes == [True, False]
    assert await task is True


async def test_escape_gives_none() -> None:
    stack = Stack(urwid.SolidFill("."))
    (task,) = await opened(stack, pick())
    stack.press(parse_key("esc"))
    assert await task is None


async def test_a_dialog_stands_at_the_bottom_above_what_stays_in_sight() -> None:
    stack = Stack(urwid.SolidFill("."), below=lambda columns: 1)
    (task,) = await opened(stack, confirm())
    rows = shown(stack)
    stack.close_all()
    await task
    assert rows == [
        *["." * 30] * 8,
        "─" * 30,
        "  Sure?",
        "",
        "› y  Yes",
        "  n  No",
        "",
        "  you can answer in a moment",
        "." * 30,
    ]


async def test_the_newest_dialog_has_the_keys_and_the_one_below_comes_back() -> None:
    stack = Stack(urwid.SolidFill("."))
    picker = Picker("Choose", [PickerItem(1, "one"), PickerItem(2, "two")])
    first, second = await opened(stack, picker, pick())
    for key in ("down", "enter", "down", "enter"):
        stack.press(parse_key(key))
    assert [await first, await second] == [2, False]


class Clock:
    """Seconds that pass when a test says so, with what is to be called then."""

    def __init__(self) -> None:
        self.now = 100.0
        self.due: list[Due] = []

    def __call__(self) -> float:
        return self.now

    def after(self, seconds: float, call: Callable[[], None]) -> "Due":
        self.due.append(Due(self, self.now + seconds, call))
        return self.due[-1]

    def go_on(self, seconds: float) -> None:
        self.now += seconds
        for each in [each for each in self.due if each.at <= self.now]:
            each.cancel()
            each.call()


@dataclass(eq=False)
class Due:
    """What is to be called at a time."""

    clock: Clock
    at: float
    call: Callable[[], None]

    def cancel(self) -> None:
        self.clock.due = [each for each in self.clock.due if each is not self]


class Watched:
    """A stack over a line to type in, that draws itself whenever it has changed, as a screen does."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.edit = urwid.Edit()
        base = urwid.Filler(self.edit, valign="bottom")
        self.stack = Stack(base, clock=self.clock, after=self.clock.after)
        self.stack.changed.connect(lambda: self.draw() if self.drawing else None)
        self.drawing = True
        self.rows: list[str] = []

    def draw(self) -> None:
        self.rows = shown(self.stack)

    def type(self, *keys: str) -> None:
        for key in keys:
            self.stack.press(parse_key(key))
        self.draw()

    def answer(self, letter: str) -> None:
        self.type(letter)
        self.clock.go_on(ALONE * 1.1)

    @property
    def waits(self) -> bool:
        return any(WAITS[:20] in row for row in self.rows)


async def test_a_question_that_comes_by_itself_waits_behind_and_takes_no_key_that_closes_the_other() -> None:
    watched = Watched()
    (typing,) = await opened(watched.stack, TextInput("Name"))
    (asked,) = await opened(watched.stack, confirm(), behind=True)
    assert watched.stack.waiting
    watched.type("y", "enter", "enter", "y")
    assert watched.waits
    assert not watched.stack.waiting
    watched.clock.go_on(PAUSE)
    assert not watched.waits
    watched.answer("n")
    assert [await typing, await asked, watched.edit.edit_text] == ["y", False, "y"]


async def test_a_question_that_comes_while_somebody_types_leaves_them_the_keys_until_they_pause() -> None:
    watched = Watched()
    watched.type("p")
    (asked,) = await opened(watched.stack, confirm(), behind=True)
    for key in "leany":
        watched.clock.go_on(PAUSE * 0.9)
        watched.type(key)
        assert watched.stack.top is None
        assert watched.waits
        assert watched.stack.beside
    watched.clock.go_on(PAUSE * 0.9)
    watched.clock.go_on(PAUSE * 0.2)
    assert not watched.waits
    assert watched.stack.beside
    watched.answer("y")
    assert [await asked, watched.edit.edit_text] == [True, "pleany"]


async def test_a_question_that_comes_when_nobody_types_takes_the_next_key_once_it_was_drawn() -> None:
    watched = Watched()
    watched.type("p")
    watched.stack.rest()
    watched.drawing = False
    first, second = await opened(watched.stack, confirm("first"), confirm("second"), behind=True)
    watched.stack.press(parse_key("y"))
    assert watched.edit.edit_text == "py"
    watched.clock.go_on(PAUSE)
    watched.draw()
    watched.clock.go_on(READ * 1.1)
    watched.draw()
    for key in ("n", "enter", "n"):  # one reading: the next question was not seen yet
        watched.stack.press(parse_key(key))
    assert await first is False
    assert not second.done()
    watched.clock.go_on(PAUSE)
    watched.draw()
    watched.clock.go_on(READ * 1.1)
    watched.draw()
    watched.answer("y")
    assert [await second, watched.edit.edit_text] == [True, "pyn"]


async def test_a_key_that_comes_before_a_question_could_be_read_is_no_answer() -> None:
    watched = Watched()
    (asked,) = await opened(watched.stack, confirm(), behind=True)
    assert watched.waits
    assert not watched.stack.beside
    watched.clock.go_on(READ * 0.9)
    watched.type("y")
    assert not asked.done()
    assert watched.edit.edit_text == "y"
    watched.clock.go_on(PAUSE)
    assert not watched.waits
    watched.answer("n")
    assert await asked is False


async def test_a_letter_that_comes_before_an_asked_question_could_be_read_is_no_answer_either() -> None:
    watched = Watched()
    watched.type("/")
    (asked,) = await opened(watched.stack, confirm())
    watched.type("u", "n")
    watched.clock.go_on(ALONE * 1.1)
    assert [asked.done(), watched.waits, watched.edit.edit_text] == [False, True, "/un"]
    watched.clock.go_on(PAUSE)
    watched.answer("n")
    assert await asked is False


async def test_the_key_that_asks_for_a_question_is_not_taken_for_typing() -> None:
    watched = Watched()
    watched.type("/")
    (asked,) = await opened(watched.stack, confirm())
    watched.clock.go_on(READ * 1.1)
    watched.answer("y")
    assert await asked is True


async def test_a_question_gets_the_keys_when_it_was_drawn_long_enough_although_nothing_else_draws() -> None:
    watched = Watched()
    (asked,) = await opened(watched.stack, confirm(), behind=True)
    watched.clock.go_on(READ * 0.5)
    assert watched.waits
    watched.clock.go_on(READ * 0.6)
    assert not watched.waits
    watched.answer("y")
    assert [await asked, watched.edit.edit_text] == [True, ""]


@pytest.mark.parametrize("pause", [0.0, ALONE * 0.9])
@pytest.mark.parametrize("text", ["yes please", "you are ok", "hey", "no yes", "yy"])
async def test_a_letter_among_others_is_typed_and_answers_no_question(text: str, pause: float) -> None:
    watched = Watched()
    (asked,) = await opened(watched.stack, confirm(), behind=True)
    watched.clock.go_on(PAUSE)
    for letter in text:
        watched.clock.go_on(pause)
        watched.type(letter)
    assert [watched.edit.edit_text, watched.waits] == [text, True]
    watched.clock.go_on(ALONE * 1.1)
    await asyncio.sleep(0)
    assert not asked.done()
    watched.clock.go_on(PAUSE)
    watched.answer("n")
    assert [await asked, watched.edit.edit_text] == [False, text]


@pytest.mark.parametrize(
    ("keys", "answer"),
    [(["n", "enter"], False), (["enter"], True), (["n", "up", "enter"], True), (["n", "esc"], None)],
)
async def test_enter_confirms_a_letter_and_other_keys_forget_it(keys: list[str], answer: bool | None) -> None:
    watched = Watched()
    (asked,) = await opened(watched.stack, confirm(), behind=True)
    watched.clock.go_on(PAUSE)
    watched.type(*keys)
    assert [await asked, watched.edit.edit_text] == [answer, ""]


async def test_a_letter_that_was_pressed_when_a_question_went_away_answers_no_other() -> None:
    watched = Watched()
    first, second = await opened(watched.stack, confirm("first"), confirm("second"), behind=True)
    watched.clock.go_on(PAUSE)
    watched.type("y")
    first.cancel()
    await asyncio.sleep(0)
    watched.clock.go_on(ALONE * 1.1)
    await asyncio.sleep(0)
    assert not second.done()
    watched.stack.close_all()
    assert await second is None


async def test_the_end_of_a_line_lets_a_question_be_answered_soon_but_not_one_that_came_before_it() -> None:
    watched = Watched()
    watched.type("p")
    watched.stack.rest()
    (asked,) = await opened(watched.stack, confirm(), behind=True)
    watched.clock.go_on(READ * 1.1)
    watched.answer("y")
    answers = [await asked]
    watched.type("p")
    (asked,) = await opened(watched.stack, confirm(), behind=True)
    watched.stack.rest()
    watched.type("y")
    assert not asked.done()
    asked.cancel()
    assert [*answers, watched.edit.edit_text] == [True, "ppy"]


async def test_a_dialog_that_covers_a_question_gives_it_no_keys_when_it_closes() -> None:
    watched = Watched()
    (asked,) = await opened(watched.stack, confirm(), behind=True)
    (typing,) = await opened(watched.stack, TextInput("Name"))
    watched.type("esc", "esc")
    assert await typing is None
    assert not asked.done()
    watched.clock.go_on(PAUSE)
    watched.type("esc")
    assert [await asked] == [None]


async def test_keys_that_follow_an_answer_go_to_the_base() -> None:
    edit = urwid.Edit()
    stack = Stack(urwid.Filler(edit))
    (task,) = await opened(stack, pick())
    for key in ("enter", "e", "s"):
        stack.press(parse_key(key))
    await task
    assert str(edit.edit_text) == "es"


async def test_a_cancelled_question_takes_its_dialog_away() -> None:
    stack = Stack(urwid.SolidFill("."))
    below, above = await opened(stack, pick("first"), pick("second"))
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


async def test_a_dialog_can_be_asked_again_but_not_twice_at_once() -> None:
    stack = Stack(urwid.SolidFill("."))
    dialog = pick()
    (task,) = await opened(stack, dialog)
    with pytest.raises(RuntimeError, match="open already"):
        await stack.ask(dialog)
    stack.press(parse_key("enter"))
    first = await task
    (task,) = await opened(stack, dialog)
    for key in ("down", "enter"):
        stack.press(parse_key(key))
    assert [first, await task] == [True, False]


async def test_a_paste_goes_where_the_keys_go_and_answers_no_question() -> None:
    class Target:
        def __init__(self) -> None:
            self.pasted: list[str] = []

        def press(self, key: Key) -> bool:
            return True

        def paste(self, text: str) -> None:
            self.pasted.append(text)

    clock = Clock()
    stack = Stack(urwid.SolidFill("."), clock=clock, after=clock.after)
    stack.paste("nobody takes it")
    stack.keys = target = Target()
    stack.paste("first")
    (task,) = await opened(stack, confirm())
    shown(stack)
    clock.go_on(READ * 1.1)
    shown(stack)
    stack.paste("y\n")
    still_open = stack.top is not None
    stack.close_all()
    await task
    assert still_open
    assert target.pasted == ["first"]


async def test_every_size_of_screen_is_filled() -> None:
    stack = Stack(urwid.SolidFill("."), below=lambda columns: 2)
    picker = Picker("Choose", [PickerItem(number, f"item {number}") for number in range(50)])
    (task,) = await opened(stack, picker)
    for size in ((20, 6), (120, 50), (3, 1), (40, 12), (8, 3)):
        canvas = stack.render(size, focus=True)
        assert (canvas.cols(), canvas.rows()) == size
    stack.close_all()
    await task
