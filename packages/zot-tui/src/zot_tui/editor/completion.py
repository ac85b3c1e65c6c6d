"""Completion while typing, from any number of sources; pure.

`Completer` inspects text and cursor after every change, offers the list of the first source that has something for the
word there, and returns the edit that a key makes in the buffer. A kind of completion is a `CompletionSource`;
`Completer` knows none of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from zot_tui.editor.buffer import Buffer

LIMIT = 50


@dataclass(slots=True)
class Candidate:
    """An entry of the list: `text` replaces what was typed, `name` and `description` are shown, under `group`.

    `positions` are the characters of `name` that the query matched. `more` says whether typing usually continues after
    it: a directory, or a command with arguments. `inside`: it continues in the same word, without a space.
    """

    name: str
    text: str
    description: str = ""
    group: str = ""
    more: bool = False
    positions: list[int] = field(default_factory=list)
    inside: bool = False


@dataclass(slots=True)
class CompletionQuery:
    """The text that is completed: the search text, and the range from `start` to `end` that will be replaced. `kind`
    names the source. `line` is the line up to the cursor, for a source that needs it."""

    kind: str
    start: int
    end: int
    text: str
    line: str = field(default="", compare=False)


@dataclass(slots=True)
class Popup:
    """The visible list and the index of the chosen candidate."""

    query: CompletionQuery
    candidates: list[Candidate]
    source: "CompletionSource"
    chosen: int = 0


@dataclass(slots=True)
class CompletionEdit:
    """Replace the range from `start` to `end` by `text`, with the cursor behind it; send the text if `submit`."""

    start: int
    end: int
    text: str
    submit: bool = False

    def apply(self, buffer: Buffer) -> None:
        text = buffer.text
        buffer.set(text[: self.start] + self.text + text[self.end :], self.start + len(self.text))


class CompletionSource:
    """One kind of completion. `mark` is drawn before every name. `sends`: Enter sends a candidate after which nothing
    else is typed."""

    mark = ""
    sends = False

    def find(self, text: str, cursor: int) -> CompletionQuery | None:
        raise NotImplementedError

    def candidates(self, query: CompletionQuery) -> list[Candidate]:
        """Return the best candidates that are known, best first."""
        raise NotImplementedError

    def follow(self, query: CompletionQuery | None) -> None:
        """Look for candidates of another query, in the background; None if nothing of this source is being typed."""

    def above(self, query: CompletionQuery) -> str | None:
        """Return the word one level up, for Left at its end; None if it has no levels."""
        return None

    def completes(self, command: str) -> bool:
        """Whether it suggests arguments of a slash command."""
        return False


class Completer:
    """Completion in one buffer. `popup` is the visible list, or None; the first of `sources` that fits is asked."""

    def __init__(self, sources: Iterable[CompletionSource]) -> None:
        self.popup: Popup | None = None
        self.sources = list(sources)
        self._dismissed: tuple[str, int] | None = None  # where the user closed the list

    def update(self, text: str, cursor: int, *, again: bool = False) -> None:
        """Update the list after a change of the text or the cursor; with `again` that of the same word, too."""
        source, found = self._find(text, cursor)
        place = (found.kind, found.start) if found else None
        if place != self._dismissed:
            self._dismissed = None
        if source is None or found is None or self._dismissed is not None:
            self.popup = None
            self._follow(None, None)
            return
        if again or self.popup is None or self.popup.query != found:
            candidates = source.candidates(found)
            self.popup = Popup(found, candidates, source) if candidates else None
        self._follow(source, found)

    def hide(self) -> None:
        """Close the list until the next change of the text."""
        self.popup = None
        self._follow(None, None)

    def _find(self, text: str, cursor: int) -> tuple[CompletionSource | None, CompletionQuery | None]:
        for source in self.sources:
            if (found := source.find(text, cursor)) is not None:
                return source, found
        return None, None

    def _follow(self, source: CompletionSource | None, query: CompletionQuery | None) -> None:
        for each in self.sources:
            each.follow(query if each is source else None)

    def up(self) -> bool:
        """Choose the previous candidate, wrapping around. Returns whether a list is visible."""
        return self._step(-1)

    def down(self) -> bool:
        """Choose the next candidate, wrapping around. Returns whether a list is visible."""
        return self._step(1)

    def page(self, rows: int) -> bool:
        """Choose the candidate `rows` below, or above if negative, as far as the list goes. Returns whether a
        list is visible."""
        if self.popup is None:
            return False
        self.popup.chosen = min(max(self.popup.chosen + rows, 0), len(self.popup.candidates) - 1)
        return True

    def complete(self) -> CompletionEdit | None:
        """Handle Tab: return the edit for the chosen candidate, or None if no list is visible and the key is free.

        A word gets a trailing space, unless it continues, as a directory does.
        """
        popup, self.popup = self.popup, None
        if popup is None:
            return None
        chosen = popup.candidates[popup.chosen]
        return CompletionEdit(popup.query.start, popup.query.end, chosen.text + ("" if chosen.inside else " "))

    def enter(self) -> CompletionEdit | None:
        """Handle Enter like Tab, but also send a command that takes no arguments."""
        popup = self.popup
        replacement = self.complete()
        if popup is not None and replacement is not None and popup.source.sends:
            chosen = popup.candidates[popup.chosen]
            if not chosen.more:
                replacement.text, replacement.submit = chosen.text, True
        return replacement

    def into(self, cursor: int) -> CompletionEdit | None:
        """Handle Right at the end of the word: enter the chosen directory. None if the key is free."""
        popup = self.popup
        if popup is None or cursor != popup.query.end:
            return None
        chosen = popup.candidates[popup.chosen]
        return CompletionEdit(popup.query.start, popup.query.end, chosen.text) if chosen.inside else None

    def out(self, cursor: int) -> CompletionEdit | None:
        """Handle Left behind a directory's slash: return to the directory above. None if the key is free."""
        popup = self.popup
        if popup is None or cursor != popup.query.end:
            return None
        above = popup.source.above(popup.query)
        return None if above is None else CompletionEdit(popup.query.start, popup.query.end, above)

    def cancel(self) -> bool:
        """Handle Esc: close the list until another word is begun. Returns whether a list was visible."""
        popup, self.popup = self.popup, None
        if popup is None:
            return False
        self._dismissed = (popup.query.kind, popup.query.start)
        return True

    def _step(self, by: int) -> bool:
        if self.popup is None:
            return False
        self.popup.chosen = (self.popup.chosen + by) % len(self.popup.candidates)
        return True
