"""`Themes`: built-in themes, the user's own files, and themes of extensions."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from zot_agent.extensions.discover import THEME_FILES, DiscoveredExtension, theme_paths
from zot_provider.record import Record
from zot_tui.signal import Signal
from zot_tui.theme import Theme, ThemeError, builtin, builtin_names, load_theme
from zot_tui.theme.detect import Background

AUTO = "auto"
"""The built-in theme that suits the terminal's background."""


class ThemeChoice(Record):
    """A theme that can be chosen: its name, its origin, and its file, empty for a built-in theme."""

    name: str
    source: str
    path: str = ""


class _Watched(Record):
    """The theme file that was last read, valid or not: the theme's name, its path and time of change (0: no file)."""

    name: str
    path: str
    changed: float


class Themes:
    """Finds, reads and switches themes. `home` is zot's home folder, `extensions` returns the active ones.

    `switched` is emitted with the theme to draw with, `noted` with a line about a theme that is invalid in whole or in
    part.
    """

    def __init__(self, home: str, extensions: Callable[[], Sequence[DiscoveredExtension]]) -> None:
        self._folder, self._extensions = Path(home) / "themes", extensions
        self.switched: Signal[[Theme]] = Signal()
        self.noted: Signal[[str]] = Signal()
        self._watched: _Watched | None = None
        self._noted: list[str] = []
        self.background: Background | None = None
        """The terminal's background, None if it does not report one."""
        self.name = ""
        """The current theme; empty for the default, which suits the terminal."""

    def use(self, name: str) -> None:
        """Switch to a theme. If it cannot be read, the current colours stay."""
        self._noted = []
        self._read(name)

    def _read(self, name: str) -> None:
        try:
            theme = self.load(name, self.background)
        except ThemeError as error:
            self._show_notes([str(error)])
            return
        self._show_notes([f"theme {name}: {note}" for note in theme.notes])
        self.name = name
        self.switched.emit(theme)

    def _show_notes(self, notes: list[str]) -> None:
        for note in notes:
            if note not in self._noted:
                self.noted.emit(note)
        self._noted = notes

    def focus(self, here: bool) -> None:  # noqa: FBT001  what `App.focus_changed` emits
        """Read the theme again if its file has changed when the terminal gets the focus, even if it was invalid before.

        Faults that were already reported are not repeated.
        """
        watched = self._watched
        if here and watched is not None and self.stale():
            watched.changed = _changed(watched.path)
            self._read(watched.name)

    def choices(self) -> list[ThemeChoice]:
        """Return all themes. Of several with one name the first wins: the user's, an installed extension's, zot's, a
        project's."""
        own = [ThemeChoice(path.stem, "yours", str(path)) for path in sorted(self._folder.glob("*.json"))]
        extensions = [
            ThemeChoice(found.name, "project" if found.scope == "project" else "extension", path)
            for found in self._extensions()
            for path in (os.path.join(found.directory, name) for name in THEME_FILES)
            if os.path.isfile(path)
        ]
        extensions += [
            ThemeChoice(Path(path).stem, "project" if found.scope == "project" else "extension", path)
            for found in self._extensions()
            for path in theme_paths(found.directory, found.resources.themes)
        ]
        ours = [ThemeChoice(AUTO, "the terminal's"), *(ThemeChoice(name, "zot") for name in builtin_names())]
        found: dict[str, ThemeChoice] = {}
        # False comes before True: what a project brings replaces nothing.
        for choice in sorted([*own, *extensions, *ours], key=lambda choice: choice.source == "project"):
            found.setdefault(choice.name, choice)
        return list(found.values())

    def load(self, name: str, background: Background | None) -> Theme:
        """Read a theme for a terminal with this background, None if unknown. Raises `ThemeError`."""
        choices = self.choices()
        choice = next((each for each in choices if each.name == (name or AUTO)), None)
        if choice is None:
            raise ThemeError(f"no theme {name!r}: there are {', '.join(each.name for each in choices)}")
        if not choice.path:
            self._watched = None
            return builtin(background or "dark") if choice.name == AUTO else builtin(name).for_background(background)
        # The person has allowed the theme of a project as it was: a change is not shown by itself.
        watch = choice.source != "project"
        self._watched = _Watched(choice.name, choice.path, _changed(choice.path)) if watch else None
        theme = load_theme(Path(choice.path), background or "dark")
        return theme.over(builtin(theme.mode)).for_background(background)

    def stale(self) -> bool:
        """Return whether the file that was read last has changed since."""
        watched = self._watched
        return watched is not None and _changed(watched.path) != watched.changed


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
