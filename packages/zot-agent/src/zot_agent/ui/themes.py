"""`Themes`: those that come with zot, the person's own files, and those that extensions bring."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from zot_agent.extensions.discover import Found
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


class Themes:
    """Finds themes, reads them, and has one used. `home` is zot's own folder, `extensions` are those that count.

    `use` gets a theme that is to be drawn with, `note` a line for the person on one that cannot be, or not whole.
    """

    def __init__(
        self,
        home: str,
        extensions: Callable[[], Sequence[Found]],
        *,
        use: Callable[[Theme], None] = lambda _: None,
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._folder, self._extensions, self._use, self._note = Path(home) / "themes", extensions, use, note
        self._used: tuple[str, float] = ("", 0.0)
        self.background: Background | None = None
        """The terminal's, None if it does not say."""
        self.name = ""
        """The theme in use; empty for what suits the terminal."""

    def use(self, name: str) -> None:
        """Draw in the colours of a theme."""
        try:
            theme = self.load(name, self.background)
        except ThemeError as error:
            self._note(str(error))
            return
        for note in theme.notes:
            self._note(f"theme {theme.name}: {note}")
        self.name = name
        self._use(theme)

    def looked_at(self, here: bool) -> None:  # noqa: FBT001  what `Handlers.focus` is called with
        """The person looks this way, or no longer: a theme that they have edited meanwhile is read anew."""
        if here and self.stale():
            self.use(self.name)

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
        self._used = ("", 0.0)
        choice = next((each for each in self.choices() if each.name == (name or AUTO)), None)
        if choice is None or not choice.path:
            return builtin(background or "dark") if name in ("", AUTO) else builtin(name).fitting(background)
        self._used = (choice.path, _changed(choice.path))
        theme = load_theme(Path(choice.path), background or "dark")
        return theme.over(builtin(theme.mode)).fitting(background)

    def stale(self) -> bool:
        """Whether the file of the theme in use is another one now."""
        path, changed = self._used
        return bool(path) and _changed(path) != changed


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
