"""The theme of an extension: whether it has one, and whether the screen can load it."""

import os
from pathlib import Path
from typing import Literal

from zot_agent.extensions.discover import DiscoveredExtension, read_extension, theme_paths
from zot_ext.manifest import THEME_FILES

_MODES: tuple[Literal["dark", "light"], ...] = ("dark", "light")
"""A theme has a part for each kind of terminal."""


def theme(found: DiscoveredExtension) -> str:
    """Return the slash command that shows the theme; empty if the extension has none."""
    return f"/theme {found.name}" if _file(found.directory) else ""


def theme_fault(directory: str) -> str:
    """Return why the screen cannot use the theme of the extension in this folder, in one line; empty if it can, or if
    the extension has no theme."""
    from zot_tui.theme import ThemeError, load_theme  # noqa: PLC0415  few extensions have one

    try:
        for path in _files(directory):
            for mode in _MODES:
                load_theme(Path(path), mode)
    except ThemeError as error:
        return str(error)
    return ""


def theme_notes(directory: str) -> list[str]:
    """Return a line for each ignored entry of the theme; empty for a theme that cannot be used."""
    from zot_tui.theme import ThemeError, load_theme  # noqa: PLC0415  see `theme_fault`

    try:
        files = [(Path(path), mode) for path in _files(directory) for mode in _MODES]
        notes = [note for path, mode in files for note in load_theme(path, mode).notes]
    except ThemeError:
        return []
    return list(dict.fromkeys(notes))


def _file(directory: str) -> str:
    """Return the theme file that the screen would load; empty without a theme."""
    paths = (os.path.join(directory, *name.split("/")) for name in THEME_FILES)
    return next((path for path in paths if os.path.isfile(path)), "")


def _files(directory: str) -> list[str]:
    """Return the theme files that the screen could load."""
    found = read_extension(directory)
    named = theme_paths(directory, found.manifest.themes) if isinstance(found, DiscoveredExtension) else []
    return [*filter(None, [_file(directory)]), *named]
