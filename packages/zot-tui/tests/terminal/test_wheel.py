from hypothesis import given
from hypothesis import strategies as st

from zot_tui.keys.key import parse_key
from zot_tui.terminal.input import FocusChange, HeldKey, MouseEvent, TerminalEvent
from zot_tui.terminal.wheel import without_arrows

KEYS = [parse_key(name) for name in ("up", "down", "left", "shift+up", "x")]
EVENTS = st.sampled_from([*KEYS, *[HeldKey(key, released) for key in KEYS for released in (True, False)]])
UP, DOWN, LEFT, SHIFT_UP, X = KEYS


def taps(key: TerminalEvent, count: int) -> list[TerminalEvent]:
    return [key, HeldKey(key, released=True)] * count


def wheel(button: int, count: int) -> list[TerminalEvent]:
    return [MouseEvent("mouse press", button, 0, 0)] * count


def test_arrow_keys_that_are_let_go_at_once_are_steps_of_the_wheel() -> None:
    assert without_arrows(taps(UP, 5)) == wheel(4, 1)
    assert without_arrows(taps(DOWN, 15)) == wheel(5, 5)
    assert without_arrows([X, *taps(UP, 2), *taps(DOWN, 2), FocusChange(here=True)]) == [
        X, *wheel(4, 1), *wheel(5, 1), FocusChange(here=True),
    ]  # fmt: skip


@given(st.lists(EVENTS, max_size=12))
def test_everything_else_stays_as_it_is(events: list[TerminalEvent]) -> None:
    found = without_arrows(events)
    if not any(events[at : at + 4] == taps(key, 2) for key in (UP, DOWN) for at in range(len(events))):
        assert found == events
    kept = [event for event in found if not isinstance(event, MouseEvent)]
    assert [event for event in kept if event in (LEFT, SHIFT_UP, X)] == [
        event for event in events if event in (LEFT, SHIFT_UP, X)
    ]
    assert without_arrows(found) == found
