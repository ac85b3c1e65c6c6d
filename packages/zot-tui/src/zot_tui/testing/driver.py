"""`Driver`: types into an app and reads its screen within the test process, without real-time delays."""

import asyncio
import re
from collections.abc import Hashable
from types import TracebackType
from typing import Self

from zot_tui.app import App
from zot_tui.keys.key import RUNE, Key, is_character, parse_key
from zot_tui.terminal.input import FocusChange, MouseEvent, Paste, TerminalReply
from zot_tui.testing.memory import MemoryScreen
from zot_tui.text.width import width
from zot_tui.widgets.dialogs.stack import WAITS

_TYPED = re.compile(r"<([^<>\s]+)>|(.)", re.DOTALL)
_ROUNDS = 10_000


class Driver:
    """Drives an app whose screen is a `MemoryScreen`: `async with Driver(App(root, screen=MemoryScreen())) as driver`.

    Keys are handled before `type` returns. Work that they start continues in the loop: `await settle()` runs all tasks
    that are ready and draws; `await wait_for(text)` waits for slower work.
    """

    def __init__(self, app: App) -> None:
        if not isinstance(app.screen, MemoryScreen):
            raise TypeError("the driver needs an app with screen=MemoryScreen()")
        self.app = app
        self.memory = app.screen
        self._drawn = asyncio.Event()
        self.memory.drawn.connect(self._drawn.set)

    async def __aenter__(self) -> Self:
        await self.app.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.app.__aexit__(kind, error, trace)

    def type(self, text: str) -> None:
        """Press the keys of `text`: characters are themselves, `<enter>`, `<ctrl+o>` and `<alt+left>` are keys as
        `parse_key` reads them, `<lt>` is `<`.

        ValueError for an unknown name and for a control character.
        """
        for name, character in _TYPED.findall(text):
            if name == "lt":
                self.press(Key(RUNE, (), "<"))
            elif name:
                self.press(parse_key(name))
            elif is_character(character):
                self.press(Key(RUNE, (), character))
            else:
                raise ValueError(f"{character!r} is typed by its name: <enter>, <tab>")

    def press(self, key: Key) -> None:
        self.memory.hear(key)

    def paste(self, text: str) -> None:
        self.memory.hear(Paste(text))

    def click(self, column: int, row: int, button: int = 1) -> None:
        """Press and release a mouse button over a cell; buttons 4 and 5 are the wheel."""
        self.memory.hear(MouseEvent("mouse press", button, column, row))
        self.memory.hear(MouseEvent("mouse release", 0, column, row))

    def look(self, *, here: bool) -> None:
        """Give the window the focus (`here`), or take it away."""
        self.memory.hear(FocusChange(here))

    def answer(self, reply: str) -> None:
        """Answer a query of the app with a control string, as the terminal."""
        self.memory.hear(TerminalReply(reply))

    def resize(self, columns: int, rows: int) -> None:
        self.memory.size = (columns, rows)
        self.app.refresh()

    async def settle(self) -> None:
        """Wait until no redraw is scheduled, drawing meanwhile. Raises the exception that ended the app, if any."""
        quiet = 0
        for _ in range(_ROUNDS):
            await asyncio.sleep(0)
            quiet += 1
            if self.app.drawing:
                self.app.draw()
                quiet = 0
            if self.app.end.reached:
                await self.app.wait()
            if quiet > 3:  # a task may wake another task, which requests a redraw
                return
        raise RuntimeError(f"the app still requested a redraw after {_ROUNDS} of them")

    async def wait_for(self, text: str, limit: float = 120.0) -> None:
        """Wait until `text` is on the screen, and a question that is there can be answered, unless `text` is the notice
        that it cannot. Checked after every draw. TimeoutError, with the screen, after `limit` seconds."""
        try:
            async with asyncio.timeout(limit):
                await self.settle()
                while text not in (screen := self.screen()) or (WAITS in screen and WAITS not in text):
                    self._drawn.clear()
                    await self._drawn.wait()
        except TimeoutError:
            raise TimeoutError(f"{text!r} was not shown within {limit:g} s, but:\n{self.screen()}") from None

    def rows(self) -> list[str]:
        """Return the text of every row, as wide as the screen."""
        return ["".join(text for _, text in runs) for runs in self.styles()]

    def screen(self) -> str:
        """Return the text on the screen, without trailing blanks and empty rows."""
        return "\n".join(row.rstrip() for row in self.rows()).rstrip("\n")

    def styles(self) -> list[list[tuple[Hashable, str]]]:
        """Return the runs of every row: the style (usually a token's name) and the text."""
        if self.memory.canvas is None:
            return []
        return [[(style, text.decode()) for style, _, text in row] for row in self.memory.canvas.content()]

    def style_at(self, column: int, row: int) -> Hashable:
        """Return the style of one cell; IndexError outside the screen."""
        if column >= 0 <= row:
            for style, text in self.styles()[row]:
                column -= width(text)
                if column < 0:
                    return style
        raise IndexError(f"there is no cell {column}, {row}")

    @property
    def cursor(self) -> tuple[int, int] | None:
        """Column and row of the cursor, None if it is hidden."""
        return None if self.memory.canvas is None else self.memory.canvas.cursor
