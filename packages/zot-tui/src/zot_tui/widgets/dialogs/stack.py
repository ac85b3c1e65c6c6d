"""`Stack`: shows dialogs over a base widget and returns their answers."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from zot_tui.keys.key import Key
from zot_tui.signal import Signal
from zot_tui.terminal.canvas import column, cut
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.widgets.dialogs.dialog import Dialog, V
from zot_tui.widgets.spinner import Timer
from zot_tui.widgets.target import KeyTarget, key_target

LOW = 15  # below so many rows a dialog may take all
SEEN_ABOVE = 2  # rows of the base that stay visible above a tall dialog otherwise
PAUSE = 1.0  # seconds without a key after which the user is taken to have stopped typing
READ = 0.3  # seconds that a question is drawn before a key can be an answer to it
ALONE = 0.3  # seconds without a key before and after a letter that answers a question
WAITS = "you can answer"
"""How the notice of a question begins that takes no key yet."""
_TYPING, _UNREAD = f"{WAITS} when you stop typing", f"{WAITS} in a moment"


class _Open:
    """An open dialog. `guarded`: no key that is meant for something else may answer it. `ready`: it may have the keys.
    `beside`: it appeared while the base had them. `drawn_at`: when it was first drawn."""

    __slots__ = ("beside", "dialog", "drawn_at", "guarded", "ready", "unasked")

    def __init__(self, dialog: Dialog[Any], *, unasked: bool) -> None:
        self.dialog, self.unasked = dialog, unasked
        self.guarded = unasked or dialog.answered_by_letter
        self.ready = not self.guarded
        self.beside = False
        self.drawn_at = float("inf")


class Stack(urwid.Widget):
    """A base widget and the dialogs open over it. The newest dialog is drawn and has the keys.

    A dialog has the full width and is at the bottom, above `below(columns)` rows of the base that stay visible (a
    status bar). `changed` is emitted when a dialog opens or closes, which may happen outside a key press; the owner
    redraws the screen. `unused` is emitted with a key that the open dialog does not use. `keys` gets the keys and
    pastes while no dialog has them; it is the base unless it is set.

    An unasked question (`ask(behind=True)`), and any that letters answer, takes no key that is for something else.
    While the user types, which is until no key has arrived for `PAUSE` seconds, and before it has been drawn for `READ`
    seconds, it is shown but the base has the keys. It gets them once it has been drawn without the notice that it
    waits. A letter answers it only alone: Enter confirms it, or no key follows for `ALONE` seconds; with another letter
    the user is typing, and both go to the base. `clock` returns seconds, `after` calls back after a number of seconds.
    """

    no_cache = ("render",)  # drawn because something in it has changed, so its last canvas is never wanted
    _sizing = frozenset([urwid.BOX])
    _selectable = True

    def __init__(
        self,
        base: Any,
        *,
        below: Callable[[int], int] | None = None,
        after: Callable[[float, Callable[[], None]], Timer] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.base = base
        self.keys = key_target(base, lambda: self._size)
        self.changed: Signal[[]] = Signal()
        self.unused: Signal[[Key]] = Signal()
        self._below = below
        self._after = after
        self._clock = clock
        self._open: list[_Open] = []
        self._size = (80, 24)
        self._typed_at = float("-inf")
        self._timer: Timer | None = None
        self._letter: Key | None = None
        self._letter_timer: Timer | None = None

    @property
    def top(self) -> Dialog[Any] | None:
        """The dialog that has the keys; None if the base has them."""
        return self._open[-1].dialog if self._open and self._open[-1].ready else None

    @property
    def beside(self) -> bool:
        """Whether the drawn dialog appeared while the base had the keys, so that the base should stay visible."""
        return bool(self._open) and self._open[-1].beside

    @property
    def waiting(self) -> bool:
        """Whether an unasked question is hidden by another dialog."""
        return any(each.unasked for each in self._open[:-1]) and not self._open[-1].unasked

    async def ask(self, dialog: Dialog[V], *, behind: bool = False) -> V | None:
        """Show a dialog and return the answer, None if it was closed without one.

        With `behind` it is unasked: it waits until the open dialogs are answered and the user has stopped typing. If
        the caller is cancelled, the dialog closes. Raises RuntimeError if the dialog is already open.
        """
        if any(each.dialog is dialog for each in self._open):
            raise RuntimeError("this dialog is open already")
        answer: asyncio.Future[V | None] = asyncio.get_running_loop().create_future()

        def close(value: V | None) -> None:
            self._remove(dialog)  # at once: later keys of the same read are not meant for it
            if not answer.done():
                answer.set_result(value)

        dialog.shown(close)
        if behind:
            self._open.insert(0, _Open(dialog, unasked=True))
        else:
            self.rest()  # the last key was the wish for it
            for each in self._open:
                each.ready = not each.guarded  # the keys that close the dialog above are not meant for it
            self._open.append(_Open(dialog, unasked=False))
        self._notify()
        try:
            return await answer
        finally:
            self._remove(dialog)

    def close_all(self) -> None:
        """Close every dialog without an answer, the newest first."""
        for each in reversed([*self._open]):
            each.dialog.close(None)

    def touch(self) -> None:
        """Note that a key was used elsewhere: the user is typing."""
        self._typed_at = self._clock()

    def rest(self) -> None:
        """Note that the user has finished typing, so that the next guarded question gets the keys at once.

        This does not apply to a question that is already open: the next keys may not be meant for it.
        """
        if not any(each.guarded for each in self._open):
            self._typed_at = float("-inf")

    def press(self, key: Key) -> bool:
        top = self.top
        if top is not None and self._open[-1].guarded and (letter := self._held(top, key)) is not None:
            return letter
        used = self._focus().press(key)
        if not used and top is not None:
            self.unused.emit(key)
        return used

    def _held(self, question: Dialog[Any], key: Key) -> bool | None:
        """Keep a letter that may be an answer, until it is known to be alone. Return whether `key` was used; None if it
        goes where keys go."""
        letter = self._drop_letter()
        if not question.takes_letter(key):
            return question.press(letter) if letter is not None and question.accepts(key) else None
        if letter is not None:
            self.touch()
            self._open[-1].ready = False
            return all([self.keys.press(each) for each in (letter, key)])
        self._letter = key
        self._letter_timer = self._wait(ALONE, lambda: self._answer(question))
        return True

    def _answer(self, question: Dialog[Any]) -> None:
        letter = self._drop_letter()
        if letter is not None and question is self.top:
            question.press(letter)
            self.changed.emit()

    def _drop_letter(self) -> Key | None:
        letter, self._letter = self._letter, None
        if self._letter_timer is not None:
            self._letter_timer.cancel()
            self._letter_timer = None
        return letter

    def _wait(self, seconds: float, then: Callable[[], None]) -> Timer:
        return (self._after or asyncio.get_running_loop().call_later)(seconds, then)

    def paste(self, text: str) -> None:
        self._drop_letter()
        self._focus().paste(text)

    def _focus(self) -> KeyTarget:
        """Return what has the keys, to which something is being typed."""
        if self.top is None or not self._open[-1].guarded:
            self.touch()
        return self.keys if self.top is None else self.top

    def mouse_event(self, size: Any, event: str, button: int, column: int, row: int, focus: bool) -> bool | None:  # noqa: FBT001  urwid's
        """See urwid. Dialogs ignore the mouse, and most block it on the base."""
        if (self._open and not self._open[-1].dialog.scrolls_base) or not hasattr(self.base, "mouse_event"):
            return False
        handled: bool | None = self.base.mouse_event(size, event, button, column, row, focus)
        return handled

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        self._size = size
        if self._open and not self._open[-1].ready:
            self._update_ready(self._open[-1])
            self._watch()
        base = self.base.render(size, focus and self.top is None)
        if not self._open:
            return column([base], size[0])
        first, (columns, taken) = self._area(size)
        dialog = self._open[-1].dialog.render((columns, taken), focus and self.top is not None)
        below = cut(base, first + taken, size[1] - first - taken)
        return column([cut(base, 0, first), dialog, below], columns)

    def _area(self, size: Any) -> tuple[int, tuple[int, int]]:
        """Return the first row of the newest dialog, and its size."""
        columns, rows = size
        below = self._below(columns) if self._below is not None else 0
        if rows - below < LOW:
            below = 0
        room = rows - below
        taken = min(self._open[-1].dialog.wanted(columns), room if room < LOW else room - SEEN_ABOVE)
        return room - taken, (columns, taken)

    def _update_ready(self, shown: _Open) -> None:
        """Give the keys to a dialog that is being drawn, or have it show that it waits."""
        shown.beside = shown.beside or self._typing() > 0
        shown.drawn_at = min(shown.drawn_at, self._clock())
        shown.ready = self._left(shown) <= 0
        shown.dialog.waits = "" if shown.ready else _TYPING if self._typing() > 0 else _UNREAD

    def _typing(self) -> float:
        """Return the seconds until the user is taken to have stopped typing."""
        return PAUSE - (self._clock() - self._typed_at)

    def _left(self, shown: _Open) -> float:
        """Return the seconds until a question may have the keys."""
        unread = READ if shown.drawn_at == float("inf") else READ - (self._clock() - shown.drawn_at)
        return max(self._typing(), unread)

    def _watch(self) -> None:
        """Schedule another drawing of a question that waits for a pause in typing, or to be read."""
        if self._timer is None and self._open and not self._open[-1].ready and (left := self._left(self._open[-1])) > 0:
            self._timer = self._wait(left, self._check_pause)

    def _check_pause(self) -> None:
        self._timer = None
        if self._open and self._typing() > 0:
            self._watch()
        else:
            self._notify()

    def _remove(self, dialog: Dialog[Any]) -> None:
        kept = [each for each in self._open if each.dialog is not dialog]
        if len(kept) != len(self._open):
            self._open = kept
            self._drop_letter()
            if not kept and self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._notify()

    def _notify(self) -> None:
        self._watch()
        self.changed.emit()
