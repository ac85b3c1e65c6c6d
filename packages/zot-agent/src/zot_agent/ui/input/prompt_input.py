"""`Typed`: the editor with what helps to fill it: completion, history, the draft that outlives a crash."""

import asyncio
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from zot_agent.ui.input.drafts import SIZE, Drafts
from zot_agent.ui.input.files import FileIndex
from zot_core.aio import spawn
from zot_tui.editor.completion import CommandCompletion, Completer, CompletionEdit, query
from zot_tui.editor.history import History, history_path
from zot_tui.widgets.input.editor import EditorWidget
from zot_tui.widgets.input.suggest import Suggest

PLACEHOLDER = "ask, or / for commands, @ for files"

PASTED = "pasted"
"""The folder below zot's own for images from the clipboard."""

LONG = 20_000
"""Characters from which a draft that was recovered becomes a chip, as a paste does."""


class Typed:
    """`commands` are offered behind `/`; `changed` is called when the screen must be drawn."""

    def __init__(
        self,
        editor: EditorWidget,
        suggest: Suggest,
        *,
        home: str,
        cwd: str,
        commands: Callable[[], Iterable[CommandCompletion]],
        changed: Callable[[], None],
    ) -> None:
        self.editor, self._suggest, self._changed = editor, suggest, changed
        self.drafts = Drafts(home, cwd)
        self._pasted = os.path.join(home, PASTED)
        self.history = History(history_path(Path(home) / "history", Path(cwd)))
        self._files = FileIndex(cwd, changed=self._look_again)
        self._found: list[str] = []
        self._searching: asyncio.Task[None] | None = None
        self._searched: str | None = None
        self._completer = Completer(commands, lambda: self._found)
        self._waiting: list[str] = []
        self._walking = False
        editor.on_change, editor.on_edge = self._edited, self._beyond

    @property
    def text(self) -> str:
        """What stands in the editor."""
        return self.editor.text

    def set(self, text: str) -> None:
        """Put another text into the editor."""
        self.editor.set_text(text)

    def keep(self, waiting: list[str]) -> None:
        """What waits has changed: both outlive a crash."""
        self._waiting = waiting
        self._keep()

    def _keep(self) -> None:
        self.drafts.keep(self.editor.pastes.expand(self.text), self._waiting)

    def recover(self) -> str:
        """Put what a crash left into the editor, what waited before what was being typed; what the person is told, if
        there was any."""
        draft = self.drafts.recover()
        text = "\n\n".join(filter(None, [*draft.queue, draft.text]))
        if len(text) > LONG:
            self.editor.paste(text)
        elif text:
            self.set(self._with_chips(text))
        if draft.cut:
            return f"of what you had typed when zot ended, the first {SIZE:,} characters are in the editor"
        return "what you had typed when zot ended is in the editor" if text else ""

    def _with_chips(self, text: str) -> str:
        """Images from the clipboard are attached to what was recovered, as they were."""
        if PASTED not in text:
            return text
        from zot_agent.ui.input.pasted_images import with_chips  # noqa: PLC0415  rarely wanted

        return with_chips(text, self._pasted, self.editor.pastes)

    def sent(self, text: str) -> None:
        """The text was sent: the editor is empty, the history has one more, with what its chips stood for."""
        pastes = self.editor.pastes
        self.history.add(pastes.expand(text))
        self.editor.restart()
        if not self._waiting:  # what waits may come back with its chips
            pastes.clear()

    def toggle_vi(self) -> bool:
        """Edit as in vi, or no longer; whether it is so now."""
        from zot_tui.editor.mode import EditorMode  # noqa: PLC0415  with the other one
        from zot_tui.editor.vi.mode import Vi  # noqa: PLC0415  for those who want it

        vi = not isinstance(self.editor.mode, Vi)
        self.editor.mode = Vi(self.editor.buffer, self.editor.spans) if vi else EditorMode()
        return vi

    def _edited(self) -> None:
        if not self._walking:
            self.history.reset()
        self._keep()
        self._look()

    def _look(self) -> None:
        """Offer what completes the word at the cursor, where words are typed."""
        if not self.editor.mode.types:
            self._completer.popup, self._searched = None, None
            self._show_choice()
            return
        self._completer.update(self.text, self.editor.buffer.cursor)
        query = _file_query(self.text, self.editor.buffer.cursor)
        if query is None:
            self._searched = None
        elif query != self._searched:
            self._searched = query
            if self._searching is not None:
                self._searching.cancel()
            self._searching = spawn(self._search(query), "search files")
        self._show_choice()

    def _look_again(self) -> None:
        """More files are known, or others."""
        if self._searched is not None:
            self._searched = None
            self._look()

    async def _search(self, text: str) -> None:
        ranked = await self._files.search(text)
        if ranked is not None and self._searched == text:
            self._found = [each.item for each in ranked]
            self._offer_anew()
            self._show_choice()

    def _offer_anew(self, *, keep: bool = False) -> None:
        """The same word, other candidates: one that was chosen by hand stays chosen, and with `keep` the first too."""
        if not self.editor.mode.types:
            return
        popup = self._completer.popup
        chosen = popup.candidates[popup.chosen].name if popup is not None and (keep or popup.chosen) else ""
        self._completer.popup = None
        self._completer.update(self.text, self.editor.buffer.cursor)
        popup = self._completer.popup
        if popup is not None:
            names = [each.name for each in popup.candidates]
            popup.chosen = names.index(chosen) if chosen in names else 0

    def renew(self) -> None:
        """There are other commands now: suggestions show them, and Enter still takes what it would have taken."""
        self._offer_anew(keep=True)
        self._show_choice()

    # Keys

    def up(self) -> None:
        """The suggestion above, else the row above, else what was typed before."""
        if self._completer.up():
            self._show_choice()
        elif not self.editor.perform("cursor_up"):
            self._beyond("up")

    def down(self) -> None:
        """The suggestion below, else the row below, else what was typed after."""
        if self._completer.down():
            self._show_choice()
        elif not self.editor.perform("cursor_down"):
            self._beyond("down")

    def _beyond(self, way: str) -> None:
        """Up from the first line, or down from the last one: into history, unless something is selected."""
        if self.editor.mode.selection is None:
            self._walk(self.history.back(self.text) if way == "up" else self.history.forward(self.text))

    def complete(self) -> bool:
        """Take the suggestion; whether there was one."""
        return self._replace(self._completer.complete()) is not None

    def enter(self) -> bool:
        """Take the suggestion; whether the text is to be sent: also if it stood there already, letter by letter, and
        not within a command of the editor's mode."""
        if self.editor.enter():
            return False
        typed = self.text
        replacement = self._replace(self._completer.enter())
        return replacement is None or replacement.submit or self.text.strip() == typed.strip()

    def cancel(self) -> bool:
        """Close the suggestions; whether there were any."""
        closed = self._completer.cancel()
        self._show_choice()
        return closed

    def _show_choice(self) -> None:
        self._suggest.show(self._completer.popup)
        self._changed()

    def _replace(self, replacement: CompletionEdit | None) -> CompletionEdit | None:
        if replacement is not None:
            replacement.apply(self.editor.buffer)
            self.editor.changed()
        return replacement

    def _walk(self, text: str | None) -> None:
        if text is not None:
            self._walking = True
            try:
                self.editor.set_text(text)
            finally:
                self._walking = False

    async def close(self) -> None:
        """Write the draft and end the search for files."""
        self.drafts.close()
        if self._searching is not None:
            self._searching.cancel()
        await self._files.close()


def _file_query(text: str, cursor: int) -> str | None:
    """What is looked for behind an `@`; None if the cursor is not in such a word."""
    found = query(text, cursor)
    return found.text if found is not None and found.kind == "file" else None
