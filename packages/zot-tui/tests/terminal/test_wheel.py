import asyncio
import os
import pty
import select

from hypothesis import example, given
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_tui.keys.key import Key, parse_key
from zot_tui.terminal.input import FocusChange, HeldKey, MouseEvent, TerminalEvent
from zot_tui.terminal.terminal import Terminal
from zot_tui.terminal.wheel import ArrowTaps

KEYS = [parse_key(name) for name in ("up", "down", "left", "shift+up", "x")]
EVENTS = st.sampled_from([*KEYS, *[HeldKey(key, released) for key in KEYS for released in (True, False)]])
UP, DOWN, LEFT, SHIFT_UP, X = KEYS


def taps(key: TerminalEvent, count: int) -> list[TerminalEvent]:
    return [key, HeldKey(key, released=True)] * count


def wheel(button: int, count: int) -> list[TerminalEvent]:
    return [MouseEvent("mouse press", button, 0, 0)] * count


def read(*reads: list[TerminalEvent]) -> list[TerminalEvent]:
    """What these reads are, and then a pause."""
    found = ArrowTaps()
    events = [event for each in reads for event in found.feed(each)]
    return events + found.flush()


def test_arrow_keys_that_are_let_go_at_once_are_steps_of_the_wheel() -> None:
    assert read(taps(UP, 5)) == wheel(4, 1)
    assert read(taps(DOWN, 15)) == wheel(5, 5)
    assert read([X, *taps(UP, 2), *taps(DOWN, 2), FocusChange(here=True)]) == [
        X, *wheel(4, 1), *wheel(5, 1), FocusChange(here=True),
    ]  # fmt: skip


def test_a_step_of_the_wheel_is_known_before_it_ends() -> None:
    found = ArrowTaps()
    assert [len(found.feed(taps(UP, 1))) for _ in range(9)] == [0, 1, 0, 0, 0, 1, 0, 0, 1]
    assert found.flush() == []


def test_a_key_that_is_held_down_waits_for_a_pause_alone() -> None:
    found = ArrowTaps()
    assert found.feed([DOWN]) == []
    assert found.waiting
    assert found.flush() == [DOWN]
    held = [HeldKey(DOWN, released=False), HeldKey(DOWN, released=True)]
    assert found.feed(held) == held
    assert not found.waiting


@given(st.lists(st.lists(EVENTS, max_size=6), max_size=6))
def test_everything_else_stays_as_it_is_however_it_is_read(reads: list[list[TerminalEvent]]) -> None:
    events = [event for each in reads for event in each]
    found = read(*reads)
    assert found == read(events)
    if not any(events[at : at + 4] == taps(key, 2) for key in (UP, DOWN) for at in range(len(events))):
        assert found == events
    kept = [event for event in found if not isinstance(event, MouseEvent)]
    assert [event for event in kept if event in (LEFT, SHIFT_UP, X)] == [
        event for event in events if event in (LEFT, SHIFT_UP, X)
    ]
    assert read(found) == found


KITTY = (
    b"\x1b[?1007;0$y\x1b[?0u\x1b[?62;52;c"  # no mode for the wheel, but the keyboard protocol; the end of the answers
)
STEPS = (b"\x1b[A\x1b[1;1:3A" * 5, b"\x1b[B\x1b[1;1:3B" * 5)


def test_a_step_of_the_wheel_is_the_same_in_every_number_of_reads_and_arrows_are_keys_while_the_mouse_is_on() -> None:
    kitty, ours = pty.openpty()
    loop = asyncio.new_event_loop()
    events: list[TerminalEvent] = []

    def send(*pieces: bytes) -> list[TerminalEvent]:
        events.clear()
        for piece in filter(None, pieces):
            os.write(kitty, piece)
            assert select.select([ours], [], [], PATIENCE)[0]
            for _ in range(2):
                loop.run_until_complete(asyncio.sleep(0))
        return events.copy()

    @given(st.lists(st.sampled_from(STEPS), min_size=1, max_size=3), st.sets(st.integers(1, 149)))
    @example([STEPS[0]], {3})
    @example([STEPS[1]], set(range(49)))
    def is_the_same(steps: list[bytes], cuts: set[int]) -> None:
        sent = b"".join(steps) + b"x"
        at = [0, *sorted(cuts), len(sent)]
        whole = send(sent)
        assert send(*map(sent.__getitem__, map(slice, at, at[1:]))) == whole
        assert [type(each) for each in whole] == [MouseEvent] * (len(whole) - 1) + [Key]
        assert len(whole) > len(set(steps))

    with open(ours, "r+b", buffering=0) as file:
        screen = Terminal(file, file, environment={}, escape_wait=60, rest_wait=60, wheel_wait=60)
        screen.start()
        screen.listen(loop, events.extend, lambda: None)
        try:
            send(KITTY)
            is_the_same()
            screen.set_mouse_tracking(True)
            found = send(STEPS[0], b"x")
            assert [each for each in found if isinstance(each, Key)] == [*[UP] * 5, X]
            assert not any(isinstance(each, MouseEvent) for each in found)
        finally:
            screen.unlisten()
            os.write(kitty, KITTY)
            screen.stop()
            os.close(kitty)
            loop.close()
