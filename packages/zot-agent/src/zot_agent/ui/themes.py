"""`Themes`: those that come with zot, the person's own files, and those that extensions bring."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from zot_agent.extensions.discover import DiscoveredExtension
from zot_provider.record import Record, record
from zot_tui.theme import Theme, ThemeError, builtin, builtin_names, load_theme

Background: TypeAlias = Literal["dark", "light"]

AUTO = "auto"
"""What suits the terminal's background."""

_BROUGHT = ("theme.json", os.path.join("themes", "theme.json"))
"""Where a theme lies in an extension: the same as `zot_ext.manifest.THEME_FILES`."""


@record
class Choice(Record):
    """A theme that can be chosen: its name, where it is from, and its file, empty for one that comes with zot."""

    name: str
    source: str
    path: str = ""


@record
class _Watched(Record):
    """The file that a theme was last read from, also in vain, the name it goes by, and when it was changed: 0 while
    there is none."""

    name: str
    path: str
    changed: float


class Themes:
    """Finds themes, reads them, and has one used. `home` is zot's own folder, `extensions` are those that count.

    `use` gets a theme that is to be drawn with, `note` a line for the person on one that cannot be, or not whole.
    """

    def __init__(
        self,
        home: str,
        extensions: Callable[[], Sequence[DiscoveredExtension]],
        *,
        use: Callable[[Theme], None] = lambda _: None,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._folder, self._extensions, self._use, self._note = Path(home) / "themes", extensions, use, note
        self._watched: _Watched | None = None
        self._told: list[str] = []
        self.background: Background | None = None
        """The terminal's, None if it does not say."""
        self.name = ""
        """The theme in use; empty for what suits the terminal."""

    def use(self, name: str) -> None:
        """Draw in the colours of a theme. One that cannot be read leaves those in use as they are."""
        self._told = []
        self._read(name)

    def _read(self, name: str) -> None:
        try:
            theme = self.load(name, self.background)
        except ThemeError as error:
            self._tell([str(error)])
            return
        self._tell([f"theme {name}: {note}" for note in theme.notes])
        self.name = name
        self._use(theme)

    def _tell(self, notes: list[str]) -> None:
        for note in notes:
            if note not in self._told:
                self._note(note)
        self._told = notes

    def looked_at(self, here: bool) -> None:  # noqa: FBT001  what `Handlers.focus` is called with
        """The person looks this way, or no longer: a theme that they have edited meanwhile is read anew, also one that
        could not be read before. What was wrong with it already is not told again."""
        watched = self._watched
        if here and watched is not None and self.stale():
            watched.changed = _changed(watched.path)
            self._read(watched.name)

    def choices(self) -> list[Choice]:
        """All there are; of one name the first counts: the person's own, those of extensions, zot's."""
        own = [Choice(path.stem, "yours", str(path)) for path in sorted(self._folder.glob("*.json"))]
        brought = [
            Choice(found.name, "extension", path)
            for found in self._extensions()
            for path in (os.path.join(found.directory, name) for name in _BROUGHT)
            if os.path.isfile(path)
        ]
        ours = [Choice(AUTO, "the terminal's"), *(Choice(name, "zot") for name in builtin_names())]
        found: dict[str, Choice] = {}
        for choice in (*own, *brought, *ours):
            found.setdefault(choice.name, choice)
        return list(found.values())

    def load(self, name: str, background: Background | None) -> Theme:
        """A theme for a terminal of this background, None if it is not known. Raises `ThemeError`."""
        choices = self.choices()
        choice = next((each for each in choices if each.name == (name or AUTO)), None)
        if choice is None:
            raise ThemeError(f"no theme {name!r}: there are {', '.join(each.name for each in choices)}")
        if not choice.path:
            self._watched = None
            return builtin(background or "dark") if choice.name == AUTO else builtin(name).for_background(background)
        self._watched = _Watched(choice.name, choice.path, _changed(choice.path))
        theme = load_theme(Path(choice.path), background or "dark")
        return theme.over(builtin(theme.mode)).for_background(background)

    def stale(self) -> bool:
        """Whether the file that was read last is another one now."""
        watched = self._watched
        return watched is not None and _changed(watched.path) != watched.changed


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
