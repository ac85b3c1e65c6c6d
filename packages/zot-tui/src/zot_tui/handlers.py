"""`Handlers`: what an `App` tells its owner of."""

from collections.abc import Callable
from dataclasses import dataclass

from zot_tui.keys.keys import Key


def _unused(*_: object) -> bool:
    return False


@dataclass(slots=True)
class Handlers:
    """What an `App` calls, in the loop's thread; none may wait. An exception from any of them ends the app.

    `action` and `key` say whether they used the key: `action` is asked for a key that the keymap binds, then `key` for
    any key, then the focused widget. `paste` gets pasted text as it came; if it says False the focused widget gets a
    `Pasted`. `focus` hears whether the person looks this way. `interrupt` gets the number of a signal that asks to end
    (SIGINT also for Ctrl+C that nobody used); without it the app ends.
    """

    action: Callable[[str, Key], bool] = _unused
    key: Callable[[Key], bool] = _unused
    paste: Callable[[str], object] = _unused
    focus: Callable[[bool], object] = _unused
    interrupt: Callable[[int], object] | None = None
