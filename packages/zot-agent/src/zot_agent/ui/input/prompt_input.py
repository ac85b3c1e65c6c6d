"""`PromptInput`: the prompt editor with completion, history and a draft that survives a crash."""

import asyncio
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from zot_agent.ui.input.drafts import SIZE, Drafts
from zot_agent.ui.input.files import FileIndex
from zot_agent.ui.input.prompts import PASTED, with_image_chips
from zot_core.aio import spawn
from zot_tui.editor.completion import Completer, CompletionEdit, CompletionQuery, CompletionSource
from zot_tui.editor.completion_sources import CommandCompletion, CommandSource, FileSource
from zot_tui.editor.history import History, history_path
from zot_tui.editor.mode import EditorMode
from zot_tui.keys.key import Key
from zot_tui.keys.keymap import Binding
from zot_tui.signal import Signal
from zot_tui.widgets.input.editor import EditorWidget
from zot_tui.widgets.input.suggest import Suggest


class FileSearch(FileSource):
    """Files below `cwd`. `changed` is emitted when there are new candidates for the word."""

    def __init__(self, cwd: str) -> None:
        super().__init__(lambda: self._found)
        self.changed: Signal[[]] = Signal()
        self._index = FileIndex(cwd)
        self._index.changed.connect(self._index_changed)
        self._found: list[str] = []
        self._task: asyncio.Task[None] | None = None
        self._searched: str | None = None

    def follow(self, query: CompletionQuery | None) -> None:
        text = None if query is None else query.text
        if text is not None and text != self._searched:
            self._begin(text)
        self._searched = text

    def _begin(self, text: str) -> None:
        if self._task is not None:
            self._task.cancel()
        self._task = spawn(self._search(text), "search files")

    def _index_changed(self) -> None:
        if self._searched is not None:
            self._begin(self._searched)

    async def _search(self, text: str) -> None:
        ranked = await self._index.search(text)
        if ranked is not None and self._searched == text:
            self._found = [each.item for each in ranked]
            self.changed.emit()

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
        await self._index.close()


LONG = 20_000
"""Characters from which a recovered draft becomes a chip, as a paste does."""


class PromptInput:
    """`commands` are offered after `/`; `is_whole` tells whether a command is sent as typed, though another is
    offered first. `commands_wanted` is emitted when a list of them opens, `outdated` when the
    screen must be redrawn."""

    def __init__(
        self,
        editor: EditorWidget,
        suggest: Suggest,
        *,
        home: str,
        cwd: str,
        commands: Callable[[], Iterable[CommandCompletion]],
        is_whole: Callable[[str, str], bool],
    ) -> None:
        self.editor, self._suggest, self._is_whole = editor, suggest, is_whole
        self.outdated: Signal[[]] = Signal()
        self.commands_wanted: Signal[[]] = Signal()
        self.drafts = Drafts(home, cwd)
        self._pasted = os.path.join(home, PASTED)
        self.history = History(history_path(Path(home) / "history", Path(cwd)))
        self._files = FileSearch(cwd)
        self._files.changed.connect(self.suggestions_changed)
        self._completer = Completer([CommandSource(commands, self.commands_wanted.emit), self._files])
        self._queue: list[str] = []
        self._vi: EditorMode | None = None  # the last mode with vi keys
        self._walking = False
        editor.edited.connect(self._edited)
        editor.edge_reached.connect(self._leave_text)

    @property
    def text(self) -> str:
        return self.editor.text

    def set(self, text: str) -> None:
        """Replace the text in the editor."""
        self.editor.set_text(text)

    def keep(self, queue: list[str]) -> None:
        """Save the queued prompts and the draft, so that both survive a crash."""
        self._queue = queue
        self._save()

    def _save(self) -> None:
        self.drafts.keep(self.editor.pastes.expand(self.text), self._queue)

    def recover(self) -> str:
        """Put text left by a crash into the editor, before what is there: queued prompts, then the draft.

        Return a note for the user, empty if there was no such text.
        """
        draft = self.drafts.recover()
        text = "\n\n".join(filter(None, [*draft.queue, draft.text]))
        if len(text) > LONG:
            self.editor.paste(text)
        elif text:
            recovered = with_image_chips(text, self._pasted, self.editor.pastes)
            self.set("\n\n".join(filter(None, [recovered, self.text])))
        if draft.cut:
            return f"the first {SIZE:,} characters of your unsent text were recovered into the editor"
        return "your unsent text was recovered into the editor" if text else ""

    def sent(self, text: str) -> None:
        """Clear the editor after `text` was sent, and add it to the history with its chips expanded."""
        pastes = self.editor.pastes
        self.history.add(pastes.expand(text))
        self.editor.restart()
        if not self._queue:  # a queued prompt may come back with its chips
            pastes.clear()

    @property
    def vi(self) -> bool:
        return self.editor.mode is self._vi

    def toggle_vi(self) -> bool:
        """Turn vi keys on or off, and return whether they are on."""
        from zot_tui.editor.keyed.vi import vi_mode  # noqa: PLC0415  only for users of vi keys

        self._vi = None if self.vi else vi_mode(self.editor.buffer, self.editor.spans)
        self.editor.mode = self._vi or EditorMode()
        return self.vi

    def _edited(self) -> None:
        if not self._walking:
            self.history.reset()
        self._save()
        self._suggest_again()

    def _suggest_again(self) -> None:
        """Offer completions of the word at the cursor, unless the editor's mode takes characters as commands. A text of
        the history gets none: the next Up or Down continues in the history."""
        if self._walking or not self.editor.mode.types:
            self._completer.hide()
        else:
            self._completer.update(self.text, self.editor.buffer.cursor)
        self._show_choice()

    def add_source(self, source: CompletionSource) -> None:
        """Offer completions of one more kind, after zot's own."""
        self._completer.sources.append(source)

    def arguments(self, command: str) -> bool:
        """Whether arguments of a slash command are suggested."""
        return any(each.completes(command) for each in self._completer.sources)

    def suggestions_changed(self) -> None:
        """Offer what a source has found for the word since. A suggestion chosen by hand stays chosen."""
        self._refresh_candidates()
        self._show_choice()

    def _refresh_candidates(self, *, keep: bool = False) -> None:
        """Offer new candidates for the same word. One chosen by hand stays chosen; with `keep`, so does the first."""
        if not self.editor.mode.types:
            return
        popup = self._completer.popup
        chosen = popup.candidates[popup.chosen].name if popup is not None and (keep or popup.chosen) else ""
        self._completer.update(self.text, self.editor.buffer.cursor, again=True)
        popup = self._completer.popup
        if popup is not None:
            names = [each.name for each in popup.candidates]
            popup.chosen = names.index(chosen) if chosen in names else 0

    def commands_changed(self) -> None:
        """Update the suggestions after `commands` has changed. The chosen one stays chosen."""
        self._refresh_candidates(keep=True)
        self._show_choice()

    # Keys

    def up(self) -> None:
        """Choose the suggestion above, else go up a row, else back in history."""
        if self._completer.up():
            self._show_choice()
        elif not self.editor.up():
            self._leave_text("up")

    def down(self) -> None:
        """Choose the suggestion below, else go down a row, else forward in history."""
        if self._completer.down():
            self._show_choice()
        elif not self.editor.down():
            self._leave_text("down")

    def page(self, pages: int) -> bool:
        """Choose the suggestion a page below, or above if negative. Return False if nothing is suggested."""
        paged = self._completer.popup is not None and self._completer.page(self._suggest.page(pages))
        if paged:
            self._show_choice()
        return paged

    def _leave_text(self, way: Literal["up", "down"]) -> None:
        """Go back or forward in history from the first or last row, unless text is selected."""
        if self.editor.mode.selection is None:
            self._walk(self.history.back(self.text) if way == "up" else self.history.forward(self.text))

    def handle(self, key: Key, binding: Binding | None) -> bool:
        """Give a key to the editor. At the end of a word with suggested paths, the key that moves the cursor right
        enters the chosen directory, and the key that moves it left returns to the directory above."""
        action, cursor = binding.action if binding is not None else "", self.editor.buffer.cursor
        if action == "cursor_right" and self._replace(self._completer.into(cursor)):
            return True
        if action == "cursor_left" and self._replace(self._completer.out(cursor)):
            return True
        return self.editor.handle(key, binding)

    def complete(self) -> bool:
        """Take the suggestion. Return False if nothing is suggested."""
        return self._replace(self._completer.complete()) is not None

    def enter(self) -> bool:
        """Take the suggestion, and return whether the text is to be sent.

        It is if there was no suggestion, or if it changed nothing; never inside a command of the editor's mode. A
        whole command is sent as it is typed, unless another suggestion than the first was chosen.
        """
        if self.editor.enter():
            return False
        typed, popup = self.text, self._completer.popup
        if popup and popup.source.sends and not popup.chosen and self._is_whole(typed, popup.candidates[0].name):
            return True
        replacement = self._replace(self._completer.enter())
        return replacement is None or replacement.submit or self.text.strip() == typed.strip()

    def cancel(self) -> bool:
        """Close the suggestions. Return False if they were not open."""
        closed = self._completer.cancel()
        self._show_choice()
        return closed

    def _show_choice(self) -> None:
        self._suggest.show(self._completer.popup)
        self.outdated.emit()

    def _replace(self, replacement: CompletionEdit | None) -> CompletionEdit | None:
        if replacement is not None:
            replacement.apply(self.editor.buffer)
            self.editor.changed()
        return replacement

    def _walk(self, text: str | None) -> None:
        if text is not None:
            self.recall(text)

    def recall(self, text: str) -> None:
        """Replace the text by one of the history, without suggestions for it."""
        self._walking = True
        try:
            self.editor.set_text(text)
        finally:
            self._walking = False

    async def close(self) -> None:
        """Save the draft and stop the search for files."""
        self.drafts.close()
        await self._files.close()
