"""`Confirm` for a choice of a few answers, `TextInput` for a line of text, `Pages` for a text to read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from zot_tui.text.runs import Row
from zot_tui.widgets.dialogs.dialog import DIALOG, LIST, Dialog, Hint, V
from zot_tui.widgets.dialogs.entry import ListEntry, entry_rows, window
from zot_tui.widgets.input.editor import EDITOR, EditorWidget
from zot_tui.widgets.scroll import Content, Scroll

INPUT_ROWS = 3


@dataclass(slots=True)
class ConfirmChoice(Generic[V]):
    """An answer to `Confirm`: its letter, its label, its value."""

    key: str
    label: str
    value: V


class Confirm(Dialog[V]):
    """A question with a few answers, chosen by letter or with the arrows. Its body scrolls by pages.

    `content` is a text, or what returns chunks, for example of a diff.
    """

    contexts = (LIST, DIALOG)
    answered_by_letter = True

    def __init__(
        self, title: str, choices: Sequence[ConfirmChoice[V]], content: Content = "", *, chosen: int = 0, note: str = ""
    ) -> None:
        scroll = Scroll(content) if content else None
        hints = [Hint("dialog_accept", "choose"), Hint("dialog_cancel", "cancel")]
        if scroll is not None:
            hints.insert(1, Hint("dialog_page_down", "scroll"))
        super().__init__(title, scroll, note=note, hints=hints)
        self._scroll = scroll
        self._choices = [*choices]
        self._chosen = min(max(chosen, 0), len(self._choices) - 1)
        self._top = 0

    def restyle(self) -> None:
        if self._scroll is not None:
            self._scroll.changed()
        super().restyle()

    def accept(self) -> None:
        self.close(self._choices[self._chosen].value)

    def move(self, rows: int) -> None:
        self._chosen = min(max(self._chosen + rows, 0), len(self._choices) - 1)

    def page(self, pages: int) -> None:
        if self._scroll is not None:
            self._scroll.page(pages)

    def typed(self, text: str) -> None:
        """Answer by letter, ignoring case."""
        for choice in self._choices:
            if choice.key.lower() == text.lower():
                self.close(choice.value)
                return

    def detail(self) -> str:
        return self._scroll.position if self._scroll is not None else ""

    def foot(self, columns: int, limit: int) -> list[Row[Any]]:
        """See `Dialog`: the answers, each with all of its text."""
        entries = [ListEntry(choice.label, mark=f"{choice.key}  ") for choice in self._choices]
        drawn = [entry_rows(each, columns, 0, chosen=at == self._chosen) for at, each in enumerate(entries)]
        first = sum(map(len, drawn[: self._chosen]))
        last = first + len(drawn[self._chosen]) - 1
        rows = [row for each in drawn for row in each]
        self._top = min(window(len(rows), last, self._top, limit), first)
        return rows[self._top : self._top + limit]


class TextInput(Dialog[str]):
    """A question for a line of text, drawn as dots if `masked`, or with `rows` for a text of several lines. `check`
    returns why a text is refused, or nothing."""

    contexts = (DIALOG, EDITOR)

    def __init__(
        self,
        title: str,
        *,
        text: str = "",
        placeholder: str = "",
        note: str = "",
        masked: bool = False,
        rows: int = 0,
        check: Callable[[str], str] = lambda _: "",
    ) -> None:
        self.editor = EditorWidget(placeholder=placeholder, masked=masked, single=not rows, max_rows=rows or INPUT_ROWS)
        self.editor.set_text(text)
        hints = (Hint("dialog_accept", "accept"), Hint("dialog_cancel", "cancel"))
        super().__init__(title, self.editor, note=note, hints=hints, field=self.editor)
        self._check = check

    def accept(self) -> None:
        """Answer with the text, unless it is refused."""
        self.problem = self._check(self.editor.text)
        if not self.problem:
            self.close(self.editor.text)


class Pages(Dialog[None]):
    """A text or chunks to read. All keys that accept or close a dialog close it."""

    contexts = (LIST, DIALOG)

    def __init__(self, title: str, content: Content, *, note: str = "") -> None:
        scroll = Scroll(content)
        hints = (Hint("dialog_page_down", "scroll"), Hint("dialog_cancel", "close"))
        super().__init__(title, scroll, note=note, hints=hints)
        self._scroll = scroll

    def reload(self) -> None:
        """Ask for the chunks again. If the end was in view, the new end will be."""
        self._scroll.changed()
        self.changed()

    def restyle(self) -> None:
        self.reload()

    def accept(self) -> None:
        self.close(None)

    def move(self, rows: int) -> None:
        self._scroll.scroll(rows)

    def page(self, pages: int) -> None:
        self._scroll.page(pages)

    def end(self, *, last: bool) -> None:
        self._scroll.end(last=last)

    def detail(self) -> str:
        return self._scroll.position
