"""`Stack`: questions over a screen. A dialog goes in, its answer comes out."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from zot_tui.terminal.canvas import column, cut
from zot_tui.terminal.urwid_parts import urwid
from zot_tui.widgets.dialogs.dialog import Dialog, V
from zot_tui.widgets.input.paste import PasteJoin
from zot_tui.widgets.spinner import Timer

LOW = 12  # rows below which a dialog may take all
SEEN_ABOVE = 2  # rows of the base that stay in sight over a tall dialog otherwise
PAUSE = 1.0  # seconds without a key after which somebody has stopped typing
WAITS = "it takes an answer when you have stopped typing"


class _Open:
    """A dialog that is open. `ready`: it may have the keys; `beside`: it has come while they went elsewhere."""

    __slots__ = ("beside", "dialog", "ready", "unasked")

    def __init__(self, dialog: Dialog[Any], *, unasked: bool) -> None:
        self.dialog, self.unasked = dialog, unasked
        self.ready = not unasked
        self.beside = False


class Stack(urwid.Widget):
    """A base widget and the dialogs that are open over it, of which the newest is drawn and has the keys.

    A dialog takes the whole width and stands at the bottom, over `below(columns)` rows of the base that stay in sight
    (a status bar). `on_change` is called when a dialog comes or goes, which may be outside of a key press: whoever owns
    the screen draws it then. A paste goes to whatever has the keys when it ends, as one `Pasted`.

    A question that comes by itself (`ask(behind=True)`) takes no key that is meant for something else: while somebody
    types, which is until no key has come for `PAUSE` seconds, it is shown and the base has the keys. It has them once
    it was drawn without the word that it waits. `clock` gives seconds, `after` calls back in so many.
    """

    _sizing = frozenset([urwid.BOX])
    _selectable = True

    def __init__(
        self,
        base: Any,
        *,
        below: Callable[[int], int] | None = None,
        on_change: Callable[[], None] | None = None,
        after: Callable[[float, Callable[[], None]], Timer] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.base = base
        self.on_change = on_change
        self._below = below
        self._after = after
        self._clock = clock
        self._open: list[_Open] = []
        self._join = PasteJoin()
        self._typed_at = float("-inf")
        self._timer: Timer | None = None

    @property
    def top(self) -> Dialog[Any] | None:
        """The dialog that has the keys; None if the base has them."""
        return self._open[-1].dialog if self._open and self._open[-1].ready else None

    @property
    def beside(self) -> bool:
        """Whether the dialog that is drawn came while the base had the keys, which should be seen beside it."""
        return bool(self._open) and self._open[-1].beside

    @property
    def waiting(self) -> bool:
        """Whether a question that came by itself is not seen, because another dialog is open."""
        return any(each.unasked for each in self._open[:-1]) and not self._open[-1].unasked

    async def ask(self, dialog: Dialog[V], *, behind: bool = False) -> V | None:
        """The answer to a dialog, None if it was closed without one.

        With `behind` it comes by itself: it waits until those that are open are answered, and until nobody types. If
        the caller is cancelled the dialog goes. RuntimeError if the dialog is open already.
        """
        if any(each.dialog is dialog for each in self._open):
            raise RuntimeError("this dialog is open already")
        answer: asyncio.Future[V | None] = asyncio.get_running_loop().create_future()

        def close(value: V | None) -> None:
            self._remove(dialog)  # at once: keys that follow in the same reading are not meant for it
            if not answer.done():
                answer.set_result(value)

        dialog.on_close = close
        if behind:
            self._open.insert(0, _Open(dialog, unasked=True))
        else:
            for each in self._open:
                each.ready = not each.unasked  # the keys that close what covers it now are not meant for it
            self._open.append(_Open(dialog, unasked=False))
        self._tell()
        try:
            return await answer
        finally:
            dialog.on_close = None
            self._remove(dialog)

    def close_all(self) -> None:
        """Close every dialog without an answer, the newest first."""
        for each in reversed([*self._open]):
            each.dialog.close(None)

    def touch(self) -> None:
        """A key was used elsewhere: whoever presses keys is at something."""
        self._typed_at = self._clock()

    def rest(self) -> None:
        """What was being typed is done: a question that comes after it may be answered at once. One that is there
        already has come in the middle, and what is typed next may not be meant for it."""
        if not any(each.unasked for each in self._open):
            self._typed_at = float("-inf")

    def keypress(self, size: Any, key: str) -> str | None:
        """See urwid."""
        joined = self._join.feed(key)
        if joined is None:
            return None
        if self.top is None or not self._open[-1].unasked:
            self.touch()
        if self.top is not None:
            unused = self.top.keypress(self._place(size)[1], joined)
        elif self.base.selectable():
            unused = self.base.keypress(size, joined)
        else:
            unused = joined
        return unused if isinstance(unused, str) else None

    def mouse_event(self, size: Any, event: str, button: int, column: int, row: int, focus: bool) -> bool | None:  # noqa: FBT001  urwid's
        """See urwid. Dialogs know no mouse, and nothing under them is clicked."""
        if self._open or not hasattr(self.base, "mouse_event"):
            return False
        handled: bool | None = self.base.mouse_event(size, event, button, column, row, focus)
        return handled

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        if self._open and not self._open[-1].ready:
            self._settle(self._open[-1])
        base = self.base.render(size, focus and self.top is None)
        if not self._open:
            return column([base], size[0])
        first, (columns, taken) = self._place(size)
        dialog = self._open[-1].dialog.render((columns, taken), focus and self.top is not None)
        below = cut(base, first + taken, size[1] - first - taken)
        return column([cut(base, 0, first), dialog, below], columns)

    def _place(self, size: Any) -> tuple[int, tuple[int, int]]:
        """The first row of the newest dialog, and its size."""
        columns, rows = size
        below = self._below(columns) if self._below is not None else 0
        if rows - below < LOW:
            below = 0
        room = rows - below
        taken = min(self._open[-1].dialog.wanted(columns), room if room < LOW else room - SEEN_ABOVE)
        return room - taken, (columns, taken)

    def _settle(self, shown: _Open) -> None:
        """It is being drawn: give it the keys, or have it say that it waits."""
        shown.ready = self._left() <= 0
        shown.beside = shown.beside or not shown.ready
        shown.dialog.waits = "" if shown.ready else WAITS

    def _left(self) -> float:
        """Seconds until nobody types."""
        return PAUSE - (self._clock() - self._typed_at)

    def _watch(self) -> None:
        """Have a question that waits for a pause drawn again when there may have been one."""
        if self._timer is None and self._open and not self._open[-1].ready and (left := self._left()) > 0:
            after = self._after or asyncio.get_running_loop().call_later
            self._timer = after(left, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._left() > 0:
            self._watch()
        else:
            self._tell()

    def _remove(self, dialog: Dialog[Any]) -> None:
        kept = [each for each in self._open if each.dialog is not dialog]
        if len(kept) != len(self._open):
            self._open = kept
            if not kept and self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._tell()

    def _tell(self) -> None:
        self._watch()
        self._invalidate()
        if self.on_change is not None:
            self.on_change()
