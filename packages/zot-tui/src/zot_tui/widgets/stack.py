"""`Stack`: questions over a screen. A dialog goes in, its answer comes out."""

import asyncio
from collections.abc import Callable
from typing import Any

from zot_tui.urwid_parts import urwid
from zot_tui.widgets.dialog import Dialog, V
from zot_tui.widgets.paste import PasteJoin
from zot_tui.widgets.rows import column, cut

LOW = 12  # rows below which a dialog may take all
SEEN_ABOVE = 2  # rows of the base that stay in sight over a tall dialog otherwise


class Stack(urwid.Widget):
    """A base widget and the dialogs that are open over it, of which the newest is drawn and has the keys.

    A dialog takes the whole width and stands at the bottom, over `below(columns)` rows of the base that stay in sight
    (a status bar). `on_change` is called when a dialog comes or goes, which may be outside of a key press: whoever owns
    the screen draws it then. A paste goes to whatever has the keys when it ends, as one `Pasted`.
    """

    _sizing = frozenset([urwid.BOX])
    _selectable = True

    def __init__(
        self,
        base: Any,
        *,
        below: Callable[[int], int] | None = None,
        on_change: Callable[[], None] | None = None,
    ) -> None:
        super().__init__()
        self.base = base
        self.on_change = on_change
        self._below = below
        self._dialogs: list[Dialog[Any]] = []
        self._join = PasteJoin()

    @property
    def top(self) -> Dialog[Any] | None:
        """The dialog that has the keys; None if the base has them."""
        return self._dialogs[-1] if self._dialogs else None

    async def ask(self, dialog: Dialog[V], *, behind: bool = False) -> V | None:
        """The answer to a dialog, None if it was closed without one.

        With `behind` it waits until those that are open are answered: a question that comes by itself does not get the
        keys meant for another. If the caller is cancelled the dialog goes. RuntimeError if the dialog is open already.
        """
        if any(each is dialog for each in self._dialogs):
            raise RuntimeError("this dialog is open already")
        answer: asyncio.Future[V | None] = asyncio.get_running_loop().create_future()

        def close(value: V | None) -> None:
            self._remove(dialog)  # at once: keys that follow in the same reading are not meant for it
            if not answer.done():
                answer.set_result(value)

        dialog.on_close = close
        self._dialogs.insert(0 if behind else len(self._dialogs), dialog)
        self._tell()
        try:
            return await answer
        finally:
            dialog.on_close = None
            self._remove(dialog)

    def close_all(self) -> None:
        """Close every dialog without an answer, the newest first."""
        for dialog in reversed([*self._dialogs]):
            dialog.close(None)

    def keypress(self, size: Any, key: str) -> str | None:
        """See urwid."""
        joined = self._join.feed(key)
        if joined is None:
            return None
        if self._dialogs:
            unused = self._dialogs[-1].keypress(self._place(size)[1], joined)
        elif self.base.selectable():
            unused = self.base.keypress(size, joined)
        else:
            unused = joined
        return unused if isinstance(unused, str) else None

    def mouse_event(self, size: Any, event: str, button: int, column: int, row: int, focus: bool) -> bool | None:  # noqa: FBT001  urwid's
        """See urwid. Dialogs know no mouse, and nothing under them is clicked."""
        if self._dialogs or not hasattr(self.base, "mouse_event"):
            return False
        handled: bool | None = self.base.mouse_event(size, event, button, column, row, focus)
        return handled

    def render(self, size: Any, focus: bool = False) -> urwid.Canvas:  # noqa: FBT001, FBT002  urwid's
        """See urwid."""
        top = self.top
        base = self.base.render(size, focus and top is None)
        if top is None:
            return column([base], size[0])
        first, (columns, taken) = self._place(size)
        dialog = top.render((columns, taken), focus)
        below = cut(base, first + taken, size[1] - first - taken)
        return column([cut(base, 0, first), dialog, below], columns)

    def _place(self, size: Any) -> tuple[int, tuple[int, int]]:
        """The first row of the newest dialog, and its size."""
        columns, rows = size
        below = self._below(columns) if self._below is not None else 0
        if rows - below < LOW:
            below = 0
        room = rows - below
        taken = min(self._dialogs[-1].wanted(columns), room if room < LOW else room - SEEN_ABOVE)
        return room - taken, (columns, taken)

    def _remove(self, dialog: Dialog[Any]) -> None:
        kept = [each for each in self._dialogs if each is not dialog]
        if len(kept) != len(self._dialogs):
            self._dialogs = kept
            self._tell()

    def _tell(self) -> None:
        self._invalidate()
        if self.on_change is not None:
            self.on_change()
