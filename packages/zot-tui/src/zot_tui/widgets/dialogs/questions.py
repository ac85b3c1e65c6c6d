"""`Confirm` for a choice of a few answers, `TextInput` for a line of text, `Pages` for a text to read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from zot_tui.keys.key import Key
from zot_tui.keys.keymap import Keymap
from zot_tui.terminal.canvas import Source
from zot_tui.text.runs import Row
from zot_tui.widgets.dialogs.dialog import Dialog, Hint, V
from zot_tui.widgets.dialogs.entry import ListEntry, entry_row, window
from zot_tui.widgets.input.editor import EditorWidget
from zot_tui.widgets.scroll import Scroll, text_source

INPUT_ROWS = 3


@dataclass(slots=True)
class ConfirmChoice(Generic[V]):
    """An answer to `Confirm`: its letter, its label, its value."""

    key: str
    label: str
    value: V


class Confirm(Dialog[V]):
    """A question with a few answers, chosen by letter or with the arrows. Its body scrolls by pages.

    `content` is a text, or a source of rows, for example a diff.
    """

    def __init__(
        self,
        title: str,
        choices: Sequence[ConfirmChoice[V]],
        content: str | Source = "",
        *,
        chosen: int = 0,
        note: str = "",
        keymap: Keymap | None = None,
    ) -> None:
        scroll = Scroll(text_source(content) if isinstance(content, str) else content) if content else None
        hints = [Hint("dialog_accept", "choose"), Hint("dialog_cancel", "cancel")]
        if scroll is not None:
            hints.insert(1, Hint("dialog_page_down", "scroll"))
        super().__init__(title, scroll, note=note, hints=hints, keymap=keymap)
        self._scroll = scroll
        self._choices = [*choices]
        self._chosen = min(max(chosen, 0), len(self._choices) - 1)
        self._top = 0

    def accept(self) -> None:
        """Answer with the chosen value."""
        self.close(self._choices[self._chosen].value)

    def up(self) -> None:
        """Choose the answer above."""
        self._chosen = max(self._chosen - 1, 0)

    def down(self) -> None:
        """Choose the answer below."""
        self._chosen = min(self._chosen + 1, len(self._choices) - 1)

    def page_up(self) -> None:
        """Scroll the body up by a page."""
        if self._scroll is not None:
            self._scroll.page(-1)

    def page_down(self) -> None:
        """Scroll the body down by a page."""
        if self._scroll is not None:
            self._scroll.page(1)

    def typed(self, text: str) -> None:
        """Answer by letter, ignoring case."""
        for choice in self._choices:
            if choice.key.lower() == text.lower():
                self.close(choice.value)
                return

    def detail(self) -> str:
        """See `Dialog`."""
        return self._scroll.position if self._scroll is not None else ""

    def foot(self, columns: int, limit: int) -> list[Row[Any]]:
        """See `Dialog`: the answers."""
        self._top = window(len(self._choices), self._chosen, self._top, limit)
        return [
            entry_row(ListEntry(choice.label, mark=f"{choice.key}  "), columns, 0, chosen=index == self._chosen)
            for index, choice in enumerate(self._choices)
            if self._top <= index < self._top + limit
        ]


class TextInput(Dialog[str]):
    """A question for a line of text, drawn as dots if `masked`. `check` returns why a text is refused, or nothing."""

    def __init__(
        self,
        title: str,
        *,
        text: str = "",
        placeholder: str = "",
        note: str = "",
        masked: bool = False,
        check: Callable[[str], str] | None = None,
        keymap: Keymap | None = None,
    ) -> None:
        self.editor = EditorWidget(
            keymap=keymap, placeholder=placeholder, masked=masked, single=True, max_rows=INPUT_ROWS
        )
        self.editor.set_text(text)
        hints = (Hint("dialog_accept", "accept"), Hint("dialog_cancel", "cancel"))
        super().__init__(title, self.editor, note=note, hints=hints, keymap=keymap)
        self._check = check
        self._problem = ""

    def accept(self) -> None:
        """Answer with the text, unless it is refused."""
        self._problem = self._check(self.editor.text) if self._check is not None else ""
        if not self._problem:
            self.close(self.editor.text)

    def pressed(self, key: Key, name: str) -> bool:
        """See `Dialog`: keys that are not the dialog's edit the text."""
        self._problem = ""
        if self.method(key) is not None:
            return False
        return self.editor.keypress((self.columns,), name) is None

    def pasted(self, text: str) -> None:
        """Insert a pasted text on one line."""
        self._problem = ""
        self.editor.paste(text)

    def notice(self) -> tuple[str, str] | None:
        """See `Dialog`: why the text was refused."""
        return ("error", self._problem) if self._problem else None


class Pages(Dialog[None]):
    """A text or rows to read. All keys that accept or close a dialog close it. `reload` asks a source again."""

    def __init__(self, title: str, content: str | Source, *, note: str = "", keymap: Keymap | None = None) -> None:
        scroll = Scroll(text_source(content) if isinstance(content, str) else content)
        hints = (Hint("dialog_page_down", "scroll"), Hint("dialog_cancel", "close"))
        super().__init__(title, scroll, note=note, hints=hints, keymap=keymap)
        self._scroll = scroll

    def reload(self) -> None:
        """Ask the source again. If the end was in view, the new end will be."""
        self._scroll.changed()
        self.changed()

    def accept(self) -> None:
        """Close."""
        self.close(None)

    def up(self) -> None:
        """Scroll up by a row."""
        self._scroll.scroll(-1)

    def down(self) -> None:
        """Scroll down by a row."""
        self._scroll.scroll(1)

    def page_up(self) -> None:
        """Scroll up by a page."""
        self._scroll.page(-1)

    def page_down(self) -> None:
        """Scroll down by a page."""
        self._scroll.page(1)

    def first(self) -> None:
        """Go to the beginning."""
        self._scroll.end(last=False)

    def last(self) -> None:
        """Go to the end."""
        self._scroll.end(last=True)

    def detail(self) -> str:
        """See `Dialog`."""
        return self._scroll.position
