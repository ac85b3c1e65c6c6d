from collections.abc import Callable

import urwid

from zot_tui.app import App
from zot_tui.testing import Driver, MemoryScreen
from zot_tui.theme.theme import SpinnerStyle
from zot_tui.widgets.spinner import Spinner, duration

LOOK = SpinnerStyle(("-", "+"), ("working", "thinking"), 125)


class Alarms:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0
        self.set: list[tuple[float, Callable[[], None]]] = []

    def after(self, seconds: float, callback: Callable[[], None]) -> "Alarm":
        self.set.append((self.now + seconds, callback))
        return Alarm(self, self.set[-1])

    def pass_by(self, seconds: float) -> None:
        end = self.now + seconds
        while self.set and min(self.set)[0] <= end:
            entry = min(self.set, key=lambda each: each[0])
            self.set.remove(entry)
            self.now = entry[0]
            entry[1]()
        self.now = end


class Alarm:
    def __init__(self, alarms: Alarms, entry: tuple[float, Callable[[], None]]) -> None:
        self.alarms, self.entry = alarms, entry

    def cancel(self) -> None:
        self.alarms.set.remove(self.entry)


def spinner() -> tuple[Spinner, Alarms, list[str]]:
    alarms, redraws = Alarms(), []
    spinner = Spinner(LOOK, alarms.after, clock=lambda: alarms.now)
    spinner.outdated.connect(lambda: redraws.append(""))
    return spinner, alarms, redraws


def text(widget: Spinner, columns: int = 40) -> str:
    return "\n".join(line.decode().rstrip() for line in widget.render((columns,)).text)


def test_it_turns_eight_times_a_second_and_tells_the_time() -> None:
    widget, alarms, redraws = spinner()
    widget.start(hint="Esc stops")
    assert text(widget) == "  - working  0s · Esc stops"

    alarms.pass_by(0.125)
    assert text(widget) == "  + working  0s · Esc stops"
    alarms.pass_by(64.875)
    assert text(widget) == "  - working  1m 05s · Esc stops"
    assert len(redraws) == 1 + 520


def test_a_frame_comes_with_a_drawing_that_comes_anyway() -> None:
    widget, alarms, redraws = spinner()
    turned: list[int] = []
    widget.turned.connect(turned.append)
    widget.start()
    for _ in range(16):
        alarms.pass_by(0.0625)
        widget.turn()
    assert text(widget) == "  - working  1s"
    assert turned == [1, 2, 3, 4, 5, 6, 7, 8]  # a second has eight frames
    assert len(redraws) == 1

    alarms.pass_by(0.125)
    assert text(widget) == "  + working  1s"
    assert len(redraws) == 2

    widget.stop()
    widget.turn()
    assert (text(widget), alarms.set) == ("", [])


def test_during_a_wait_the_seconds_count_down() -> None:
    widget, alarms, redraws = spinner()
    widget.start("working", "Esc stops")
    alarms.pass_by(5)
    widget.start("trying again", "Esc stops", wait=1.9)
    assert text(widget) == "  - trying again  in 2s · Esc stops"
    drawn = len(redraws)
    alarms.pass_by(1)
    assert text(widget) == "  - trying again  in 1s · Esc stops"
    assert len(redraws) > drawn
    alarms.pass_by(1)
    assert text(widget) == "  - trying again  7s · Esc stops"


def test_its_row_is_empty_and_no_timer_is_set_while_it_does_not_spin() -> None:
    widget, alarms, _ = spinner()
    assert (text(widget), alarms.set) == ("", [])

    widget.start()
    widget.start("again")
    assert (text(widget), len(alarms.set)) == ("  - again  0s", 1)

    widget.stop()
    assert (text(widget), alarms.set, widget.elapsed) == ("", [], 0)


def test_messages_of_the_theme_take_turns_and_a_label_goes_before_them() -> None:
    widget, _, _ = spinner()
    widget.start()
    widget.stop()
    widget.start()
    assert text(widget) == "  - thinking  0s"

    widget.label = "reading\x1b[2J\nfiles"
    assert text(widget) == "  - reading files  0s"


def test_the_row_is_clipped_and_keeps_its_styles() -> None:
    widget, _, _ = spinner()
    widget.start("reading files")

    assert text(widget, 12) == "  - reading…"
    ((style, _, _), *_) = next(iter(widget.render((20,)).content()))
    assert style == "spinner"


def test_a_theme_without_frames_of_one_cell_gets_the_plain_ones() -> None:
    widget, _, _ = spinner()
    widget.theme = SpinnerStyle(("漢", ""), (), 0)
    widget.start("x")
    assert text(widget) == "  · x  0s"


def test_durations_read_well() -> None:
    assert [duration(each) for each in (0, 59.9, 60, 3599, 3600, 7380)] == [
        "0s",
        "59s",
        "1m 00s",
        "59m 59s",
        "1h 00m",
        "2h 03m",
    ]


async def test_in_an_app_it_draws_itself_and_stops_with_it() -> None:
    pile = urwid.Pile([])
    app = App(urwid.Filler(pile, "top"), screen=MemoryScreen(30, 6))
    widget = Spinner(SpinnerStyle(("-", "+"), (), 33), app.after)
    widget.outdated.connect(app.redraw)
    pile.contents = [(urwid.Text("above"), ("pack", None)), (widget, ("pack", None))]
    async with Driver(app) as driver:
        assert driver.screen() == "above"
        widget.start("busy")
        await driver.wait_for("+ busy")
        await driver.wait_for("- busy")
        widget.stop()
        await driver.settle()
        assert driver.screen() == "above"
        draws = driver.memory.draws
        await driver.settle()
        assert driver.memory.draws == draws
